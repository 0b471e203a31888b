//! Points and feature vectors: clustered, sparse, or uniform in a box.

use super::Rng;

/// `count` points of `features` coordinates around `clusters` centres in the unit cube, point after point.
pub fn clustered(count: usize, features: usize, clusters: usize, spread: f64, rng: &mut Rng) -> Vec<f32> {
    let centres: Vec<f64> = (0..clusters * features).map(|_| rng.unit()).collect();
    let mut points = Vec::with_capacity(count * features);
    for _ in 0..count {
        let centre = rng.below(clusters as u32) as usize * features;
        for feature in 0..features {
            points.push((centres[centre + feature] + spread * rng.normal()) as f32);
        }
    }
    points
}

/// Records like those of a network-intrusion data set: some features are rates in [0, 1] with two decimals, some are
/// large counts, and most entries of a record are exactly zero; each cluster has its own profile.
pub fn mixed_records(count: usize, features: usize, clusters: usize, rng: &mut Rng) -> Vec<f32> {
    let profiles: Vec<(f64, f64)> = (0..clusters * features)
        .map(|index| {
            let is_count = (index % features).is_multiple_of(3);
            (if is_count { 255.0 * rng.unit() } else { rng.unit() }, 0.2 + 0.5 * rng.unit())
        })
        .collect();
    let mut records = Vec::with_capacity(count * features);
    for _ in 0..count {
        let cluster = rng.below(clusters as u32) as usize;
        for &(level, filled_share) in &profiles[cluster * features..(cluster + 1) * features] {
            let value = level * (0.8 + 0.4 * rng.unit());
            let rounded = if level > 1.0 { value.floor() } else { (value * 100.0).floor() / 100.0 };
            records.push(if rng.unit() < filled_share { rounded as f32 } else { 0.0 });
        }
    }
    records
}
