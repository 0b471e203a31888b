//! Compressible flow on an unstructured grid: Euler solver with Runge–Kutta stages.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::Rng;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "cfd",
    summary: "unstructured-grid Euler solver step",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.CFD")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("areas", ElementType::F32),
        exact("neighbours", ElementType::I32),
        approximable("normals", ElementType::F32),
        approximable("variables", ElementType::F32),
        approximable("old", ElementType::F32),
        approximable("flux", ElementType::F32),
        approximable("factors", ElementType::F32),
    ],
    input: None,
    data_sets: &[
        DataSet::new("free-stream", "Rodinia: the free stream everywhere at first; the mesh is generated"),
        DataSet::new("disturbed", "the free stream with noise of 2 %: generator of this suite"),
    ],
    ptx: include_str!("../../kernels/cfd.ptx"),
    run,
};

const THREADS: u32 = 192;
const FACES: usize = 4;
const VARIABLES: usize = 5;
const STAGES: usize = 3;
const GAMMA: f32 = 1.4;
const SMOOTHING: f32 = 0.2;
const WALL: i32 = -1;
const FAR_FIELD: i32 = -2;
/// Density 1.4, flow of Mach 1.2 along x, pressure 1.
const FREE_STREAM: [f32; VARIABLES] = [1.4, 1.68, 0.0, 0.0, 3.508];

struct Mesh {
    neighbours: Vec<i32>,
    normals: Vec<f32>,
    areas: Vec<f32>,
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let side: usize = host.scale().pick(16, 96, 312);
    // A size is the number of cells.
    let side = host.size(side * side, 64..=1 << 22)?.isqrt();
    let steps: usize = host.scale().pick(1, 1, 4);
    let count = side * side;
    let mesh = mesh(side, &mut host.rng(1));
    let mut rng = host.rng(2);
    let noise = if host.data() == "disturbed" { 0.02 } else { 0.0 };
    let start: Vec<f32> = (0..VARIABLES * count)
        .map(|i| FREE_STREAM[i / count] * (1.0 + noise * rng.uniform(-1.0, 1.0)))
        .collect();

    host.write_symbol("far_field", &FREE_STREAM)?;
    let areas = host.upload("areas", &mesh.areas)?;
    let neighbours = host.upload("neighbours", &mesh.neighbours)?;
    let normals = host.upload("normals", &mesh.normals)?;
    let variables = host.zeros::<f32>("variables", start.len())?;
    let old = host.zeros::<f32>("old", start.len())?;
    let flux = host.zeros::<f32>("flux", start.len())?;
    let factors = host.zeros::<f32>("factors", count)?;
    let (grid, block) = (grid_for(count, THREADS), [THREADS, 1, 1]);
    for buffer in [variables, old, flux] {
        host.launch("initialize", grid, block, args![buffer, count])?;
    }
    if noise > 0.0 {
        host.write(variables, &start)?;
    }
    for _ in 0..steps {
        let now = host.download(variables)?;
        host.write(old, &now)?;
        host.launch("step_factors", grid, block, args![variables, areas, factors, count])?;
        for stage in 0..STAGES {
            let arguments = args![neighbours, normals, variables, flux, count];
            host.launch("fluxes", grid, block, arguments)?;
            let divisor = (STAGES - stage) as f32;
            host.launch("advance", grid, block, args![old, variables, factors, flux, divisor, count])?;
        }
    }
    let expected = (0..steps).fold(start, |state, _| step(&state, &mesh));
    host.check("variables", variables, &expected, Tolerance::relative(1e-3))
}

