//! Parallel sum of bytes held in integers, until one number is left.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "reduction",
    summary: "parallel sum",
    class: Class::Integer,
    papers: &[(Paper::Dsm, "N-RED")],
    is_cache_sensitive: false,
    buffers: &[exact("in", ElementType::I32), exact("out", ElementType::I32)],
    input: None,
    data_sets: &[DataSet::new("bytes", "CUDA SDK: rand() & 0xff as integers")],
    ptx: include_str!("../../kernels/reduction.ptx"),
    run,
};

const THREADS: u32 = 256;
const BLOCKS: u32 = 64;
/// Threads that add the sums of all thread blocks, two each.
const LAST_THREADS: u32 = BLOCKS / 2;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let least = (2 * THREADS * BLOCKS) as usize;
    let count =
        host.size(host.scale().pick(least, 1 << 20, 1 << 24), 1..=1 << 28)?.next_power_of_two().max(least);
    let mut rng = host.rng(1);
    let values: Vec<i32> = (0..count).map(|_| rng.below(256) as i32).collect();

    let input = host.upload("in", &values)?;
    let out = host.zeros::<i32>("out", BLOCKS as usize)?;
    // One warp reads 16 sums past those that it keeps, as in the sample.
    let shared = |threads: u32| 4 * threads.max(2 * LAST_THREADS);
    host.launch_with_shared(
        "reduction_256",
        [BLOCKS, 1, 1],
        [THREADS, 1, 1],
        shared(THREADS),
        args![input, out, count],
    )?;
    let arguments = args![out, out, BLOCKS];
    host.launch_with_shared(
        "reduction_32",
        [1, 1, 1],
        [LAST_THREADS, 1, 1],
        shared(LAST_THREADS),
        arguments,
    )?;
    let expected = values.iter().fold(0i32, |sum, &value| sum.wrapping_add(value));
    let sums = host.download(out)?;
    host.check_values("out", &sums[..1], &[expected], Tolerance::Exact)
}
