//! Two-point angular correlation of positions on the sky.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::Rng;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "tpacf",
    summary: "angular correlation of points",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.TPACF")],
    is_cache_sensitive: false,
    buffers: &[
        exact("x", ElementType::F32),
        exact("y", ElementType::F32),
        exact("z", ElementType::F32),
        exact("histograms", ElementType::U64),
    ],
    input: None,
    data_sets: &[DataSet::new("sky", "Parboil: clustered galaxies, and sets spread evenly over the sky")],
    ptx: include_str!("../../kernels/tpacf.ptx"),
    run,
};

const BINS: usize = 20;
const THREADS: u32 = 256;
/// Smallest angle, in arc minutes, and bins a decade.
const SMALLEST_ARC_MINUTES: f64 = 1.0;
const BINS_PER_DECADE: f64 = 5.0;
const CLUSTERS: usize = 12;

type Sky = [Vec<f32>; 3];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let points = host.size(host.scale().pick(20, 48, 487), 1..=65_536)?;
    let sets: usize = host.scale().pick(3, 16, 25);
    let mut rng = host.rng(1);
    let skies: Vec<Sky> =
        (0..=sets).map(|set| sky(points, if set == 0 { CLUSTERS } else { 0 }, &mut rng)).collect();
    let limits: Vec<f32> = (0..=BINS)
        .map(|bin| {
            let minutes = SMALLEST_ARC_MINUTES * libm::pow(10.0, bin as f64 / BINS_PER_DECADE);
            libm::cos((minutes / 60.0).to_radians()) as f32
        })
        .collect();

    host.write_symbol("limits", &limits)?;
    let axis = |axis: usize| -> Vec<f32> { skies.iter().flat_map(|sky| sky[axis].clone()).collect() };
    let (xs, ys, zs) = (axis(0), axis(1), axis(2));
    let x = host.upload("x", &xs)?;
    let y = host.upload("y", &ys)?;
    let z = host.upload("z", &zs)?;
    let blocks = 2 * sets + 1;
    let histograms = host.zeros::<u64>("histograms", blocks * BINS)?;
    let arguments = args![histograms, x, y, z, sets, points];
    host.launch("tpacf", [blocks as u32, 1, 1], [THREADS, 1, 1], arguments)?;
    let with_itself = skies.iter().map(|sky| correlate(sky, sky, true, &limits));
    let with_random = skies[1..].iter().map(|sky| correlate(&skies[0], sky, false, &limits));
    let expected: Vec<u64> = with_itself.chain(with_random).flatten().collect();
    host.check("histograms", histograms, &expected, Tolerance::Exact)
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

/// Pairs by angle; those closer than the smallest angle are not counted.
fn correlate(first: &Sky, second: &Sky, is_with_itself: bool, limits: &[f32]) -> Vec<u64> {
    let mut histogram = vec![0; BINS];
    for i in 0..first[0].len() {
        for j in if is_with_itself { i + 1 } else { 0 }..second[0].len() {
            // Contracted as the compiler contracts the kernel's sum, so that no pair changes its bin.
            let product = first[1][i] * second[1][j];
            let cosine = first[2][i].mul_add(second[2][j], first[0][i].mul_add(second[0][j], product));
            let bin = limits.iter().position(|&limit| cosine >= limit);
            if let Some(bin) = bin.and_then(|bin| bin.checked_sub(1)) {
                histogram[bin] += 1;
            }
        }
    }
    histogram
}
