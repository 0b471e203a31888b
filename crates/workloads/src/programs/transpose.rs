//! Matrix transpose through shared memory.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "transpose",
    summary: "matrix transpose",
    class: Class::Float,
    papers: &[(Paper::E2mc, "TP")],
    is_cache_sensitive: false,
    buffers: &[approximable("in", ElementType::F32), approximable("out", ElementType::F32)],
    input: Some(InputKind::Picture),
    data_sets: OURS,
    ptx: include_str!("../../kernels/transpose.ptx"),
    run,
};

const TILE: u32 = 16;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (width, height, values) = host.picture_input(host.scale().pick(72, 512, 1024))?;
    let input = host.upload("in", &values)?;
    let out = host.zeros::<f32>("out", width * height)?;
    let grid = [(width as u32).div_ceil(TILE), (height as u32).div_ceil(TILE), 1];
    host.launch("transpose", grid, [TILE, TILE, 1], args![input, out, width, height])?;
    let expected: Vec<f32> =
        (0..width * height).map(|index| values[index % height * width + index / height]).collect();
    host.check("out", out, &expected, Tolerance::Exact)
}