/// Cells of a distorted grid, numbered in random order as mesh generators leave them; walls below, far field around.
fn mesh(side: usize, rng: &mut Rng) -> Mesh {
    let count = side * side;
    let mut number: Vec<usize> = (0..count).collect();
    // Locality survives: cells are shuffled only within groups of neighbours.
    number.chunks_mut(16).for_each(|group| rng.shuffle(group));
    let mut mesh = Mesh {
        neighbours: vec![FAR_FIELD; FACES * count],
        normals: vec![0.0; 3 * FACES * count],
        areas: vec![0.0; count],
    };
    for y in 0..side {
        for x in 0..side {
            let cell = number[y * side + x];
            mesh.areas[cell] = 0.5 + 0.2 * rng.uniform(0.0, 1.0);
            let faces = [(-1, 0, x > 0), (1, 0, x + 1 < side), (0, -1, y > 0), (0, 1, y + 1 < side)];
            for (face, (dx, dy, is_inside)) in faces.into_iter().enumerate() {
                let at = cell + face * count;
                if is_inside {
                    let other = y.wrapping_add_signed(dy) * side + x.wrapping_add_signed(dx);
                    mesh.neighbours[at] = number[other] as i32;
                } else if dy == -1 {
                    mesh.neighbours[at] = WALL;
                }
                mesh.normals[at] = dx as f32 * 0.7;
                mesh.normals[at + FACES * count] = dy as f32 * 0.7;
                mesh.normals[at + 2 * FACES * count] = 0.05 * (face as f32 - 1.5);
            }
        }
    }
    mesh
}

type State = [f32; VARIABLES];

struct Derived {
    velocity: [f32; 3],
    pressure: f32,
    sound: f32,
    speed: f32,
}

fn derive(s: &State) -> Derived {
    let velocity = [s[1] / s[0], s[2] / s[0], s[3] / s[0]];
    let speed2: f32 = velocity.iter().map(|v| v * v).sum();
    let pressure = (GAMMA - 1.0) * (s[4] - 0.5 * s[0] * speed2);
    Derived { velocity, pressure, sound: (GAMMA * pressure / s[0]).sqrt(), speed: speed2.sqrt() }
}

fn load(variables: &[f32], cell: usize) -> State {
    let count = variables.len() / VARIABLES;
    std::array::from_fn(|k| variables[cell + k * count])
}

fn step(start: &[f32], mesh: &Mesh) -> Vec<f32> {
    let count = mesh.areas.len();
    let factor = |cell: usize| {
        let d = derive(&load(start, cell));
        0.5 / (mesh.areas[cell].sqrt() * (d.speed + d.sound))
    };
    let factors: Vec<f32> = (0..count).map(factor).collect();
    let mut variables = start.to_vec();
    for stage in 0..STAGES {
        let fluxes: Vec<State> = (0..count).map(|cell| flux(&variables, mesh, cell)).collect();
        for cell in 0..count {
            for k in 0..VARIABLES {
                let at = cell + k * count;
                variables[at] = start[at] - factors[cell] / (STAGES - stage) as f32 * fluxes[cell][k];
            }
        }
    }
    variables
}

fn flux(variables: &[f32], mesh: &Mesh, cell: usize) -> State {
    let count = mesh.areas.len();
    let mine = load(variables, cell);
    let own = derive(&mine);
    let mut sum = [0.0; VARIABLES];
    for face in 0..FACES {
        let normal: [f32; 3] = std::array::from_fn(|axis| mesh.normals[cell + (face + axis * FACES) * count]);
        let other = mesh.neighbours[cell + face * count];
        if other == WALL {
            for axis in 0..3 {
                sum[1 + axis] += own.pressure * normal[axis];
            }
            continue;
        }
        let theirs = if other >= 0 { load(variables, other as usize) } else { FREE_STREAM };
        let far = derive(&theirs);
        add_flux(&mut sum, &mine, &own, normal);
        add_flux(&mut sum, &theirs, &far, normal);
        if other >= 0 {
            let area = normal.iter().map(|n| n * n).sum::<f32>().sqrt();
            let factor = -area * SMOOTHING * 0.5 * (own.speed + far.speed + own.sound + far.sound);
            for k in 0..VARIABLES {
                sum[k] -= factor * (mine[k] - theirs[k]);
            }
        }
    }
    sum
}

fn add_flux(sum: &mut State, s: &State, d: &Derived, normal: [f32; 3]) {
    let through: f32 = d.velocity.iter().zip(normal).map(|(v, n)| v * n).sum();
    sum[0] += 0.5 * s[0] * through;
    for axis in 0..3 {
        sum[1 + axis] += 0.5 * (s[1 + axis] * through + d.pressure * normal[axis]);
    }
    sum[4] += 0.5 * (s[4] + d.pressure) * through;
}
