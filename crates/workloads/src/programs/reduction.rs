//! Parallel sum of bytes held in integers, until one number is left.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "reduction",
    summary: "parallel sum",
    class: Class::Integer,
    papers: &[(Paper::Dsm, "N-RED")],
    is_cache_sensitive: false,
    buffers: &[
        exact("in", ElementType::I32),
        exact("partial", ElementType::I32),
        exact("total", ElementType::I32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/reduction.ptx"),
    run,
};

const THREADS: u32 = 256;
const BLOCKS: u32 = 64;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let count: usize = host.scale().pick(10_000, 1 << 20, 1 << 24);
    let mut rng = host.rng(1);
    let values: Vec<i32> = (0..count).map(|_| rng.below(256) as i32).collect();

    let input = host.upload("in", &values)?;
    let partial = host.zeros::<i32>("partial", BLOCKS as usize)?;
    let total = host.zeros::<i32>("total", 1)?;
    host.launch("reduction", [BLOCKS, 1, 1], [THREADS, 1, 1], args![input, partial, count])?;
    host.launch("reduction", [1, 1, 1], [THREADS, 1, 1], args![partial, total, BLOCKS])?;
    let expected = values.iter().fold(0i32, |sum, &value| sum.wrapping_add(value));
    host.check("total", total, &[expected], Tolerance::Exact)
}
