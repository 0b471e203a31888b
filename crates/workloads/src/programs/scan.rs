//! Prefix sums, used to compact a stream: what is below a threshold moves to the front, in order.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Buffer, Host, grid_for};
use crate::workload::{Class, ElementType, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "scan",
    summary: "prefix sum used for stream compaction",
    class: Class::Integer,
    papers: &[(Paper::E2mc, "SCAN")],
    is_cache_sensitive: false,
    buffers: &[
        exact("in", ElementType::U32),
        exact("flags", ElementType::U32),
        exact("positions", ElementType::U32),
        exact("out", ElementType::U32),
        exact("sums", ElementType::U32),
        exact("offsets", ElementType::U32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/scan.ptx"),
    run,
};

const THREADS: u32 = 256;
const PER_BLOCK: usize = 512;
const BLOCK: [u32; 3] = [THREADS, 1, 1];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let count: usize = host.scale().pick(5_000, 1 << 18, 1 << 22);
    let mut rng = host.rng(1);
    // Record numbers with a value field: values are small and skewed, so that about a third stays.
    let values: Vec<u32> = (0..count).map(|_| (rng.exponential() * 1000.0) as u32).collect();
    let threshold = 400u32;

    let input = host.upload("in", &values)?;
    let flags = host.zeros::<u32>("flags", count)?;
    let positions = host.zeros::<u32>("positions", count)?;
    let out = host.zeros::<u32>("out", count)?;
    host.launch("mark", grid_for(count, THREADS), BLOCK, args![input, flags, threshold, count])?;
    scan(host, flags, positions, count)?;
    host.launch("compact", grid_for(count, THREADS), BLOCK, args![input, flags, positions, out, count])?;

    let mut expected: Vec<u32> = values.iter().copied().filter(|&value| value < threshold).collect();
    expected.resize(count, 0);
    host.check("out", out, &expected, Tolerance::Exact)
}

/// An exclusive scan of any length: blocks, then the scan of their sums, then the offsets.
fn scan(host: &mut Host<'_>, from: Buffer<u32>, to: Buffer<u32>, count: usize) -> Result<(), Failure> {
    let blocks = count.div_ceil(PER_BLOCK);
    let grid = [blocks as u32, 1, 1];
    let sums = host.zeros::<u32>("sums", blocks)?;
    host.launch("scan_blocks", grid, BLOCK, args![from, to, sums, count])?;
    if blocks == 1 {
        return Ok(());
    }
    let offsets = host.zeros::<u32>("offsets", blocks)?;
    scan(host, sums, offsets, blocks)?;
    host.launch("add_offsets", grid, BLOCK, args![to, offsets, count])
}
