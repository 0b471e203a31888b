//! A particle filter that follows a bright disc through noisy video, as Rodinia's particlefilter.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::Rng;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable, exact};

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
        approximable("new_xs", ElementType::F64),
        approximable("new_ys", ElementType::F64),
        approximable("cumulative", ElementType::F64),
        approximable("draws", ElementType::F64),
        approximable("fits", ElementType::F64),
        approximable("weights", ElementType::F64),
        exact("video", ElementType::U8),
        exact("object", ElementType::I32),
        exact("places", ElementType::I32),
        exact("seeds", ElementType::I32),
        exact("partial", ElementType::F64),
    ],
    input: None,
    data_sets: &[
        DataSet::new(
            "disc",
            "Rodinia: a disc of grey 228 on 100 that moves, with noise of deviation 5; squares by pow, as nvcc 11.8 compiles them",
        ),
        DataSet::new(
            "disc-products",
            "the same with squares as products: until CUDA 4, which the papers' simulator reads, pow with a whole exponent multiplied",
        )
        .of(&[Paper::Bpc, Paper::Latte]),
    ],
    ptx: include_str!("../../kernels/particle-filter.ptx"),
    run,
};

const THREADS: u32 = 512;
const RADIUS: i32 = 5;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let has_products = host.data() == "disc-products";
    let (count, size, frames): (usize, usize, usize) =
        host.scale().pick((128, 64, 3), (2048, 128, if has_products { 3 } else { 2 }), (4096, 128, 10));
    let count = host.size(count, 1..=1 << 20)?;
    let mut rng = host.rng(1);
    let disc: Vec<(i32, i32)> = (-RADIUS..=RADIUS)
        .flat_map(|x| (-RADIUS..=RADIUS).map(move |y| (x, y)))
        .filter(|(x, y)| x * x + y * y < RADIUS * RADIUS)
        .collect();
    let video = Video::new(size, frames, &mut rng);
    let mut filter = Filter::new(count, size, &mut rng);

    let xs = host.zeros::<f64>("xs", count)?;
    let ys = host.zeros::<f64>("ys", count)?;
    let new_xs = host.upload("new_xs", &filter.xs)?;
    let new_ys = host.upload("new_ys", &filter.ys)?;
    let cumulative = host.zeros::<f64>("cumulative", count)?;
    let draws = host.zeros::<f64>("draws", count)?;
    let fits = host.zeros::<f64>("fits", count)?;
    let weights = host.upload("weights", &vec![1.0 / count as f64; count])?;
    let video_buffer = host.upload("video", &video.pixels)?;
    let offsets: Vec<i32> = disc.iter().flat_map(|&(x, y)| [y, x]).collect();
    let object = host.upload("object", &offsets)?;
    let places = host.zeros::<i32>("places", disc.len() * count)?;
    let seeds = host.upload("seeds", &filter.seeds)?;
    let partial = host.zeros::<f64>("partial", count)?;
    let (grid, block) = (grid_for(count, THREADS), [THREADS, 1, 1]);
    for frame in 1..frames {
        let arguments = args![
            xs,
            ys,
            new_xs,
            new_ys,
            places,
            object,
            fits,
            video_buffer,
            weights,
            count,
            disc.len(),
            video.pixels.len(),
            frame,
            size,
            frames,
            seeds,
            partial
        ];
        let likelihood = if has_products { "likelihood_products" } else { "likelihood" };
        host.launch(likelihood, grid, block, arguments)?;
        host.launch("sum", grid, block, args![partial, grid[0]])?;
        host.launch("normalize", grid, block, args![weights, count, partial])?;
        host.launch("cumulate", grid, block, args![weights, count, cumulative, draws, seeds])?;
        host.launch("resample", grid, block, args![xs, ys, cumulative, draws, new_xs, new_ys, count])?;

        filter.move_particles();
        host.check("xs", xs, &filter.xs, Tolerance::relative(1e-9))?;
        host.check("ys", ys, &filter.ys, Tolerance::relative(1e-9))?;
        // From here the reference uses the device's places, so that one between two pixels cannot part them.
        (filter.xs, filter.ys) = (host.download(xs)?, host.download(ys)?);
        filter.weigh(&video, frame, &disc);
        host.check("weights", weights, &filter.weights, Tolerance::Relative { relative: 1e-8, floor: 1e-9 })?;
        let (sums, lots) = filter.draw();
        host.check("cumulative", cumulative, &sums, Tolerance::relative(1e-9))?;
        host.check("draws", draws, &lots, Tolerance::relative(1e-12))?;
        filter.resample(&host.download(cumulative)?, &host.download(draws)?);
        host.check("new_xs", new_xs, &filter.xs, Tolerance::Exact)?;
        host.check("new_ys", new_ys, &filter.ys, Tolerance::Exact)?;
    }
    Ok(())
}

