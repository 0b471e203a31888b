//! Lattice Boltzmann fluid flow around obstacles, D3Q19.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "lbm",
    summary: "lattice Boltzmann step",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.LBM")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("from", ElementType::F32),
        approximable("to", ElementType::F32),
        exact("is_obstacle", ElementType::U8),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/lbm.ptx"),
    run,
};

const Q: usize = 19;
const OMEGA: f32 = 1.2;
/// Velocity, and the number of the opposite one.
const DIRECTIONS: [([isize; 3], usize); Q] = [
    ([0, 0, 0], 0),
    ([0, 1, 0], 2),
    ([0, -1, 0], 1),
    ([1, 0, 0], 4),
    ([-1, 0, 0], 3),
    ([0, 0, 1], 6),
    ([0, 0, -1], 5),
    ([1, 1, 0], 10),
    ([-1, 1, 0], 9),
    ([1, -1, 0], 8),
    ([-1, -1, 0], 7),
    ([0, 1, 1], 14),
    ([0, 1, -1], 13),
    ([0, -1, 1], 12),
    ([0, -1, -1], 11),
    ([1, 0, 1], 18),
    ([1, 0, -1], 17),
    ([-1, 0, 1], 16),
    ([-1, 0, -1], 15),
];

fn weight(i: usize) -> f32 {
    match i {
        0 => 1.0 / 3.0,
        1..7 => 1.0 / 18.0,
        _ => 1.0 / 36.0,
    }
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let size: [usize; 3] = host.scale().pick([32, 4, 4], [64, 16, 8], [120, 60, 30]);
    let steps: usize = host.scale().pick(2, 2, 3);
    let cells: usize = size.iter().product();
    let mut rng = host.rng(1);
    let is_obstacle: Vec<u8> = (0..cells).map(|_| u8::from(rng.unit() < 0.06)).collect();
    // Fluid moving slowly along x, with a density wave.
    let start: Vec<f32> = (0..Q * cells)
        .map(|index| {
            let (i, x) = (index / cells, index % cells % size[0]);
            let density = 1.0 + 0.01 * libm::sin(std::f64::consts::TAU * x as f64 / size[0] as f64) as f32;
            let along = 3.0 * 0.05 * DIRECTIONS[i].0[0] as f32;
            weight(i) * density * (1.0 + along + 0.5 * along * along - 1.5 * 0.05 * 0.05)
        })
        .collect();

    let mut from = host.upload("from", &start)?;
    let mut to = host.zeros::<f32>("to", Q * cells)?;
    let obstacles = host.upload("is_obstacle", &is_obstacle)?;
    let (grid, block) = ([size[1] as u32, size[2] as u32, 1], [size[0] as u32, 1, 1]);
    for _ in 0..steps {
        host.launch("lbm", grid, block, args![from, to, obstacles, size[0], size[1], size[2], OMEGA])?;
        std::mem::swap(&mut from, &mut to);
    }
    let expected = (0..steps).fold(start, |field, _| step(&field, &is_obstacle, size));
    host.check("to", from, &expected, Tolerance::Relative { relative: 1e-4, floor: 0.01 })
}

fn step(from: &[f32], is_obstacle: &[u8], size: [usize; 3]) -> Vec<f32> {
    let cells = is_obstacle.len();
    let mut to = vec![0.0; from.len()];
    for cell in 0..cells {
        let mut f: [f32; Q] = std::array::from_fn(|i| from[i * cells + cell]);
        if is_obstacle[cell] == 0 {
            collide(&mut f);
        }
        let at = [cell % size[0], cell / size[0] % size[1], cell / (size[0] * size[1])];
        for (i, &value) in f.iter().enumerate() {
            let go = if is_obstacle[cell] == 1 { DIRECTIONS[i].1 } else { i };
            let next: [usize; 3] = std::array::from_fn(|axis| {
                (at[axis] + size[axis]).wrapping_add_signed(DIRECTIONS[go].0[axis]) % size[axis]
            });
            to[go * cells + (next[2] * size[1] + next[1]) * size[0] + next[0]] = value;
        }
    }
    to
}

fn collide(f: &mut [f32; Q]) {
    let density: f32 = f.iter().sum();
    let u: [f32; 3] = std::array::from_fn(|axis| {
        f.iter().zip(&DIRECTIONS).map(|(value, direction)| value * direction.0[axis] as f32).sum::<f32>()
            / density
    });
    let rest = 1.5 * u.iter().map(|c| c * c).sum::<f32>();
    for (i, value) in f.iter_mut().enumerate() {
        let along = 3.0 * (0..3).map(|axis| DIRECTIONS[i].0[axis] as f32 * u[axis]).sum::<f32>();
        let equilibrium = weight(i) * density * (1.0 + along + 0.5 * along * along - rest);
        *value += OMEGA * (equilibrium - *value);
    }
}
