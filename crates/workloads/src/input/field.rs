//! Smooth physical fields and well-behaved matrices.

use super::Rng;

/// A smooth field: an ambient value and a few Gaussian bumps, as heat sources or charges make.
pub fn bumps(width: usize, height: usize, ambient: f32, peak: f32, count: usize, rng: &mut Rng) -> Vec<f32> {
    let centres: Vec<(f64, f64, f64, f64)> = (0..count)
        .map(|_| {
            let reach = (0.04 + 0.1 * rng.unit()) * width.min(height) as f64;
            (rng.unit() * width as f64, rng.unit() * height as f64, reach, rng.unit() * f64::from(peak))
        })
        .collect();
    let mut field = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let value: f64 = centres
                .iter()
                .map(|&(cx, cy, reach, height)| {
                    let (dx, dy) = ((x as f64 - cx) / reach, (y as f64 - cy) / reach);
                    height * libm::exp(-0.5 * (dx * dx + dy * dy))
                })
                .sum();
            field.push(ambient + value as f32);
        }
    }
    field
}
