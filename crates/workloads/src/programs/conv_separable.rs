//! A separable convolution of radius 8: rows, then columns, through shared memory.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "conv-separable",
    summary: "separable row and column convolution of radius 8",
    class: Class::Float,
    papers: &[(Paper::E2mc, "CS")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("in", ElementType::F32),
        approximable("out", ElementType::F32),
        approximable("rows", ElementType::F32),
    ],
    input: Some(InputKind::Picture),
    data_sets: &[
        DataSet::new("integers", "CUDA SDK: rand() % 16 as floats, pixels and weights"),
        DataSet::new("picture", "fractal 8-bit picture, Gaussian weights"),
    ],
    ptx: include_str!("../../kernels/conv-separable.ptx"),
    run,
};

/// Results of a row block and of a column block, which the picture must be a multiple of.
const ROW_TILE: [usize; 2] = [128, 4];
const COLUMN_TILE: [usize; 2] = [16, 64];
const RADIUS: usize = 8;
const GAUSSIAN: [f32; RADIUS + 1] =
    [0.00026, 0.00136, 0.00568, 0.01860, 0.04776, 0.09615, 0.15172, 0.18761, 0.19772];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let Input { width, height, pixels, weights } = input(host)?;
    host.write_symbol("weights", &weights)?;
    let from = host.upload("in", &pixels)?;
    let out = host.zeros::<f32>("out", width * height)?;
    let rows = host.zeros::<f32>("rows", width * height)?;
    let grid = |tile: [usize; 2]| [(width / tile[0]) as u32, (height / tile[1]) as u32, 1];
    host.launch("convolve_rows", grid(ROW_TILE), [16, 4, 1], args![rows, from, width, height, width])?;
    let arguments = args![out, rows, width, height, width];
    host.launch("convolve_columns", grid(COLUMN_TILE), [16, 8, 1], arguments)?;

    let across = pass(&pixels, &weights, [width, height], [1, 0]);
    let expected = pass(&across, &weights, [width, height], [0, 1]);
    host.check("out", out, &expected, Tolerance::relative(1e-5))
}

struct Input {
    width: usize,
    height: usize,
    pixels: Vec<f32>,
    weights: Vec<f32>,
}

/// The sample's random integers, or a picture (the user's is cut to whole tiles) with Gaussian weights.
fn input(host: &Host<'_>) -> Result<Input, InputFileError> {
    let (tile_width, tile_height) = (ROW_TILE[0], COLUMN_TILE[1]);
    let side = host.size(host.scale().pick(128, 512, 3072), 1..=16_384)?.next_multiple_of(tile_width);
    if host.input().is_none() && host.data() == "integers" {
        let mut rng = host.rng(1);
        let weights = (0..=2 * RADIUS).map(|_| rng.below(16) as f32).collect();
        let pixels = (0..side * side).map(|_| rng.below(16) as f32).collect();
        return Ok(Input { width: side, height: side, pixels, weights });
    }
    let (whole_width, whole_height, picture) = host.picture_input(side)?;
    let (width, height) = (whole_width / tile_width * tile_width, whole_height / tile_height * tile_height);
    if width * height == 0 {
        let what = format!("the picture is {whole_width} × {whole_height}; it needs at least 128 × 64");
        return Err(InputFileError::at(0, what));
    }
    let pixels = (0..width * height).map(|i| picture[i / width * whole_width + i % width]).collect();
    let weights = (0..=2 * RADIUS).map(|k| GAUSSIAN[RADIUS - k.abs_diff(RADIUS)]).collect();
    Ok(Input { width, height, pixels, weights })
}

/// One pass along (dx, dy); outside the picture is zero.
fn pass(pixels: &[f32], weights: &[f32], [width, height]: [usize; 2], [dx, dy]: [isize; 2]) -> Vec<f32> {
    let reach = RADIUS as isize;
    let sum_at = |index: usize| {
        let (x, y) = ((index % width) as isize, (index / width) as isize);
        let term = |k: isize| {
            let (x, y) = (x + k * dx, y + k * dy);
            let is_inside = (0..width as isize).contains(&x) && (0..height as isize).contains(&y);
            let value = if is_inside { pixels[y as usize * width + x as usize] } else { 0.0 };
            f64::from(value) * f64::from(weights[(reach - k) as usize])
        };
        (-reach..=reach).map(term).sum::<f64>() as f32
    };
    (0..width * height).map(sum_at).collect()
}
