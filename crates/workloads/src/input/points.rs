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

/// Feature vectors in which most entries are exactly zero and the rest are small counts, as bags of words are.
pub fn sparse_counts(count: usize, features: usize, filled_share: f64, rng: &mut Rng) -> Vec<f32> {
    let entry = |rng: &mut Rng| {
        if rng.unit() < filled_share { (1.0 + rng.exponential() * 2.0).floor() as f32 } else { 0.0 }
    };
    (0..count * features).map(|_| entry(rng)).collect()
}
