//! Dense matrix product straight from global memory.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::matrix;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "matmul",
    summary: "dense matrix product, straight from global memory",
    class: Class::Float,
    papers: &[(Paper::Latte, "MM")],
    is_cache_sensitive: true,
    buffers: &[
        approximable("a", ElementType::F32),
        approximable("b", ElementType::F32),
        approximable("c", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/matmul.ptx"),
    run,
};

const TILE: u32 = 16;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let size: usize = host.scale().pick(32, 128, 480);
    let (a, b) = (matrix::waves(size, size).values, matrix::exponential_decay(size));
    let a_buffer = host.upload("a", &a)?;
    let b_buffer = host.upload("b", &b)?;
    let c = host.zeros::<f32>("c", size * size)?;
    let tiles = (size as u32).div_ceil(TILE);
    host.launch("matmul", [tiles, tiles, 1], [TILE, TILE, 1], args![a_buffer, b_buffer, c, size])?;
    host.check("c", c, &matrix::product(&a, &b, size), Tolerance::relative(1e-4))
}
