//! n-body forces through an octree (Barnes & Hut): one time step of a star cluster.

mod reference;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Buffer, Host};
use crate::input::Rng;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "barnes-hut",
    summary: "n-body with an octree",
    class: Class::Mixed,
    papers: &[(Paper::Bpc, "L.BH")],
    is_cache_sensitive: false,
    buffers: &[
        exact("failed", ElementType::I32),
        exact("child", ElementType::I32),
        approximable("mass", ElementType::F32),
        approximable("x", ElementType::F32),
        approximable("y", ElementType::F32),
        approximable("z", ElementType::F32),
        exact("count", ElementType::I32),
        exact("start", ElementType::I32),
        approximable("bounds", ElementType::F32),
    ],
    input: None,
    data_sets: &[DataSet::new("plummer", "the original's generator: a star cluster after Plummer")],
    ptx: include_str!("../../kernels/barnes-hut.ptx"),
    run,
};

const LANES: usize = 32;
const TIME_STEP: f32 = 0.025;
const TOLERANCE: f32 = 0.5;
const SOFTENING: f32 = 0.05;
/// Thread blocks of `bound`: three for an SM.
const BOUND_BLOCKS: u32 = 3;
/// Kernels of a time step after `bound`, their thread blocks for an SM and threads of a thread block. Those with one thread
/// block must all be resident, because their threads wait for each other.
const KERNELS: [(&str, u32, u32); 5] = [
    ("build_tree", 1, 1024),
    ("summarize", 1, 1024),
    ("sort_bodies", 1, 256),
    ("forces", 5, 256),
    ("advance", 3, 512),
];

/// Where and how fast bodies are; all weigh the same.
#[derive(Clone, Debug, Default)]
struct Cluster {
    place: Vec<[f32; 3]>,
    velocity: Vec<[f32; 3]>,
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // LonestarGPU's run file has 30,000 bodies.
    let bodies: usize = host.size(host.scale().pick(200, 1024, 30_000), 1..=1 << 20)?;
    let sms = host.sm_count();
    let cluster = plummer(bodies, &mut host.rng(1));
    let body_mass = 1.0 / bodies as f32;
    // A multiple of the warp: the last one is the root.
    let nodes = (2 * bodies).max(1024 * sms as usize).next_multiple_of(LANES);

    let failed = host.zeros::<i32>("failed", 1)?;
    let child = host.zeros::<i32>("child", 8 * nodes)?;
    let mass = host.zeros::<f32>("mass", nodes)?;
    let axes = [host.zeros("x", nodes)?, host.zeros("y", nodes)?, host.zeros("z", nodes)?];
    let count = host.zeros::<i32>("count", nodes)?;
    let start = host.zeros::<i32>("start", nodes)?;
    // Bodies have no children: their part of `child` holds seven arrays of numbers for each body.
    let part = bodies.next_multiple_of(LANES);
    let shared = |index: usize| child.skip(index * part);

    host.write(mass, &vec![body_mass; bodies])?;
    for axis in 0..3 {
        host.write(axes[axis], &along(&cluster.place, axis))?;
        let bits: Vec<i32> = along(&cluster.velocity, axis).iter().map(|v| v.to_bits() as i32).collect();
        host.write(shared(axis), &bits)?;
    }
    host.write_symbol("last_node", &[nodes as i32 - 1])?;
    host.write_symbol("bodies", &[bodies as i32])?;
    host.write_symbol("time_step", &[TIME_STEP])?;
    host.write_symbol("half_step", &[TIME_STEP * 0.5])?;
    host.write_symbol("softening2", &[SOFTENING * SOFTENING])?;
    host.write_symbol("inverse_tolerance2", &[1.0 / (TOLERANCE * TOLERANCE)])?;
    for (name, address) in [
        ("failed", failed.address()),
        ("child", child.address()),
        ("count", count.address()),
        ("start", start.address()),
        ("mass", mass.address()),
        ("x", axes[0].address()),
        ("y", axes[1].address()),
        ("z", axes[2].address()),
    ] {
        host.write_symbol(name, &[address])?;
    }
    for (index, name) in ["vx", "vy", "vz", "ax", "ay", "az", "order"].iter().enumerate() {
        host.write_symbol(name, &[shared(index).address()])?;
    }
    for name in ["high_x", "high_y", "high_z", "low_x", "low_y", "low_z"] {
        let bounds = host.zeros::<f32>("bounds", (sms * BOUND_BLOCKS) as usize)?;
        host.write_symbol(name, &[bounds.address()])?;
    }

    host.launch("initialize", [1; 3], [1; 3], args![])?;
    host.launch("bound", [sms * BOUND_BLOCKS, 1, 1], [512, 1, 1], args![])?;
    for (kernel, blocks, threads) in KERNELS {
        host.launch(kernel, [sms * blocks, 1, 1], [threads, 1, 1], args![])?;
    }
    host.check("failed", failed, &[0], Tolerance::Exact)?;

    let expected = reference::step(&cluster, body_mass);
    for axis in 0..3 {
        let got = first_floats(host, shared(3 + axis), bodies)?;
        // Where rounding opens one cell more or less, the sum moves by the error of the method itself.
        let tolerance = Tolerance::relative(1e-2);
        host.check_values("child", &got, &along(&expected.acceleration, axis), tolerance)?;
        let place = host.download(axes[axis])?;
        let name = ["x", "y", "z"][axis];
        host.check_values(name, &place[..bodies], &along(&expected.place, axis), Tolerance::relative(1e-4))?;
    }
    Ok(())
}

/// One coordinate of every body.
fn along(values: &[[f32; 3]], axis: usize) -> Vec<f32> {
    values.iter().map(|value| value[axis]).collect()
}

/// Floats that lie in a buffer of integers.
fn first_floats(host: &mut Host<'_>, buffer: Buffer<i32>, count: usize) -> Result<Vec<f32>, Failure> {
    Ok(host.download(buffer)?.iter().take(count).map(|&bits| f32::from_bits(bits as u32)).collect())
}

/// Plummer's model of a star cluster: places, and velocities by rejection.
fn plummer(count: usize, rng: &mut Rng) -> Cluster {
    let place_scale = 3.0 * std::f64::consts::PI / 16.0;
    let velocity_scale = (1.0 / place_scale).sqrt();
    let mut cluster = Cluster::default();
    for _ in 0..count {
        let radius = 1.0 / (libm::pow((rng.unit() * 0.999).max(1e-12), -2.0 / 3.0) - 1.0).sqrt();
        cluster.place.push(direction(rng).map(|axis| (place_scale * radius * axis) as f32));
        let share = loop {
            let (x, y) = (rng.unit(), rng.unit() * 0.1);
            if y <= x * x * libm::pow(1.0 - x * x, 3.5) {
                break x;
            }
        };
        let speed = share * (2.0 / (1.0 + radius * radius).sqrt()).sqrt();
        cluster.velocity.push(direction(rng).map(|axis| (velocity_scale * speed * axis) as f32));
    }
    cluster
}

/// A random direction of length 1.
fn direction(rng: &mut Rng) -> [f64; 3] {
    loop {
        let v: [f64; 3] = std::array::from_fn(|_| rng.unit() * 2.0 - 1.0);
        let square: f64 = v.iter().map(|axis| axis * axis).sum();
        if square > 0.0 && square <= 1.0 {
            return v.map(|axis| axis / square.sqrt());
        }
    }
}
