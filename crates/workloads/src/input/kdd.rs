//! Connection records like those of KDD Cup 1999, the input of Rodinia's kmeans.
//!
//! The ten-percent sample of that data set is 57 % smurf, 22 % neptune and 20 % ordinary connections, in long runs of one
//! kind. Of its 38 numeric features the 34 below are kept; the others are zero in almost every record.
//!
//! | features | what they are                                                                              |
//! |----------|--------------------------------------------------------------------------------------------|
//! | 0–14     | duration, bytes sent and received, and twelve counts of a connection's content             |
//! | 15–23    | connections of the last two seconds: two counts up to 511 and seven rates                  |
//! | 24–33    | the last 100 connections to the host: two counts up to 255 and eight rates                 |

use super::Rng;

/// Features of a record.
pub const FEATURES: usize = 34;

#[derive(Clone, Copy)]
enum Kind {
    Smurf,
    Neptune,
    Ordinary,
}

/// `count` records, one after the other.
pub fn records(count: usize, rng: &mut Rng) -> Vec<f32> {
    let mut values = Vec::with_capacity(count * FEATURES);
    let (mut kind, mut left) = (Kind::Ordinary, 1 + rng.below(40));
    for _ in 0..count {
        if left == 0 {
            (kind, left) = next_run(rng);
        }
        left -= 1;
        values.extend(match kind {
            Kind::Smurf => smurf(rng),
            Kind::Neptune => neptune(rng),
            Kind::Ordinary => ordinary(rng),
        });
    }
    values
}

/// What comes next and for how many records; runs of attacks are long.
fn next_run(rng: &mut Rng) -> (Kind, u32) {
    match rng.below(10) {
        0..=1 => (Kind::Smurf, 50 + rng.below(470)),
        2 => (Kind::Neptune, 40 + rng.below(360)),
        _ => (Kind::Ordinary, 1 + rng.below(60)),
    }
}

/// A rate with two decimals.
fn rate(hundredths: u32) -> f32 {
    hundredths as f32 / 100.0
}

/// Echo replies of 1,032 bytes, hundreds in two seconds: almost every record is the same.
fn smurf(rng: &mut Rng) -> [f32; FEATURES] {
    let mut record = [0.0; FEATURES];
    record[1] = if rng.below(5) == 0 { 520.0 } else { 1032.0 };
    let count = if rng.below(10) == 0 { 508 + rng.below(4) } else { 511 } as f32;
    (record[15], record[16]) = (count, count);
    record[21] = 1.0;
    (record[24], record[25]) = (255.0, 255.0);
    (record[26], record[28]) = (1.0, 1.0);
    record
}

/// Half-open connections to many ports.
fn neptune(rng: &mut Rng) -> [f32; FEATURES] {
    let mut record = [0.0; FEATURES];
    let (count, same) = (100 + rng.below(200), 1 + rng.below(20));
    (record[15], record[16]) = (count as f32, same as f32);
    (record[17], record[18]) = (1.0, 1.0);
    (record[21], record[22]) = (rate(same * 100 / count), rate(5 + rng.below(4)));
    (record[24], record[25]) = (255.0, same as f32);
    (record[26], record[27]) = (rate(same * 100 / 255), rate(5 + rng.below(4)));
    (record[30], record[31]) = (1.0, 1.0);
    record
}

/// Ordinary transfers, most of them pages.
fn ordinary(rng: &mut Rng) -> [f32; FEATURES] {
    let mut record = [0.0; FEATURES];
    if rng.below(12) == 0 {
        record[0] = rng.below(2000) as f32;
    }
    record[1] = (150 + rng.below(250)) as f32;
    record[2] = (300.0 + 3000.0 * rng.exponential()).floor() as f32;
    record[7] = 1.0;
    if rng.below(20) == 0 {
        record[5] = (1 + rng.below(4)) as f32;
    }
    let count = 1 + rng.below(30);
    (record[15], record[16]) = (count as f32, (count + rng.below(4)) as f32);
    record[21] = 1.0;
    if rng.below(3) == 0 {
        record[23] = rate(rng.below(40));
    }
    let host = 1 + rng.below(255);
    (record[24], record[25]) = (host as f32, 255.0);
    record[26] = 1.0;
    record[28] = rate(100 / host);
    record[29] = rate(rng.below(8));
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_entries_are_zero_and_the_kinds_have_their_shares() {
        let values = records(100_000, &mut Rng::new(1));
        let zeros = values.iter().filter(|&&value| value == 0.0).count() as f64 / values.len() as f64;
        assert!((0.65..0.85).contains(&zeros), "{zeros}");
        let shares = |is_kind: fn(&[f32]) -> bool| {
            values.chunks_exact(FEATURES).filter(|record| is_kind(record)).count() as f64 / 1e5
        };
        let (smurf, neptune) = (shares(|record| record[15] >= 508.0), shares(|record| record[17] == 1.0));
        assert!((0.47..0.67).contains(&smurf) && (0.15..0.30).contains(&neptune), "{smurf} {neptune}");
    }
}
