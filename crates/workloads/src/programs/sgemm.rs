//! Dense matrix product with register and shared-memory tiling.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::matrix;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "sgemm",
    summary: "tiled matrix product",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.SGEMM")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("a", ElementType::F32),
        approximable("b", ElementType::F32),
        approximable("c", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/sgemm.ptx"),
    run,
};

const TILE_M: usize = 128;
const TILE_N: usize = 16;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let size: usize = host.scale().pick(128, 256, 640);
    let mut rng = host.rng(1);
    let mut fill = || -> Vec<f32> { (0..size * size).map(|_| rng.uniform(0.0, 1.0)).collect() };
    let (a, b) = (fill(), fill());
    let c = vec![0.0f32; size * size];

    let a_buffer = host.upload("a", &a)?;
    let b_buffer = host.upload("b", &b)?;
    let c_buffer = host.upload("c", &c)?;
    let grid = [(size / TILE_M) as u32, (size / TILE_N) as u32, 1];
    let arguments = args![a_buffer, size, b_buffer, size, c_buffer, size, size, 1.0f32, 0.0f32];
    host.launch("sgemm", grid, [TILE_M as u32, 1, 1], arguments)?;

    // Columns of A are rows of its transpose, so Cᵀ = B' A' with both read row by row after swapping roles.
    let expected = matrix::product(&transposed(&b, size), &a, size);
    host.check("c", c_buffer, &expected, Tolerance::relative(1e-4))
}

fn transposed(a: &[f32], size: usize) -> Vec<f32> {
    (0..size * size).map(|index| a[index % size * size + index / size]).collect()
}
