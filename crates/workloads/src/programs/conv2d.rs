//! A 3 × 3 convolution of a picture in single precision.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "conv2d",
    summary: "3×3 convolution",
    class: Class::Float,
    papers: &[(Paper::Dsm, "P-2DCNV")],
    is_cache_sensitive: false,
    buffers: &[approximable("in", ElementType::F32), approximable("out", ElementType::F32)],
    input: Some(InputKind::Picture),
    data_sets: &[
        DataSet::new("uniform", "PolyBench: rand() / RAND_MAX"),
        DataSet::new("picture", "fractal 8-bit picture"),
    ],
    ptx: include_str!("../../kernels/conv2d.ptx"),
    run,
};

const TILE: [u32; 3] = [32, 8, 1];
const WEIGHTS: [[f64; 3]; 3] = [[0.2, 0.5, -0.8], [-0.3, 0.6, -0.9], [0.4, 0.7, 0.1]];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let side = host.size(host.scale().pick(64, 640, 4096), 3..=16_384)?;
    let (width, height, pixels) = match (host.input(), host.data()) {
        (None, "uniform") => {
            let mut rng = host.rng(1);
            (side, side, (0..side * side).map(|_| rng.uniform(0.0, 1.0)).collect())
        }
        _ => host.picture_input(side)?,
    };
    let input = host.upload("in", &pixels)?;
    let out = host.zeros::<f32>("out", width * height)?;
    let grid = [(width as u32).div_ceil(TILE[0]), (height as u32).div_ceil(TILE[1]), 1];
    host.launch("conv2d", grid, TILE, args![input, out, width, height])?;
    host.check("out", out, &reference(&pixels, width, height), Tolerance::relative(1e-5))
}

fn reference(pixels: &[f32], width: usize, height: usize) -> Vec<f32> {
    let mut out = vec![0.0; width * height];
    for y in 1..height.saturating_sub(1) {
        for x in 1..width.saturating_sub(1) {
            let mut sum = 0.0;
            for (dy, row) in WEIGHTS.iter().enumerate() {
                for (dx, weight) in row.iter().enumerate() {
                    sum += weight * f64::from(pixels[(y + dy - 1) * width + x + dx - 1]);
                }
            }
            out[y * width + x] = sum as f32;
        }
    }
    out
}
