//! Random numbers from a seeded generator, the same everywhere.

use super::number::{Number, is_float};
use super::spec::{Distribution, Random};
use shrinkwarp_codec::SplitMix64;
use shrinkwarp_formats::Dtype;

impl Random {
    /// What keeps these numbers from being drawn.
    pub fn check(&self) -> Result<(), String> {
        let (low, high) = (self.low.as_f64(), self.high.as_f64());
        let numbers = [("low", low), ("high", high), ("mean", self.mean), ("deviation", self.deviation)];
        if let Some((name, value)) = numbers.iter().find(|(_, value)| !value.is_finite()) {
            return Err(format!("{name} = {value}: must be a finite number"));
        }
        if self.deviation < 0.0 {
            return Err(format!("deviation = {}: must be 0 or more", self.deviation));
        }
        if low >= high {
            return Err(format!("low = {} must be below high = {}", self.low, self.high));
        }
        if !(high - low).is_finite() {
            return Err(format!("low = {} and high = {} are too far apart", self.low, self.high));
        }
        if self.distribution == Distribution::Integers && self.low.as_i64() >= self.high.as_i64() {
            return Err(format!("there is no integer from low = {} up to high = {}", self.low, self.high));
        }
        Ok(())
    }
}

/// A seeded generator.
pub struct Generator(SplitMix64);

impl Generator {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
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
        Number::Integer(low.wrapping_add((self.0.bits() % width.max(1)) as i64))
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.0.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}
