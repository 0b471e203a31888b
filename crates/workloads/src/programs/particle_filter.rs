//! A particle filter that follows a bright disc through noisy video.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::Rng;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "particle-filter",
    summary: "Bayesian tracking in video (double precision)",
    class: Class::Mixed,
    papers: &[(Paper::Bpc, "R.PARTF"), (Paper::Latte, "PF")],
    is_cache_sensitive: true,
    buffers: &[
        approximable("xs", ElementType::F64),
        approximable("ys", ElementType::F64),
        exact("frame", ElementType::U8),
        exact("object_x", ElementType::I32),
        exact("object_y", ElementType::I32),
        approximable("weights", ElementType::F64),
        approximable("partial", ElementType::F64),
        exact("seeds", ElementType::I32),
        approximable("cumulative", ElementType::F64),
        approximable("draws", ElementType::F64),
        approximable("new_xs", ElementType::F64),
        approximable("new_ys", ElementType::F64),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/particle-filter.ptx"),
    run,
};

const THREADS: u32 = 128;
const RADIUS: i32 = 5;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (count, size, frames): (usize, usize, usize) =
        host.scale().pick((128, 64, 2), (1024, 128, 2), (4096, 128, 10));
    let mut rng = host.rng(1);
    let disc: Vec<(i32, i32)> = (-RADIUS..=RADIUS)
        .flat_map(|y| (-RADIUS..=RADIUS).map(move |x| (x, y)))
        .filter(|(x, y)| x * x + y * y < RADIUS * RADIUS)
        .collect();
    let mut filter = Filter::new(count, size, &mut rng);

    let xs = host.upload("xs", &filter.xs)?;
    let ys = host.upload("ys", &filter.ys)?;
    let frame_buffer = host.zeros::<u8>("frame", size * size)?;
    let object_x = host.upload("object_x", &disc.iter().map(|p| p.0).collect::<Vec<_>>())?;
    let object_y = host.upload("object_y", &disc.iter().map(|p| p.1).collect::<Vec<_>>())?;
    let weights = host.zeros::<f64>("weights", count)?;
    let blocks = count.div_ceil(THREADS as usize);
    let partial = host.zeros::<f64>("partial", blocks)?;
    let seeds = host.upload("seeds", &filter.seeds)?;
    let cumulative = host.zeros::<f64>("cumulative", count)?;
    let draws = host.zeros::<f64>("draws", count)?;
    let new_xs = host.zeros::<f64>("new_xs", count)?;
    let new_ys = host.zeros::<f64>("new_ys", count)?;
    let (grid, block) = (grid_for(count, THREADS), [THREADS, 1, 1]);
    for step in 1..=frames {
        let frame = video_frame(size, step, &mut rng);
        host.write(frame_buffer, &frame)?;
        host.write(weights, &vec![1.0 / count as f64; count])?;
        let arguments = args![
            xs,
            ys,
            frame_buffer,
            object_x,
            object_y,
            disc.len(),
            weights,
            partial,
            seeds,
            count,
            size,
            size
        ];
        host.launch("likelihood", grid, block, arguments)?;
        host.launch("normalize", grid, block, args![weights, partial, blocks, count])?;
        filter.weigh(&frame, size, &disc);
        host.check("xs", xs, &filter.xs, Tolerance::relative(1e-9))?;
        host.check("weights", weights, &filter.weights, Tolerance::Relative { relative: 1e-8, floor: 1e-6 })?;

        // From here both sides use the reference's numbers, so that a draw on a border cannot part them.
        let sums = filter.cumulative();
        let first: f64 = rng.unit() / count as f64;
        let lots: Vec<f64> = (0..count).map(|i| first + i as f64 / count as f64).collect();
        host.write(cumulative, &sums)?;
        host.write(draws, &lots)?;
        host.write(xs, &filter.xs)?;
        host.write(ys, &filter.ys)?;
        host.launch("resample", grid, block, args![xs, ys, cumulative, draws, new_xs, new_ys, count])?;
        filter.resample(&sums, &lots);
        host.check("new_xs", new_xs, &filter.xs, Tolerance::Exact)?;
        host.check("new_ys", new_ys, &filter.ys, Tolerance::Exact)?;
        host.write(xs, &filter.xs)?;
        host.write(ys, &filter.ys)?;
    }
    Ok(())
}

/// A grey disc (228 on 100) that moves by (1, -2) a frame, with noise of deviation 5.
fn video_frame(size: usize, step: usize, rng: &mut Rng) -> Vec<u8> {
    let centre = (size as i32 / 2 + step as i32, size as i32 / 2 - 2 * step as i32);
    (0..size * size)
        .map(|index| {
            let (x, y) = ((index % size) as i32 - centre.0, (index / size) as i32 - centre.1);
            let level = if x * x + y * y < RADIUS * RADIUS { 228.0 } else { 100.0 };
            (level + 5.0 * rng.normal()).clamp(0.0, 255.0) as u8
        })
        .collect()
}

/// The filter on the CPU.
struct Filter {
    xs: Vec<f64>,
    ys: Vec<f64>,
    weights: Vec<f64>,
    seeds: Vec<i32>,
}

impl Filter {
    fn new(count: usize, size: usize, rng: &mut Rng) -> Self {
        let middle = size as f64 / 2.0;
        let seeds = (0..count).map(|_| rng.bits() as i32).collect();
        Self { xs: vec![middle; count], ys: vec![middle; count], weights: Vec::new(), seeds }
    }

    fn weigh(&mut self, frame: &[u8], size: usize, disc: &[(i32, i32)]) {
        let count = self.xs.len();
        self.weights = vec![1.0 / count as f64; count];
        for i in 0..count {
            self.xs[i] += 1.0 + 5.0 * normal(&mut self.seeds[i]);
            self.ys[i] += -2.0 + 2.0 * normal(&mut self.seeds[i]);
            let (cx, cy) = (self.xs[i].round_ties_even() as i32, self.ys[i].round_ties_even() as i32);
            let inside = 0..size as i32;
            let term = |&(dx, dy): &(i32, i32)| {
                let (x, y) = (cx + dx, cy + dy);
                let is_seen = inside.contains(&x) && inside.contains(&y);
                let pixel = if is_seen { f64::from(frame[y as usize * size + x as usize]) } else { 0.0 };
                ((pixel - 100.0).powi(2) - (pixel - 228.0).powi(2)) / 50.0
            };
            self.weights[i] *= (disc.iter().map(term).sum::<f64>() / disc.len() as f64 / 50.0).exp();
        }
        let total: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|weight| *weight /= total);
    }

    fn cumulative(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let next = |weight: &f64| {
            sum += weight;
            sum
        };
        self.weights.iter().map(next).collect()
    }

    fn resample(&mut self, sums: &[f64], lots: &[f64]) {
        let find = |lot: &f64| sums.iter().position(|sum| sum >= lot).unwrap_or(sums.len() - 1);
        let found: Vec<usize> = lots.iter().map(find).collect();
        self.xs = found.iter().map(|&i| self.xs[i]).collect();
        self.ys = found.iter().map(|&i| self.ys[i]).collect();
    }
}

fn uniform(seed: &mut i32) -> f64 {
    *seed = 1_103_515_245_i32.wrapping_mul(*seed).wrapping_add(12_345);
    (f64::from(*seed) / 2_147_483_647.0).abs()
}

fn normal(seed: &mut i32) -> f64 {
    let (u, v) = (uniform(seed), uniform(seed));
    (-2.0 * u.max(1e-12).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}
