//! n-body forces through an octree (Barnes & Hut).

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::Rng;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "barnes-hut",
    summary: "n-body with an octree",
    class: Class::Mixed,
    papers: &[(Paper::Bpc, "L.BH")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("place", ElementType::F32),
        approximable("mass", ElementType::F32),
        exact("child", ElementType::I32),
        exact("next_cell", ElementType::I32),
        exact("failed", ElementType::I32),
        exact("is_done", ElementType::I32),
        exact("left", ElementType::I32),
        approximable("acceleration", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/barnes-hut.ptx"),
    run,
};

const THREADS: u32 = 128;
const EMPTY: i32 = -1;
const THETA: f32 = 0.5;
const SOFTENING: f32 = 0.05;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let bodies: usize = host.scale().pick(200, 768, 16_384);
    let most_cells = 2 * bodies + 64;
    let place = plummer(bodies, &mut host.rng(1));
    let body_mass = 1.0 / bodies as f32;
    let (centre, radius) = bounds(&place);

    let mut places = place.as_flattened().to_vec();
    places.resize(3 * (bodies + most_cells), 0.0);
    let mut masses = vec![body_mass; bodies];
    masses.resize(bodies + most_cells, 0.0);
    let place_buffer = host.upload("place", &places)?;
    let mass = host.upload("mass", &masses)?;
    let child = host.upload("child", &vec![EMPTY; 8 * most_cells])?;
    let next_cell = host.upload("next_cell", &[bodies as i32 + 1])?;
    let failed = host.zeros::<i32>("failed", 1)?;
    let (grid, block) = (grid_for(bodies, THREADS), [THREADS, 1, 1]);
    let [cx, cy, cz] = centre;
    let arguments = args![place_buffer, child, next_cell, bodies, most_cells, cx, cy, cz, radius, failed];
    host.launch("build_tree", grid, block, arguments)?;
    host.check("failed", failed, &[0], Tolerance::Exact)?;

    let cells = host.download(next_cell)?[0] as usize - bodies;
    let is_done = host.zeros::<i32>("is_done", cells)?;
    let left = host.upload("left", &[1i32])?;
    while host.download(left)? == [1] {
        host.write(left, &[0])?;
        let arguments = args![place_buffer, mass, child, is_done, left, bodies, cells];
        host.launch("summarize", grid_for(cells, THREADS), block, arguments)?;
    }
    let acceleration = host.zeros::<f32>("acceleration", 3 * bodies)?;
    let size2 = 4.0 * radius * radius;
    let arguments = args![
        place_buffer,
        mass,
        child,
        acceleration,
        bodies,
        size2,
        1.0 / (THETA * THETA),
        SOFTENING * SOFTENING
    ];
    host.launch("forces", grid, block, arguments)?;

    let tree = Octree::build(&place, centre, radius);
    let expected: Vec<f32> = place
        .iter()
        .enumerate()
        .flat_map(|(body, &p)| tree.pull(0, body, p, size2 / (THETA * THETA), &place, body_mass))
        .collect();
    // Where rounding opens one cell more or less, the sum moves by the error of the method itself.
    host.check("acceleration", acceleration, &expected, Tolerance::relative(1e-2))
}

/// A Plummer sphere, the usual star cluster, cut at ten radii.
fn plummer(count: usize, rng: &mut Rng) -> Vec<[f32; 3]> {
    let mut place = Vec::with_capacity(count);
    while place.len() < count {
        let radius = 1.0 / (libm::pow(rng.unit().max(1e-9), -2.0 / 3.0) - 1.0).sqrt();
        let v = [rng.normal(), rng.normal(), rng.normal()];
        let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        if radius < 10.0 && length > 0.0 {
            place.push(v.map(|c| (c / length * radius) as f32));
        }
    }
    place
}