/// Frames of `size` × `size` pixels; a place's pixels of all frames lie side by side.
struct Video {
    size: usize,
    frames: usize,
    pixels: Vec<u8>,
}

impl Video {
    /// A grey disc (228 on 100) that moves by (1, -2) a frame, with noise of deviation 5.
    fn new(size: usize, frames: usize, rng: &mut Rng) -> Self {
        let middle = size as i32 / 2;
        let pixel = |index: usize| {
            let frame = (index % frames) as i32;
            let (x, y) = ((index / frames / size) as i32, (index / frames % size) as i32);
            let (dx, dy) = (x - middle - frame, y - middle + 2 * frame);
            let level = if dx * dx + dy * dy < RADIUS * RADIUS { 228.0 } else { 100.0 };
            (level + 5.0 * rng.normal()).clamp(0.0, 255.0) as u8
        };
        Self { size, frames, pixels: (0..size * size * frames).map(pixel).collect() }
    }

    /// The pixel that a place of a frame leads to; what lies outside wraps as the original's index does.
    fn at(&self, x: i32, y: i32, frame: usize) -> f64 {
        let (size, frames) = (self.size as i32, self.frames as i32);
        let index = (x * size * frames + y * frames + frame as i32).unsigned_abs() as usize;
        f64::from(self.pixels.get(index).copied().unwrap_or(self.pixels[0]))
    }
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

    fn move_particles(&mut self) {
        for ((x, y), seed) in self.xs.iter_mut().zip(&mut self.ys).zip(&mut self.seeds) {
            *x = *x + 1.0 + 5.0 * normal(seed);
            *y = *y - 2.0 + 2.0 * normal(seed);
        }
    }

    fn weigh(&mut self, video: &Video, frame: usize, disc: &[(i32, i32)]) {
        let count = self.xs.len() as f64;
        let weight = |(&x, &y): (&f64, &f64)| {
            let term = |&(dx, dy): &(i32, i32)| {
                let pixel = video.at(x as i32 + dx, y as i32 + dy, frame);
                ((pixel - 100.0).powi(2) - (pixel - 228.0).powi(2)) / 50.0
            };
            libm::exp(disc.iter().map(term).sum::<f64>() / disc.len() as f64) / count
        };
        self.weights = self.xs.iter().zip(&self.ys).map(weight).collect();
        let total: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|weight| *weight /= total);
    }

    /// The cumulative weights, and where in them each particle looks.
    fn draw(&mut self) -> (Vec<f64>, Vec<f64>) {
        let mut sum = 0.0;
        let next = |weight: &f64| {
            sum += weight;
            sum
        };
        let sums = self.weights.iter().map(next).collect();
        let count = self.weights.len();
        let first = uniform(&mut self.seeds[0]) / count as f64;
        (sums, (0..count).map(|i| first + i as f64 / count as f64).collect())
    }

    fn resample(&mut self, sums: &[f64], lots: &[f64]) {
        let find = |lot: &f64| sums.iter().position(|sum| sum >= lot).unwrap_or(sums.len() - 1);
        let found: Vec<usize> = lots.iter().map(find).collect();
        self.xs = found.iter().map(|&i| self.xs[i]).collect();
        self.ys = found.iter().map(|&i| self.ys[i]).collect();
    }
}

fn uniform(seed: &mut i32) -> f64 {
    *seed = 1_103_515_245_i32.wrapping_mul(*seed).wrapping_add(12_345) % i32::MAX;
    (f64::from(*seed) / f64::from(i32::MAX)).abs()
}

fn normal(seed: &mut i32) -> f64 {
    let (u, v) = (uniform(seed), uniform(seed));
    (-2.0 * libm::log(u)).sqrt() * libm::cos(std::f64::consts::TAU * v)
}
