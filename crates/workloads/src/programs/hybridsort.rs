//! Bucket sort followed by merge sort of floats.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "hybridsort",
    summary: "bucket and merge sort of floats",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.HYS"), (Paper::Dsm, "R-HYS")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("in", ElementType::F32),
        approximable("pivots", ElementType::F32),
        exact("bucket", ElementType::I32),
        exact("rank", ElementType::I32),
        exact("counts", ElementType::I32),
        exact("offsets", ElementType::I32),
        approximable("out", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/hybridsort.ptx"),
    run,
};

const BUCKETS: usize = 128;
const THREADS: u32 = 128;
const BLOCK: [u32; 3] = [THREADS, 1, 1];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let count = host.size(host.scale().pick(4_000, 65_536, 500_000));
    let mut rng = host.rng(1);
    let values: Vec<f32> = (0..count).map(|_| rng.uniform(0.0, 255.0)).collect();
    // Pivots from a sample, so that buckets are about equal.
    let mut sample: Vec<f32> = values.iter().step_by((count / 4096).max(1)).copied().collect();
    sample.sort_by(f32::total_cmp);
    let pivots: Vec<f32> = (1..BUCKETS).map(|b| sample[b * sample.len() / BUCKETS]).collect();

    let mut from = host.upload("in", &values)?;
    let pivot_buffer = host.upload("pivots", &pivots)?;
    let bucket = host.zeros::<i32>("bucket", count)?;
    let rank = host.zeros::<i32>("rank", count)?;
    let counts = host.zeros::<i32>("counts", BUCKETS)?;
    let grid = grid_for(count, THREADS);
    host.launch("bucket_count", grid, BLOCK, args![from, pivot_buffer, bucket, rank, counts, count])?;
    let sizes = host.download(counts)?;
    let mut starts = vec![0i32];
    for size in &sizes {
        starts.push(starts[starts.len() - 1] + size);
    }
    let offsets = host.upload("offsets", &starts)?;
    let mut to = host.zeros::<f32>("out", count)?;
    host.launch("bucket_scatter", grid, BLOCK, args![from, bucket, rank, offsets, to, count])?;

    let longest = sizes.iter().copied().max().unwrap_or(0) as usize;
    let mut width = 1usize;
    while width < longest {
        std::mem::swap(&mut from, &mut to);
        let grid = [longest.div_ceil(2 * width).div_ceil(THREADS as usize) as u32, BUCKETS as u32, 1];
        host.launch("merge_runs", grid, BLOCK, args![from, to, offsets, width])?;
        width *= 2;
    }
    let mut expected = values;
    expected.sort_by(f32::total_cmp);
    host.check("out", to, &expected, Tolerance::Exact)
}
