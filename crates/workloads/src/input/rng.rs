//! The one source of chance: xoshiro256** seeded by splitmix64 (Blackman & Vigna, 2018).

use shrinkwarp_codec::SplitMix64;

/// A seeded generator; the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Self {
        let mut seeds = SplitMix64::new(seed);
        Self { state: std::array::from_fn(|_| seeds.bits()) }
    }

    /// 64 uniform bits.
    pub fn bits(&mut self) -> u64 {
        let result = self.state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = self.state[1] << 17;
        self.state[2] ^= self.state[0];
        self.state[3] ^= self.state[1];
        self.state[1] ^= self.state[2];
        self.state[0] ^= self.state[3];
        self.state[2] ^= shifted;
        self.state[3] = self.state[3].rotate_left(45);
        result
    }

    /// A uniform integer below `bound` (which is at least 1).
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A uniform number in [0, 1) with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A uniform f32 in [low, high).
    pub fn uniform(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit() as f32
    }

    /// A normal number with mean 0 and deviation 1 (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// An exponentially distributed number with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Shuffles in place.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// A Zipf distribution over `0..count`: rank r is drawn with probability proportional to 1 / (r + 1)^exponent.
#[derive(Clone, Debug)]
pub struct Zipf {
    cumulative: Vec<f64>,
}

impl Zipf {
    /// The distribution's table.
    pub fn new(count: usize, exponent: f64) -> Self {
        let mut total = 0.0;
        let cumulative = (1..=count)
            .map(|rank| {
                total += libm::pow(rank as f64, -exponent);
                total
            })
            .collect();
        Self { cumulative }
    }

    /// Draws a rank.
    pub fn draw(&self, rng: &mut Rng) -> usize {
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        let target = rng.unit() * total;
        self.cumulative.partition_point(|&sum| sum <= target).min(self.cumulative.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            (rng.bits(), rng.below(1000), rng.unit().to_bits(), rng.normal().to_bits())
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn zipf_draws_low_ranks_most_often() {
        let (zipf, mut rng) = (Zipf::new(100, 1.0), Rng::new(1));
        let mut counts = [0u32; 100];
        for _ in 0..20_000 {
            counts[zipf.draw(&mut rng)] += 1;
        }
        // H(100) is about 5.19, so rank 0 has 19 % and rank 9 has 1.9 %.
        assert!((3_500..4_200).contains(&counts[0]), "{}", counts[0]);
        assert!((280..500).contains(&counts[9]), "{}", counts[9]);
    }
}
