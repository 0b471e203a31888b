//! Matrix transpose in eight variants, from a plain copy to diagonal order.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Scale, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "transpose",
    summary: "matrix transpose",
    class: Class::Float,
    papers: &[(Paper::E2mc, "TP")],
    is_cache_sensitive: false,
    buffers: &[approximable("in", ElementType::F32), approximable("out", ElementType::F32)],
    input: Some(InputKind::Picture),
    data_sets: &[
        DataSet::new("numbers", "CUDA SDK: the number of the element"),
        DataSet::new("picture", "fractal 8-bit picture"),
    ],
    ptx: include_str!("../../kernels/transpose.ptx"),
    run,
};

const TILE: usize = 16;

/// Where element (x, y) of the input goes, as (x, y) of the output.
type Move = fn((usize, usize)) -> (usize, usize);

/// The kernels in the order in which they run.
const KERNELS: [(&str, Move); 8] = [
    ("copy", stay),
    ("copy_shared", stay),
    ("transpose_naive", swap),
    ("transpose_coalesced", swap),
    ("transpose_no_conflicts", swap),
    ("transpose_coarse", swap_tiles),
    ("transpose_fine", swap_in_tiles),
    ("transpose_diagonal", swap),
];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (side, values) = square(host)?;
    // The sample runs every kernel once to warm up and then in a timed loop, here of one round.
    let rounds = if host.scale() == Scale::Paper { 2 } else { 1 };
    let input = host.upload("in", &values)?;
    let out = host.zeros::<f32>("out", values.len())?;
    let grid = [(side / TILE) as u32, (side / TILE) as u32, 1];
    for (kernel, moved) in KERNELS {
        for _ in 0..rounds {
            host.launch(kernel, grid, [TILE as u32, TILE as u32, 1], args![out, input, side, side])?;
        }
        let mut expected = vec![0.0; values.len()];
        for (index, &value) in values.iter().enumerate() {
            let (x, y) = moved((index % side, index / side));
            expected[y * side + x] = value;
        }
        host.check("out", out, &expected, Tolerance::Exact)?;
    }
    Ok(())
}

/// The matrix: the sample's running numbers, or a picture, of which the user's is cut to a square of whole tiles.
fn square(host: &Host<'_>) -> Result<(usize, Vec<f32>), InputFileError> {
    let side = host.size(host.scale().pick(64, 384, 1024), 1..=16_384)?.next_multiple_of(TILE);
    if host.input().is_none() && host.data() == "numbers" {
        return Ok((side, (0..side * side).map(|index| index as f32).collect()));
    }
    let (width, height, pixels) = host.picture_input(side)?;
    let side = width.min(height) / TILE * TILE;
    if side == 0 {
        return Err(InputFileError::at(
            0,
            format!("the picture is {width} × {height}; it needs at least 16 × 16"),
        ));
    }
    Ok((side, (0..side * side).map(|index| pixels[index / side * width + index % side]).collect()))
}

fn stay(place: (usize, usize)) -> (usize, usize) {
    place
}

fn swap((x, y): (usize, usize)) -> (usize, usize) {
    (y, x)
}

fn swap_tiles((x, y): (usize, usize)) -> (usize, usize) {
    (y / TILE * TILE + x % TILE, x / TILE * TILE + y % TILE)
}

fn swap_in_tiles((x, y): (usize, usize)) -> (usize, usize) {
    (x / TILE * TILE + y % TILE, y / TILE * TILE + x % TILE)
}
