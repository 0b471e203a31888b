//! n-body forces through an octree (Barnes & Hut): one time step of a star cluster.

mod reference;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Arg, Buffer, Host};
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
        approximable("velocity", ElementType::F32),
        approximable("acceleration", ElementType::F32),
        exact("count", ElementType::I32),
        exact("start", ElementType::I32),
        exact("order", ElementType::I32),
        approximable("bounds", ElementType::F32),
    ],
    input: None,
    data_sets: &[DataSet::new("plummer", "the original's generator: a star cluster after Plummer").revised(2)],
    ptx: include_str!("../../kernels/barnes-hut.ptx"),
    run,
};

const LANES: usize = 32;
const TIME_STEP: f32 = 0.025;
const TOLERANCE: f32 = 0.5;
const SOFTENING: f32 = 0.05;
/// Thread blocks for an SM and threads of a thread block.
const BOUND: (u32, u32) = (3, 512);
const CLEAR: (u32, u32) = (1, 1024);
const BUILD: (u32, u32) = (3, 512);
const SUM: (u32, u32) = (6, 128);
const SORT: (u32, u32) = (6, 64);
const FORCE: (u32, u32) = (5, 256);
const ADVANCE: (u32, u32) = (1, 1024);

/// Where and how fast bodies are; all weigh the same.
#[derive(Clone, Debug, Default)]
struct Cluster {
    place: Vec<[f32; 3]>,
    velocity: Vec<[f32; 3]>,
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let bodies: usize = host.size(host.scale().pick(200, 1024, 8192), 1..=1 << 20)?;
    let sms = host.sm_count();
    let cluster = plummer(bodies, &mut Numbers::new(host.original_seed(7)));
    let body_mass = 1.0 / bodies as f32;
    // A multiple of the warp: the last one is the root.
    let nodes = (2 * bodies).max(1024 * sms as usize).next_multiple_of(LANES);
    let root = nodes as i32 - 1;

    let failed = host.zeros::<i32>("failed", 1)?;
    let child = host.zeros::<i32>("child", 8 * nodes)?;
    let mass = host.zeros::<f32>("mass", nodes)?;
    let places = ["x", "y", "z"];
    let [x, y, z] = three(|axis| host.zeros::<f32>(places[axis], nodes))?;
    let [vx, vy, vz] = three(|_| host.zeros::<f32>("velocity", nodes))?;
    let [ax, ay, az] = three(|_| host.zeros::<f32>("acceleration", nodes))?;
    let count = host.zeros::<i32>("count", nodes)?;
    let start = host.zeros::<i32>("start", nodes)?;
    let order = host.zeros::<i32>("order", nodes)?;
    let bounds = (sms * BOUND.0) as usize;
    let [high_x, high_y, high_z] = three(|_| host.zeros::<f32>("bounds", bounds))?;
    let [low_x, low_y, low_z] = three(|_| host.zeros::<f32>("bounds", bounds))?;

    host.write(mass, &vec![body_mass; bodies])?;
    for (axis, (place, velocity)) in [(x, vx), (y, vy), (z, vz)].into_iter().enumerate() {
        host.write(place, &along(&cluster.place, axis))?;
        host.write(velocity, &along(&cluster.velocity, axis))?;
    }

    let (half_step, softening2) = (TIME_STEP * 0.5, SOFTENING * SOFTENING);
    let inverse_tolerance2 = 1.0 / (TOLERANCE * TOLERANCE);
    host.launch("initialize", [1; 3], [1; 3], args![failed])?;
    // The thread blocks of these two must all be resident, because they wait for each other.
    let resident = |(blocks, threads): (u32, u32), kernel: &str| -> Result<u32, Failure> {
        Ok((sms * blocks).min(host.resident_blocks(kernel, threads)?))
    };
    let (sum_blocks, sort_blocks) = (resident(SUM, "summarize")?, resident(SORT, "sort_bodies")?);
    let mut launch = |kernel: &str, (blocks, threads): (u32, u32), arguments: &[Arg]| {
        let blocks = match kernel {
            "summarize" => sum_blocks,
            "sort_bodies" => sort_blocks,
            _ => sms * blocks,
        };
        host.launch(kernel, [blocks, 1, 1], [threads, 1, 1], arguments)
    };
    let arguments =
        args![root, bodies, start, child, mass, x, y, z, high_x, high_y, high_z, low_x, low_y, low_z];
    launch("bound", BOUND, arguments)?;
    launch("clear_children", CLEAR, args![root, bodies, child])?;
    launch("build_tree", BUILD, args![root, bodies, failed, child, x, y, z])?;
    launch("clear_cells", CLEAR, args![root, start, mass])?;
    launch("summarize", SUM, args![root, bodies, count, child, mass, x, y, z])?;
    launch("sort_bodies", SORT, args![root, bodies, order, count, start, child])?;
    let arguments = args![
        root,
        bodies,
        failed,
        half_step,
        inverse_tolerance2,
        softening2,
        order,
        child,
        mass,
        x,
        y,
        z,
        vx,
        vy,
        vz,
        ax,
        ay,
        az
    ];
    launch("forces", FORCE, arguments)?;
    launch("advance", ADVANCE, args![bodies, TIME_STEP, half_step, x, y, z, vx, vy, vz, ax, ay, az])?;
    host.check("failed", failed, &[0], Tolerance::Exact)?;

    let expected = reference::step(&cluster, body_mass);
    for (axis, (place, acceleration)) in [(x, ax), (y, ay), (z, az)].into_iter().enumerate() {
        let got = host.download(acceleration)?;
        // Where rounding opens one cell more or less, the sum moves by the error of the method itself.
        let tolerance = Tolerance::relative(1e-2);
        let wanted = along(&expected.acceleration, axis);
        host.check_values("acceleration", &got[..bodies], &wanted, tolerance)?;
        let got = host.download(place)?;
        let wanted = along(&expected.place, axis);
        host.check_values(places[axis], &got[..bodies], &wanted, Tolerance::relative(1e-4))?;
    }
    Ok(())
}

/// One buffer for each axis.
fn three(mut buffer: impl FnMut(usize) -> Result<Buffer<f32>, Failure>) -> Result<[Buffer<f32>; 3], Failure> {
    Ok([buffer(0)?, buffer(1)?, buffer(2)?])
}

/// The original's random numbers: the linear congruences of the C standard's example, modulo 2³¹.
struct Numbers {
    next: u32,
}

impl Numbers {
    const MASK: u32 = 0x7fff_ffff;

    fn new(seed: u32) -> Self {
        Self { next: seed & Self::MASK }
    }

    /// The next number of at least 0, below 1.
    fn unit(&mut self) -> f64 {
        let number = f64::from(self.next) / f64::from(1u32 << 31);
        self.next = self.next.wrapping_mul(1_103_515_245).wrapping_add(12_345) & Self::MASK;
        number
    }
}

/// One coordinate of every body.
fn along(values: &[[f32; 3]], axis: usize) -> Vec<f32> {
    values.iter().map(|value| value[axis]).collect()
}

/// Plummer's model of a star cluster: places, and velocities by rejection.
fn plummer(count: usize, rng: &mut Numbers) -> Cluster {
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
fn direction(rng: &mut Numbers) -> [f64; 3] {
    loop {
        let v: [f64; 3] = std::array::from_fn(|_| rng.unit() * 2.0 - 1.0);
        let square: f64 = v.iter().map(|axis| axis * axis).sum();
        if square > 0.0 && square <= 1.0 {
            return v.map(|axis| axis / square.sqrt());
        }
    }
}
