//! Bucket sort followed by merge sort of floats, as Rodinia's hybridsort.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Buffer, Host, grid_for};
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "hybridsort",
    summary: "bucket and merge sort of floats",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.HYS"), (Paper::Dsm, "R-HYS")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("input", ElementType::F32),
        approximable("output", ElementType::F32),
        exact("sizes", ElementType::U32),
        exact("places", ElementType::I32),
        approximable("pivots", ElementType::F32),
        exact("starts", ElementType::U32),
        exact("block_counts", ElementType::U32),
        exact("bins", ElementType::U32),
    ],
    input: None,
    data_sets: &[DataSet::new("uniform", "Rodinia: uniform in [0, 1)")],
    ptx: include_str!("../../kernels/hybridsort.ptx"),
    run,
};

const BUCKETS: usize = 1024;
const BINS: usize = 1024;
const HISTOGRAM_BLOCKS: u32 = 64;
const HISTOGRAM_THREADS: u32 = 96;
/// Elements per thread of the bucket kernels, whose thread blocks have one warp.
const BUCKET_THREADS: u32 = 32;
const BUCKET_BAND: u32 = 128;
const OFFSET_THREADS: u32 = 128;
const FIRST_THREADS: u32 = 256;
const MERGE_THREADS: u32 = 208;
const FEWEST_MERGE_BLOCKS: u32 = 8;
/// Floats of a vector.
const VECTOR: usize = 4;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let count = host.size(host.scale().pick(4_000, 65_536, 500_000), 1..=1 << 24)?;
    let mut rng = host.rng(1);
    let values: Vec<f32> = (0..count).map(|_| rng.uniform(0.0, 1.0)).collect();

    let padded = count + BUCKETS * VECTOR;
    let input = host.zeros::<f32>("input", padded)?;
    let output = host.zeros::<f32>("output", padded)?;
    host.write(input, &values)?;
    let buckets = sort_into_buckets(host, &values, input, output)?;
    let sorted = merge(host, &buckets, output, input)?;

    let got: Vec<f32> = host.download(sorted)?.into_iter().take(count).collect();
    let mut expected = values;
    expected.sort_by(f32::total_cmp);
    host.check_values("sorted", &got, &expected, Tolerance::Exact)
}

/// Where the buckets lie, each padded to whole vectors.
struct Buckets {
    /// Elements of each.
    sizes: Vec<usize>,
}

impl Buckets {
    fn vectors(&self) -> impl Iterator<Item = usize> {
        self.sizes.iter().map(|size| size.div_ceil(VECTOR))
    }

    fn padding(&self) -> Vec<i32> {
        self.sizes.iter().map(|size| (size.next_multiple_of(VECTOR) - size) as i32).collect()
    }
}

/// Where each of some neighbours starts, and where the last ends.
fn starts(lengths: impl Iterator<Item = usize>) -> Vec<i32> {
    let mut starts = vec![0i32];
    for length in lengths {
        starts.push(starts[starts.len() - 1] + length as i32);
    }
    starts
}

