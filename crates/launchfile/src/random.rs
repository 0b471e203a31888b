//! Random numbers from a seeded generator, the same everywhere.

use super::number::{Number, is_float};
use super::spec::{Distribution, Random};
use shrinkwarp_formats::Dtype;

/// SplitMix64 (Steele et al., 2014): small and seeded.
pub struct Generator(u64);

impl Generator {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number of a distribution, in the sense of an element type.
    pub fn next_in(&mut self, random: &Random, dtype: Dtype) -> Number {
        match (random.distribution, random.low, random.high) {
            (Distribution::Uniform, Number::Integer(low), Number::Integer(high)) if !is_float(dtype) => {
                self.whole_between(low, high)
            }
            (Distribution::Integers, low, high) => self.whole_between(low.as_i64(), high.as_i64()),
            (Distribution::Uniform, low, high) => {
                let value = low.as_f64() + (high.as_f64() - low.as_f64()) * self.unit();
                Number::Float(if is_float(dtype) { value } else { value.trunc() })
            }
            (Distribution::Normal, ..) => {
                // Box and Muller's transform of two uniform numbers.
                let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
                let angle = std::f64::consts::TAU * self.unit();
                let value = random.mean + random.deviation * radius * angle.cos();
                Number::Float(if is_float(dtype) { value } else { value.trunc() })
            }
        }
    }

    /// In low .. high.
    fn whole_between(&mut self, low: i64, high: i64) -> Number {
        let width = high.wrapping_sub(low) as u64;
        Number::Integer(low.wrapping_add((self.next() % width.max(1)) as i64))
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
