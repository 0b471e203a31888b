//! Template tracking of points through ultrasound frames.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::image::Image;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "heartwall",
    summary: "template tracking through ultrasound frames",
    class: Class::Mixed,
    papers: &[(Paper::Bpc, "R.HW"), (Paper::E2mc, "HW"), (Paper::Dsm, "R-HW"), (Paper::Latte, "HTW")],
    is_cache_sensitive: false,
    buffers: &[
        exact("frame", ElementType::U8),
        approximable("templates", ElementType::F32),
        exact("xs", ElementType::I32),
        exact("ys", ElementType::I32),
        approximable("scores", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/heartwall.ptx"),
    run,
};

const TEMPLATE: usize = 16;
const REACH: i32 = 6;
const SIDE: i32 = 2 * REACH + 1;
const THREADS: u32 = 192;
const MEMORY: f32 = 0.8;
/// Relative error of a sum of 256 products in single precision, as the square root of their number gives it.
const SUM_ERROR: f64 = 16.0 * f32::EPSILON as f64;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (size, points, frames): (usize, usize, usize) =
        host.scale().pick((64, 4, 2), (256, 20, 2), (640, 51, 10));
    let mut rng = host.rng(1);
    let mut image = Image::fractal(size, size, &mut rng);
    // Points on a ring, as the inner and outer walls of a heart are.
    let on_ring = |point: usize, function: fn(f64) -> f64| {
        let angle = std::f64::consts::TAU * point as f64 / points as f64;
        (size as f64 * (0.5 + 0.28 * function(angle))) as i32
    };
    let mut xs: Vec<i32> = (0..points).map(|point| on_ring(point, libm::cos)).collect();
    let mut ys: Vec<i32> = (0..points).map(|point| on_ring(point, libm::sin)).collect();
    let mut templates: Vec<f32> =
        (0..points).flat_map(|point| patch(&values(&image), size, xs[point], ys[point])).collect();

    let frame = host.zeros::<u8>("frame", size * size)?;
    let template_buffer = host.upload("templates", &templates)?;
    let x_buffer = host.upload("xs", &xs)?;
    let y_buffer = host.upload("ys", &ys)?;
    let scores = host.zeros::<f32>("scores", points)?;
    for beat in 0..frames {
        let (dx, dy) = if beat % 2 == 0 { (2, 1) } else { (-3, 2) };
        image = image.moved(dx, dy, 3, &mut rng);
        let pixels = values(&image);
        host.write(frame, &image.pixels)?;
        let arguments = args![frame, size, size, template_buffer, x_buffer, y_buffer, scores, MEMORY];
        host.launch("heartwall", [points as u32, 1, 1], [THREADS, 1, 1], arguments)?;
        let (device_xs, device_ys) = (host.download(x_buffer)?, host.download(y_buffer)?);
        for point in 0..points {
            let device = (device_xs[point], device_ys[point]);
            let template = &mut templates[point * 256..][..256];
            (xs[point], ys[point]) = track(&pixels, size, template, (xs[point], ys[point]), device);
        }
        host.check_values("xs", &device_xs, &xs, Tolerance::Exact)?;
        host.check_values("ys", &device_ys, &ys, Tolerance::Exact)?;
    }
    host.check("templates", template_buffer, &templates, Tolerance::relative(1e-4))
}

fn values(image: &Image) -> Vec<f32> {
    image.pixels.iter().map(|&pixel| f32::from(pixel) / 255.0).collect()
}

/// The 16 × 16 pixels around a place, edges repeated.
fn patch(pixels: &[f32], size: usize, x: i32, y: i32) -> Vec<f32> {
    let inside = |at: i32| at.clamp(0, size as i32 - 1) as usize;
    let half = TEMPLATE as i32 / 2;
    let offset = |i: i32| (inside(y - half + i / 16), inside(x - half + i % 16));
    (0..256).map(|i| pixels[offset(i).0 * size + offset(i).1]).collect()
}

/// The place where the template fits best, and the template adapted to it. Where the device found another place that
/// fits as well as single precision can tell, the device's is taken.
fn track(
    pixels: &[f32],
    size: usize,
    template: &mut [f32],
    last: (i32, i32),
    device: (i32, i32),
) -> (i32, i32) {
    let place = |p: i32| (last.0 + p % SIDE - REACH, last.1 + p / SIDE - REACH);
    let score = |(x, y): (i32, i32)| correlation(&patch(pixels, size, x, y), template);
    let mut best = (f64::NEG_INFINITY, last);
    for candidate in (0..SIDE * SIDE).map(place) {
        let (fit, _) = score(candidate);
        if fit > best.0 {
            best = (fit, candidate);
        }
    }
    let (device_fit, uncertainty) = score(device);
    let is_in_reach = (device.0 - last.0).abs() <= REACH && (device.1 - last.1).abs() <= REACH;
    let found = if is_in_reach && device_fit >= best.0 - uncertainty { device } else { best.1 };
    for (old, new) in template.iter_mut().zip(patch(pixels, size, found.0, found.1)) {
        *old = MEMORY * *old + (1.0 - MEMORY) * new;
    }
    found
}

/// The correlation, and how far one from single-precision sums may be off: the sums are large where pixels are bright,
/// what is left of them is small where they are alike.
fn correlation(a: &[f32], b: &[f32]) -> (f64, f64) {
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(&x, &y)| term(f64::from(x), f64::from(y))).sum()
    };
    let count = a.len() as f64;
    let (mean_a, mean_b) = (sum(&|x, _| x) / count, sum(&|_, y| y) / count);
    let product = sum(&|x, y| (x - mean_a) * (y - mean_b));
    let (spread_a, spread_b) = (sum(&|x, _| (x - mean_a).powi(2)), sum(&|_, y| (y - mean_b).powi(2)));
    let spread = (spread_a * spread_b).sqrt().max(1e-30);
    let squares = sum(&|x, _| x * x) / spread_a.max(1e-30) + sum(&|_, y| y * y) / spread_b.max(1e-30);
    (product / spread, SUM_ERROR * squares)
}