fn sort_into_buckets(
    host: &mut Host<'_>,
    values: &[f32],
    input: Buffer<f32>,
    output: Buffer<f32>,
) -> Result<Buckets, Failure> {
    let count = values.len();
    let size_buffer = host.zeros::<u32>("sizes", BUCKETS)?;
    let places = host.zeros::<i32>("places", count)?;
    let pivot_buffer = host.zeros::<f32>("pivots", BUCKETS)?;
    let start_buffer = host.zeros::<u32>("starts", BUCKETS)?;
    let blocks = (count as u32).div_ceil(BUCKET_THREADS * BUCKET_BAND);
    let block_counts = host.zeros::<u32>("block_counts", blocks as usize * BUCKETS)?;
    let bins = host.zeros::<u32>("bins", BINS)?;

    let least = values.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (grid, block) = ([HISTOGRAM_BLOCKS, 1, 1], [HISTOGRAM_THREADS, 1, 1]);
    host.launch("histogram", grid, block, args![bins, input, least, greatest, count])?;
    let histogram = host.download(bins)?;
    host.write(pivot_buffer, &pivots(&histogram, count, least, (greatest - least) / BINS as f32))?;
    let texture = host.texture(pivot_buffer, 1)?;
    let (grid, block) = ([blocks, 1, 1], [BUCKET_THREADS, 1, 1]);
    host.launch("bucket_count", grid, block, args![input, texture, places, block_counts, count])?;
    host.launch(
        "bucket_offsets",
        grid_for(BUCKETS, OFFSET_THREADS),
        [OFFSET_THREADS, 1, 1],
        args![block_counts, size_buffer, blocks],
    )?;
    let sizes = host.download(size_buffer)?.into_iter().map(|size| size as usize).collect();
    let buckets = Buckets { sizes };
    let first_floats: Vec<u32> =
        starts(buckets.vectors()).iter().take(BUCKETS).map(|&vector| vector as u32 * VECTOR as u32).collect();
    host.write(start_buffer, &first_floats)?;
    let arguments = args![input, places, output, count, block_counts, start_buffer];
    host.launch("bucket_scatter", grid, block, arguments)?;
    Ok(buckets)
}

/// Values between the buckets, so that each gets about the same share of the histogram.
fn pivots(histogram: &[u32], count: usize, least: f32, width: f32) -> Vec<f32> {
    let share = count as f32 / BUCKETS as f32;
    let (mut start, mut end, mut missing) = (least, least + width, share);
    let mut pivots = Vec::with_capacity(BUCKETS);
    for &bin in &histogram[..histogram.len() - 1] {
        let mut left = bin as f32;
        while left > missing && pivots.len() < BUCKETS {
            start += missing / left * width;
            pivots.push(start);
            left -= missing;
            missing = share;
        }
        missing -= left;
        start = end;
        end += width;
    }
    pivots.resize(BUCKETS, pivots.last().copied().unwrap_or(least));
    pivots
}

/// Sorts every bucket, runs doubling from pass to pass, and gives the list without padding.
fn merge(
    host: &mut Host<'_>,
    buckets: &Buckets,
    mut from: Buffer<f32>,
    mut to: Buffer<f32>,
) -> Result<Buffer<f32>, Failure> {
    let vector_start = starts(buckets.vectors());
    let floats = vector_start[BUCKETS] as usize * VECTOR;
    let largest = buckets.vectors().max().unwrap_or(0) * VECTOR;
    let (grid, block) = (grid_for(floats / VECTOR, FIRST_THREADS), [FIRST_THREADS, 1, 1]);
    let texture = host.texture(from, VECTOR)?;
    host.launch("merge_first", grid, block, args![texture, to, floats])?;
    host.write_symbol("vector_start", &vector_start)?;
    host.write_symbol("final_start", &starts(buckets.sizes.iter().copied()))?;
    host.write_symbol("padding", &buckets.padding())?;
    let mut vectors = 2;
    loop {
        let threads_per_bucket = largest.div_ceil(vectors * VECTOR).max(1);
        let needed = (threads_per_bucket * BUCKETS) as u32;
        let (mut blocks, mut threads) = (needed.div_ceil(MERGE_THREADS), MERGE_THREADS);
        if blocks < FEWEST_MERGE_BLOCKS {
            blocks = FEWEST_MERGE_BLOCKS;
            threads = needed.div_ceil(blocks);
        }
        std::mem::swap(&mut from, &mut to);
        let texture = host.texture(from, VECTOR)?;
        let arguments = args![texture, to, vectors, threads_per_bucket];
        host.launch("merge_pass", [blocks, 1, 1], [threads, 1, 1], arguments)?;
        if threads_per_bucket == 1 {
            break;
        }
        vectors *= 2;
    }
    let grid = [(largest as u32).div_ceil(FIRST_THREADS).max(1), BUCKETS as u32, 1];
    host.launch("pack", grid, [FIRST_THREADS, 1, 1], args![to, from])?;
    Ok(from)
}
