//! Exclusive prefix sums of many short and of few long arrays.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "scan",
    summary: "prefix sum used for stream compaction",
    class: Class::Integer,
    papers: &[(Paper::E2mc, "SCAN")],
    is_cache_sensitive: false,
    buffers: &[
        exact("in", ElementType::U32),
        exact("out", ElementType::U32),
        exact("totals", ElementType::U32),
    ],
    input: None,
    data_sets: &[
        DataSet::new("random", "CUDA SDK: rand()"),
        DataSet::new("flags", "E2MC: flags of a stream compaction, a third of them set").of(&[Paper::E2mc]),
    ],
    ptx: include_str!("../../kernels/scan.ptx"),
    run,
};

const THREADS: u32 = 256;
const BLOCK: [u32; 3] = [THREADS, 1, 1];
/// Elements of a thread block: the longest short array.
const PART: usize = 1024;
/// Elements of the longest long array.
const LONGEST: usize = PART * THREADS as usize;
/// Elements that the sample reserves totals for.
const MOST: usize = 64 << 20;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let count = host.size(host.scale().pick(4 * PART, LONGEST, 26 * LONGEST), PART..=MOST)?;
    let long = count.min(LONGEST);
    let mut rng = host.rng(1);
    let values: Vec<u32> = match host.data() {
        "flags" => (0..count).map(|_| u32::from(rng.below(3) == 0)).collect(),
        // rand() gives 31 random bits.
        _ => (0..count).map(|_| (rng.bits() >> 33) as u32).collect(),
    };

    let input = host.upload("in", &values)?;
    let out = host.zeros::<u32>("out", count)?;
    let totals = host.zeros::<u32>("totals", MOST / PART)?;
    let parts = count / PART;
    let grid = [parts as u32, 1, 1];
    host.launch("scan_parts", grid, BLOCK, args![out, input, PART])?;
    host.check("out", out, &scan(&values, PART), Tolerance::Exact)?;

    host.launch("scan_parts", grid, BLOCK, args![out, input, PART])?;
    let total_blocks = (parts as u32).div_ceil(THREADS);
    host.launch("scan_totals", [total_blocks, 1, 1], BLOCK, args![totals, out, input, parts, long / PART])?;
    host.launch("add_totals", grid, BLOCK, args![out, totals])?;
    host.check("out", out, &scan(&values, long), Tolerance::Exact)
}

/// Exclusive sums within arrays of `length`.
fn scan(values: &[u32], length: usize) -> Vec<u32> {
    let mut sums = Vec::with_capacity(values.len());
    for array in values.chunks(length) {
        let mut sum = 0u32;
        for value in array {
            sums.push(sum);
            sum = sum.wrapping_add(*value);
        }
    }
    sums
}
