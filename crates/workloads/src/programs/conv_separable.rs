//! A separable convolution of radius 8: rows, then columns, through shared memory.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "conv-separable",
    summary: "separable row and column convolution of radius 8",
    class: Class::Float,
    papers: &[(Paper::E2mc, "CS")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("in", ElementType::F32),
        approximable("rows", ElementType::F32),
        approximable("out", ElementType::F32),
    ],
    input: Some(InputKind::Picture),
    data_sets: OURS,
    ptx: include_str!("../../kernels/conv-separable.ptx"),
    run,
};

const ROW_TILE: u32 = 128;
const COLUMN_TILE: [u32; 2] = [16, 48];
const RADIUS: usize = 8;
/// A Gaussian, as the kernel has it; symmetric around the last entry.
const WEIGHTS: [f64; RADIUS + 1] =
    [0.00026, 0.00136, 0.00568, 0.01860, 0.04776, 0.09615, 0.15172, 0.18761, 0.19772];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (width, height, pixels) = host.picture_input(host.scale().pick(96, 384, 2048))?;
    let input = host.upload("in", &pixels)?;
    let rows = host.zeros::<f32>("rows", width * height)?;
    let out = host.zeros::<f32>("out", width * height)?;
    let row_grid = [(width as u32).div_ceil(ROW_TILE), height as u32, 1];
    host.launch("convolve_rows", row_grid, [ROW_TILE, 1, 1], args![input, rows, width])?;
    let column_grid = [(width as u32).div_ceil(COLUMN_TILE[0]), (height as u32).div_ceil(COLUMN_TILE[1]), 1];
    host.launch("convolve_columns", column_grid, [COLUMN_TILE[0], 8, 1], args![rows, out, width, height])?;

    let across = pass(&pixels, width, height, 1, 0);
    let expected = pass(&across, width, height, 0, 1);
    host.check("out", out, &expected, Tolerance::relative(1e-5))
}

/// One pass along (dx, dy); outside the picture is zero.
fn pass(pixels: &[f32], width: usize, height: usize, dx: isize, dy: isize) -> Vec<f32> {
    let reach = RADIUS as isize;
    let sum_at = |index: usize| {
        let (x, y) = ((index % width) as isize, (index / width) as isize);
        let term = |k: isize| {
            let (x, y) = (x + k * dx, y + k * dy);
            let is_inside = (0..width as isize).contains(&x) && (0..height as isize).contains(&y);
            let value = if is_inside { pixels[y as usize * width + x as usize] } else { 0.0 };
            f64::from(value) * WEIGHTS[RADIUS - k.unsigned_abs()]
        };
        (-reach..=reach).map(term).sum::<f64>() as f32
    };
    (0..width * height).map(sum_at).collect()
}
