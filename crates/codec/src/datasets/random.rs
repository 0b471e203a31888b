//! Integers and normal values for the data sets.

use crate::SplitMix64;

/// The generator.
pub(super) struct Random {
    source: SplitMix64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { source: SplitMix64::new(seed) }
    }

    /// The next 64 bits.
    #[inline]
    pub(super) fn bits(&mut self) -> u64 {
        self.source.bits()
    }

    /// An integer below `limit`, with a bias that no benchmark sees.
    #[inline]
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(limit) * (self.bits() >> 32)) >> 32) as u32
    }

    /// A normal value: the sum of twelve uniform ones (mean 6, variance 1) less its mean. The thirteenth term fills
    /// the low bits of the mantissa, which a sum of 16-bit numbers would leave empty.
    #[inline]
    pub(super) fn normal(&mut self) -> f64 {
        let mut sum = 0;
        let mut last = 0;
        for _ in 0..3 {
            last = self.bits();
            sum += (last & 0xffff) + (last >> 16 & 0xffff) + (last >> 32 & 0xffff) + (last >> 48);
        }
        let fraction = (last.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as f64 / 4294967296.0;
        (sum as f64 + fraction) / 65536.0 - 6.0
    }
}
