//! Matrix–vector product with bf16 weights: what decoding one token of a language model does most.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::bf16;
use crate::workload::{Class, ElementType, OURS, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "gemv-bf16",
    summary: "bf16 matrix-vector product (LLM weight streaming)",
    class: Class::Float,
    papers: &[],
    is_cache_sensitive: false,
    buffers: &[
        approximable("weights", ElementType::Bf16),
        approximable("x", ElementType::F32),
        approximable("y", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/gemv-bf16.ptx"),
    run,
};

const THREADS: u32 = 256;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (rows, columns): (usize, usize) = host.scale().pick((64, 256), (1024, 2048), (4096, 11_008));
    let mut rng = host.rng(1);
    // Trained weights are close to normal, with a deviation of about 1/√columns.
    let deviation = 1.0 / (columns as f64).sqrt();
    let weights: Vec<u16> =
        (0..rows * columns).map(|_| bf16::from_f32((rng.normal() * deviation) as f32)).collect();
    let x: Vec<f32> = (0..columns).map(|_| rng.normal() as f32).collect();

    let weight_buffer = host.upload("weights", &weights)?;
    let x_buffer = host.upload("x", &x)?;
    let y = host.zeros::<f32>("y", rows)?;
    let arguments = args![weight_buffer, x_buffer, y, rows, columns];
    host.launch("gemv_bf16", grid_for(rows * 32, THREADS), [THREADS, 1, 1], arguments)?;
    let dot = |row: &[u16]| {
        row.iter().zip(&x).map(|(&w, &x)| f64::from(bf16::to_f32(w)) * f64::from(x)).sum::<f64>()
    };
    let expected: Vec<f32> = weights.chunks_exact(columns).map(|row| dot(row) as f32).collect();
    host.check("y", y, &expected, Tolerance::relative(1e-4))
}
