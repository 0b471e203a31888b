//! Lattice Boltzmann fluid flow around obstacles, D3Q19.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "lbm",
    summary: "lattice Boltzmann step",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.LBM")],
    is_cache_sensitive: false,
    buffers: &[
        // The flags of the cells lie among the numbers, so nothing here can lose bits.
        exact("from", ElementType::F32),
        exact("to", ElementType::F32),
    ],
    input: None,
    data_sets: &[
        DataSet::new("cavity", "Parboil: fluid at rest in a box whose ends move"),
        DataSet::new("wave", "moving fluid with a density wave: generator of this suite"),
    ],
    ptx: include_str!("../../kernels/lbm.ptx"),
    run,
};

const Q: usize = 19;
const OMEGA: f32 = 1.95;
/// Bits of a cell's flags, and the velocity of the cells beside the ends.
const SOLID: u32 = 1;
const LID: u32 = 2;
const LID_VELOCITY: [f32; 3] = [0.005, 0.002, 0.0];
/// Cells behind a line, and layers before and behind the lattice.
const PADDING: usize = 8;
const MARGIN: usize = 2;
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

/// The lattice in memory: 19 arrays of padded lines and one of flags, with a margin before the first and behind the last.
struct Lattice {
    size: [usize; 3],
    pitch: usize,
    layer: usize,
    cells: usize,
}

impl Lattice {
    fn new(size: [usize; 3]) -> Self {
        let pitch = size[0] + PADDING;
        let layer = pitch * size[1];
        Self { size, pitch, layer, cells: layer * (size[2] + 2 * MARGIN) }
    }

    /// Elements of the whole, and where cell (0, 0, 0) of velocity 0 lies.
    fn len(&self) -> usize {
        (Q + 1) * self.cells + 2 * MARGIN * self.layer * (Q + 1)
    }

    fn origin(&self) -> usize {
        MARGIN * self.layer
    }

    fn at(&self, velocity: usize, [x, y, z]: [usize; 3]) -> usize {
        self.origin() + velocity * self.cells + x + y * self.pitch + z * self.layer
    }

    /// Every cell.
    fn places(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [width, height, depth] = self.size;
        (0..width * height * depth).map(move |i| [i % width, i / width % height, i / (width * height)])
    }
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // The sizes are constants of the kernels.
    let (size, kernel): ([usize; 3], &str) =
        host.scale().pick(([30, 6, 5], "lbm_5"), ([120, 24, 14], "lbm_14"), ([120, 120, 150], "lbm_150"));
    let lattice = Lattice::new(size);
    let steps: usize = host.scale().pick(3, 2, 1);
    let start = initial(&lattice, host.data() == "wave");

    let from = host.upload("from", &start)?;
    let to = host.upload("to", &start)?;
    let (mut from, mut to) = (from.skip(lattice.origin()), to.skip(lattice.origin()));
    let [width, height, depth] = lattice.size.map(|extent| extent as u32);
    for _ in 0..steps {
        host.launch(kernel, [height, depth, 1], [width, 1, 1], args![from, to])?;
        std::mem::swap(&mut from, &mut to);
    }
    let expected = (0..steps).fold(start, |field, _| step(&field, &lattice));
    let compared = |values: &[f32]| -> Vec<f32> {
        let inside = |velocity: usize| lattice.places().map(move |place| (velocity, place));
        (0..Q).flat_map(inside).map(|(velocity, place)| values[lattice.at(velocity, place)]).collect()
    };
    let got: Vec<f32> = [vec![0.0; lattice.origin()], host.download(from)?].concat();
    let tolerance = Tolerance::Relative { relative: 1e-4, floor: 0.01 };
    host.check_values("to", &compared(&got), &compared(&expected), tolerance)
}

/// A box with solid walls; the cells beside two of them, except at their edges, have the velocity of a lid.
fn initial(lattice: &Lattice, is_wave: bool) -> Vec<f32> {
    let mut start = vec![0.0; lattice.len()];
    for place in lattice.places() {
        let distance = |axis: usize| place[axis].min(lattice.size[axis] - 1 - place[axis]);
        let flags = match [distance(0), distance(1), distance(2)] {
            [0, _, _] | [_, 0, _] | [_, _, 0] => SOLID,
            [x, y, 1] if x > 1 && y > 1 => LID,
            _ => 0,
        };
        start[lattice.at(Q, place)] = f32::from_bits(flags);
        let part = std::f64::consts::TAU * place[0] as f64 / lattice.size[0] as f64;
        let density = if is_wave { 1.0 + 0.01 * libm::sin(part) as f32 } else { 1.0 };
        for (velocity, (direction, _)) in DIRECTIONS.iter().enumerate() {
            let along = if is_wave { 3.0 * 0.05 * direction[0] as f32 } else { 0.0 };
            let moved = if is_wave { 1.0 + along + 0.5 * along * along - 1.5 * 0.05 * 0.05 } else { 1.0 };
            start[lattice.at(velocity, place)] = weight(velocity) * density * moved;
        }
    }
    start
}

fn step(from: &[f32], lattice: &Lattice) -> Vec<f32> {
    let mut to = from.to_vec();
    for place in lattice.places() {
        let mut f: [f32; Q] = std::array::from_fn(|i| from[lattice.at(i, place)]);
        match from[lattice.at(Q, place)].to_bits() {
            SOLID => f = std::array::from_fn(|i| f[DIRECTIONS[i].1]),
            flags => collide(&mut f, (flags == LID).then_some(LID_VELOCITY)),
        }
        for (i, &value) in f.iter().enumerate() {
            let [dx, dy, dz] = DIRECTIONS[i].0;
            let by = dx + dy * lattice.pitch as isize + dz * lattice.layer as isize;
            to[lattice.at(i, place).wrapping_add_signed(by)] = value;
        }
    }
    to
}

fn collide(f: &mut [f32; Q], imposed: Option<[f32; 3]>) {
    let density: f32 = f.iter().sum();
    let mean = |axis: usize| {
        f.iter().zip(&DIRECTIONS).map(|(value, direction)| value * direction.0[axis] as f32).sum::<f32>()
            / density
    };
    let u = imposed.unwrap_or_else(|| [mean(0), mean(1), mean(2)]);
    let rest = 1.5 * u.iter().map(|c| c * c).sum::<f32>();
    for (i, value) in f.iter_mut().enumerate() {
        let along = 3.0 * (0..3).map(|axis| DIRECTIONS[i].0[axis] as f32 * u[axis]).sum::<f32>();
        let equilibrium = weight(i) * density * (1.0 + along + 0.5 * along * along - rest);
        *value += OMEGA * (equilibrium - *value);
    }
}
