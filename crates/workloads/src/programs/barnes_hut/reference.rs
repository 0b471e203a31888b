//! The same time step on the CPU. Bodies are taken in the order of the tree, a warp at a time: a cell is opened for all of a
//! warp's bodies if it is too near for one of them.

use super::{Cluster, LANES, SOFTENING, TIME_STEP, TOLERANCE};

/// What a time step gives.
pub(super) struct Step {
    pub acceleration: Vec<[f32; 3]>,
    pub place: Vec<[f32; 3]>,
}

pub(super) fn step(cluster: &Cluster, mass: f32) -> Step {
    let place = &cluster.place;
    let tree = Octree::build(place);
    let mut order = Vec::with_capacity(place.len());
    tree.list_bodies(0, &mut order);
    let mut acceleration = vec![[0.0; 3]; place.len()];
    // The original takes the whole side of the cube where a child of the root is half as wide.
    let reach = (2.0 * tree.radius).powi(2) / (TOLERANCE * TOLERANCE);
    for warp in order.chunks(LANES) {
        tree.pull(0, warp, reach, place, mass, &mut acceleration);
    }
    let moved = |body: usize, axis: usize| {
        let half_way = cluster.velocity[body][axis] + acceleration[body][axis] * TIME_STEP * 0.5;
        place[body][axis] + half_way * TIME_STEP
    };
    let place = (0..place.len()).map(|body| std::array::from_fn(|axis| moved(body, axis))).collect();
    Step { acceleration, place }
}

/// Cells with their bodies' mass centre; the first is the root.
struct Octree {
    cells: Vec<Cell>,
    radius: f32,
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
    fn build(place: &[[f32; 3]]) -> Self {
        let (centre, radius) = bounds(place);
        let mut tree = Self { cells: vec![Cell::new()], radius };
        for (body, &p) in place.iter().enumerate() {
            tree.insert(body, p, place, centre);
        }
        tree
    }

    fn insert(&mut self, body: usize, p: [f32; 3], place: &[[f32; 3]], mut centre: [f32; 3]) {
        let (mut cell, mut r) = (0, self.radius * 0.5);
        loop {
            self.cells[cell].add(p);
            let branch = octant(centre, p);
            let inner = toward(centre, branch, r);
            match self.cells[cell].children[branch] {
                Child::None => {
                    self.cells[cell].children[branch] = Child::Body(body);
                    return;
                }
                Child::Cell(next) => cell = next,
                Child::Body(other) => {
                    let mut grown = Cell::new();
                    grown.add(place[other]);
                    grown.children[octant(inner, place[other])] = Child::Body(other);
                    self.cells.push(grown);
                    let fresh = self.cells.len() - 1;
                    self.cells[cell].children[branch] = Child::Cell(fresh);
                    cell = fresh;
                }
            }
            centre = inner;
            r *= 0.5;
        }
    }

    /// The bodies of a cell, octant by octant.
    fn list_bodies(&self, cell: usize, order: &mut Vec<usize>) {
        for child in self.cells[cell].children {
            match child {
                Child::None => {}
                Child::Body(body) => order.push(body),
                Child::Cell(next) => self.list_bodies(next, order),
            }
        }
    }

    fn pull(
        &self,
        cell: usize,
        warp: &[usize],
        reach: f32,
        place: &[[f32; 3]],
        mass: f32,
        acceleration: &mut [[f32; 3]],
    ) {
        for child in self.cells[cell].children {
            let (at, weight, inside) = match child {
                Child::None => continue,
                Child::Body(other) => (place[other], mass, None),
                Child::Cell(next) => {
                    let Cell { bodies, sum, .. } = &self.cells[next];
                    (sum.map(|s| (s / bodies) as f32), mass * *bodies as f32, Some(next))
                }
            };
            let toward =
                |body: usize| -> [f32; 3] { std::array::from_fn(|axis| at[axis] - place[body][axis]) };
            let softened = |d: [f32; 3]| d.iter().map(|c| c * c).sum::<f32>() + SOFTENING * SOFTENING;
            let limit = reach + SOFTENING * SOFTENING;
            let is_near = |&body: &usize| softened(toward(body)) < limit;
            match inside {
                Some(next) if warp.iter().any(is_near) => {
                    self.pull(next, warp, 0.25 * reach, place, mass, acceleration);
                }
                _ => {
                    for &body in warp {
                        let d = toward(body);
                        let pull = weight / softened(d).powf(1.5);
                        acceleration[body] =
                            std::array::from_fn(|axis| acceleration[body][axis] + d[axis] * pull);
                    }
                }
            }
        }
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

/// The centre and half side of a cube around all bodies.
fn bounds(place: &[[f32; 3]]) -> ([f32; 3], f32) {
    let extreme = |pick: fn(f32, f32) -> f32| -> [f32; 3] {
        std::array::from_fn(|axis| place.iter().map(|p| p[axis]).reduce(pick).unwrap_or(0.0))
    };
    let (low, high) = (extreme(f32::min), extreme(f32::max));
    let centre = std::array::from_fn(|axis| (low[axis] + high[axis]) * 0.5);
    let width = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0f32, f32::max);
    (centre, width * 0.5)
}

fn octant(centre: [f32; 3], p: [f32; 3]) -> usize {
    (0..3).map(|axis| usize::from(centre[axis] < p[axis]) << axis).sum()
}

/// The centre of an octant, rounded as on the device.
fn toward(centre: [f32; 3], branch: usize, r: f32) -> [f32; 3] {
    std::array::from_fn(|axis| centre[axis] + if branch >> axis & 1 == 1 { r } else { -r })
}
