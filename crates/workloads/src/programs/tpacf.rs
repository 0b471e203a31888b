//! Two-point angular correlation of positions on the sky.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::Rng;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "tpacf",
    summary: "angular correlation of points",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.TPACF")],
    is_cache_sensitive: false,
    buffers: &[
        exact("data_x", ElementType::F32),
        exact("data_y", ElementType::F32),
        exact("data_z", ElementType::F32),
        exact("random_x", ElementType::F32),
        exact("random_y", ElementType::F32),
        exact("random_z", ElementType::F32),
        approximable("limits", ElementType::F32),
        exact("histogram", ElementType::U32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/tpacf.ptx"),
    run,
};

const BINS: usize = 20;
const THREADS: u32 = 256;
/// Smallest angle, in arc minutes, and bins a decade.
const SMALLEST_ARC_MINUTES: f64 = 1.0;
const BINS_PER_DECADE: f64 = 5.0;

type Sky = [Vec<f32>; 3];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let count: usize = host.scale().pick(200, 450, 2048);
    let mut rng = host.rng(1);
    let data = sky(count, 12, &mut rng);
    let random = sky(count, 0, &mut rng);
    let limits: Vec<f32> = (0..=BINS)
        .map(|bin| {
            let minutes = SMALLEST_ARC_MINUTES * libm::pow(10.0, bin as f64 / BINS_PER_DECADE);
            libm::cos((minutes / 60.0).to_radians()) as f32
        })
        .collect();

    let dx = host.upload("data_x", &data[0])?;
    let dy = host.upload("data_y", &data[1])?;
    let dz = host.upload("data_z", &data[2])?;
    let rx = host.upload("random_x", &random[0])?;
    let ry = host.upload("random_y", &random[1])?;
    let rz = host.upload("random_z", &random[2])?;
    let limit_buffer = host.upload("limits", &limits)?;
    let runs = [
        ([dx, dy, dz], [dx, dy, dz], &data, &data, true),
        ([dx, dy, dz], [rx, ry, rz], &data, &random, false),
        ([rx, ry, rz], [rx, ry, rz], &random, &random, true),
    ];
    for ([ax, ay, az], [bx, by, bz], first, second, is_same_set) in runs {
        let histogram = host.zeros::<u32>("histogram", BINS + 2)?;
        let arguments = args![ax, ay, az, bx, by, bz, count, i32::from(is_same_set), limit_buffer, histogram];
        host.launch("tpacf", grid_for(count, THREADS), [THREADS, 1, 1], arguments)?;
        host.check(
            "histogram",
            histogram,
            &correlate(first, second, is_same_set, &limits),
            Tolerance::Exact,
        )?;
    }
    Ok(())
}

/// Unit vectors, uniform over the sky or gathered around `clusters` centres.
fn sky(count: usize, clusters: usize, rng: &mut Rng) -> Sky {
    let mut direction = |spread: f64, centre: [f64; 3]| {
        let v: [f64; 3] = std::array::from_fn(|axis| centre[axis] + spread * rng.normal());
        let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        v.map(|c| c / length)
    };
    let centres: Vec<[f64; 3]> = (0..clusters).map(|_| direction(1.0, [0.0; 3])).collect();
    let mut points: Sky = Default::default();
    for index in 0..count {
        let point = match centres.get(index % (clusters + 1)) {
            Some(&centre) => direction(0.03, centre),
            None => direction(1.0, [0.0; 3]),
        };
        for (axis, coordinates) in points.iter_mut().enumerate() {
            coordinates.push(point[axis] as f32);
        }
    }
    points
}

fn correlate(first: &Sky, second: &Sky, is_same_set: bool, limits: &[f32]) -> Vec<u32> {
    let mut histogram = vec![0; BINS + 2];
    for i in 0..first[0].len() {
        for j in if is_same_set { i + 1 } else { 0 }..second[0].len() {
            // Contracted as the compiler contracts the kernel's sum, so that no pair changes its bin.
            let product = first[1][i] * second[1][j];
            let cosine = first[2][i].mul_add(second[2][j], first[0][i].mul_add(second[0][j], product));
            let bin = limits.iter().position(|&limit| cosine >= limit).unwrap_or(BINS + 1);
            histogram[bin] += 1;
        }
    }
    histogram
}
