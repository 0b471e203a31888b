//! A 7-point Jacobi stencil on a three-dimensional field.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::field;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "stencil",
    summary: "7-point 3-D stencil",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.STEN")],
    is_cache_sensitive: false,
    buffers: &[approximable("from", ElementType::F32), approximable("to", ElementType::F32)],
    input: None,
    data_sets: &[
        DataSet::new("uniform", "Parboil: rand() / RAND_MAX"),
        DataSet::new("bumps", "smooth field: generator of this suite"),
    ],
    ptx: include_str!("../../kernels/stencil.ptx"),
    run,
};

/// Threads of a thread block; each takes two columns.
const BLOCK: [u32; 3] = [32, 4, 1];
const C0: f32 = 1.0 / 6.0;
const C1: f32 = 1.0 / 36.0;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // Parboil's small and large data sets; it sweeps 100 times over each.
    let usual: [usize; 3] = host.scale().pick([70, 22, 6], [128, 128, 32], [512, 512, 64]);
    // A size is the number of points along both sides of a layer.
    let [nx, ny, nz] = match host.size(0, 0..=2048)? {
        0 => usual,
        side => [side.max(8), side.max(8), usual[2]],
    };
    let sweeps: usize = host.scale().pick(2, 1, 1);
    let mut rng = host.rng(1);
    let start: Vec<f32> = match host.data() {
        "bumps" => {
            let layer = field::bumps(nx, ny, 1.0, 4.0, 8, &mut rng);
            (0..nz).flat_map(|z| layer.iter().map(move |&value| value * (1.0 + 0.05 * z as f32))).collect()
        }
        _ => (0..nx * ny * nz).map(|_| rng.uniform(0.0, 1.0)).collect(),
    };

    let mut from = host.upload("from", &start)?;
    let mut to = host.upload("to", &start)?;
    let grid = [(nx as u32).div_ceil(2 * BLOCK[0]), (ny as u32).div_ceil(BLOCK[1]), 1];
    let shared_bytes = 4 * 2 * BLOCK[0] * BLOCK[1];
    for _ in 0..sweeps {
        host.launch_with_shared("stencil", grid, BLOCK, shared_bytes, args![C0, C1, from, to, nx, ny, nz])?;
        std::mem::swap(&mut from, &mut to);
    }
    let expected = (0..sweeps).fold(start, |field, _| sweep(&field, [nx, ny, nz]));
    host.check("to", from, &expected, Tolerance::relative(1e-5))
}

fn sweep(from: &[f32], [nx, ny, nz]: [usize; 3]) -> Vec<f32> {
    let mut to = from.to_vec();
    for z in 1..nz - 1 {
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let i = (z * ny + y) * nx + x;
                let around = from[i + nx * ny]
                    + from[i - nx * ny]
                    + from[i + nx]
                    + from[i - nx]
                    + from[i + 1]
                    + from[i - 1];
                to[i] = C1 * around - C0 * from[i];
            }
        }
    }
    to
}