/// The centre and half side of a cube around all bodies.
fn bounds(place: &[[f32; 3]]) -> ([f32; 3], f32) {
    let extreme = |pick: fn(f32, f32) -> f32| -> [f32; 3] {
        std::array::from_fn(|axis| place.iter().map(|p| p[axis]).reduce(pick).unwrap_or(0.0))
    };
    let (low, high) = (extreme(f32::min), extreme(f32::max));
    let centre = std::array::from_fn(|axis| (low[axis] + high[axis]) * 0.5);
    let radius = (0..3).map(|axis| (high[axis] - low[axis]) * 0.5).fold(0.0f32, f32::max);
    (centre, radius * 1.001)
}

/// The same tree on the CPU: cells with their bodies' mass centre.
struct Octree {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy)]
enum Child {
    None,
    Body(usize),
    Cell(usize),
}

struct Cell {
    children: [Child; 8],
    bodies: f64,
    sum: [f64; 3],
}

impl Octree {
    fn build(place: &[[f32; 3]], centre: [f32; 3], radius: f32) -> Self {
        let mut tree = Self { cells: vec![Cell::new()] };
        for (body, &p) in place.iter().enumerate() {
            tree.insert(body, p, place, centre, radius);
        }
        tree
    }

    fn insert(&mut self, body: usize, p: [f32; 3], place: &[[f32; 3]], mut centre: [f32; 3], radius: f32) {
        let (mut cell, mut r) = (0, radius * 0.5);
        loop {
            self.cells[cell].add(p);
            let branch = octant(p, centre);
            match self.cells[cell].children[branch] {
                Child::None => {
                    self.cells[cell].children[branch] = Child::Body(body);
                    return;
                }
                Child::Cell(next) => cell = next,
                Child::Body(other) => {
                    let fresh = self.cells.len();
                    let inner = octant(place[other], toward(centre, branch, r));
                    let mut grown = Cell::new();
                    grown.add(place[other]);
                    grown.children[inner] = Child::Body(other);
                    self.cells.push(grown);
                    self.cells[cell].children[branch] = Child::Cell(fresh);
                    cell = fresh;
                }
            }
            centre = toward(centre, branch, r);
            r *= 0.5;
        }
    }

    fn pull(
        &self,
        cell: usize,
        body: usize,
        p: [f32; 3],
        limit: f32,
        place: &[[f32; 3]],
        mass: f32,
    ) -> [f32; 3] {
        let mut total = [0.0f32; 3];
        for child in self.cells[cell].children {
            let (at, weight, inside) = match child {
                Child::None => continue,
                Child::Body(other) if other == body => continue,
                Child::Body(other) => (place[other], mass, None),
                Child::Cell(next) => {
                    let Cell { bodies, sum, .. } = &self.cells[next];
                    (sum.map(|s| (s / bodies) as f32), mass * *bodies as f32, Some(next))
                }
            };
            let d: [f32; 3] = std::array::from_fn(|axis| at[axis] - p[axis]);
            let r2: f32 = d.iter().map(|c| c * c).sum();
            let part = match inside {
                Some(next) if r2 < 0.25 * limit => self.pull(next, body, p, 0.25 * limit, place, mass),
                _ => d.map(|c| c * weight / (r2 + SOFTENING * SOFTENING).powf(1.5)),
            };
            total = std::array::from_fn(|axis| total[axis] + part[axis]);
        }
        total
    }
}

impl Cell {
    fn new() -> Self {
        Self { children: [Child::None; 8], bodies: 0.0, sum: [0.0; 3] }
    }

    fn add(&mut self, p: [f32; 3]) {
        self.bodies += 1.0;
        self.sum = std::array::from_fn(|axis| self.sum[axis] + f64::from(p[axis]));
    }
}

fn octant(p: [f32; 3], centre: [f32; 3]) -> usize {
    (0..3).map(|axis| usize::from(p[axis] > centre[axis]) << axis).sum()
}

fn toward(centre: [f32; 3], branch: usize, r: f32) -> [f32; 3] {
    std::array::from_fn(|axis| if branch >> axis & 1 == 1 { centre[axis] + r } else { centre[axis] - r })
}
