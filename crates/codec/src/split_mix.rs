//! SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): a small generator whose numbers are the same everywhere.

/// The generator.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_seed_zero_are_those_of_the_authors_program() {
        let mut generator = SplitMix64::new(0);
        assert_eq!(generator.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(generator.bits(), 0x6e78_9e6a_a1b9_65f4);
    }
}
