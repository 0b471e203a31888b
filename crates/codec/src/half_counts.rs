//! How often each 16-bit half of 32-bit words occurs, low and high halves apart: the counts of all narrower symbols follow.

/// Bits of a word.
pub(crate) const WORD_BITS: u32 = 32;

const HALF_BITS: u32 = 16;
const HALF_VALUES: usize = 1 << HALF_BITS;

/// Counts by half x 2^16 + value.
#[derive(Clone, Debug)]
pub(crate) struct HalfCounts(Vec<u64>);

impl Default for HalfCounts {
    fn default() -> Self {
        Self(vec![0; 2 * HALF_VALUES])
    }
}

impl HalfCounts {
    /// Adds words, in memory order.
    pub(crate) fn add_words(&mut self, words: &[[u8; 4]]) {
        let (low, high) = self.0.split_at_mut(HALF_VALUES);
        for word in words {
            let word = u32::from_le_bytes(*word);
            low[(word & 0xffff) as usize] += 1;
            high[(word >> HALF_BITS) as usize] += 1;
        }
    }

    /// Adds what another counter saw.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (count, theirs) in self.0.iter_mut().zip(&other.0) {
            *count += theirs;
        }
    }

    /// Counts by place x values + symbol, for symbols of 4, 8 or 16 bits.
    pub(crate) fn by_place(&self, symbol_bits: u32) -> Vec<u64> {
        let values = 1usize << symbol_bits;
        let places_per_half = (HALF_BITS / symbol_bits) as usize;
        let mut counts = vec![0; 2 * places_per_half * values];
        for (index, &count) in self.0.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let (half, value) = (index / HALF_VALUES, index % HALF_VALUES);
            for place in 0..places_per_half {
                let symbol = (value >> (place * symbol_bits as usize)) % values;
                counts[(half * places_per_half + place) * values + symbol] += count;
            }
        }
        counts
    }

    /// Counts by symbol, all places together.
    pub(crate) fn pooled(by_place: &[u64], symbol_bits: u32) -> Vec<u64> {
        let mut pooled = vec![0; 1 << symbol_bits];
        for place in by_place.chunks_exact(pooled.len()) {
            for (count, of_place) in pooled.iter_mut().zip(place) {
                *count += of_place;
            }
        }
        pooled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_symbols_are_counted_by_their_place_in_the_word() {
        let mut counts = HalfCounts::default();
        counts.add_words(&[0x8765_4321u32.to_le_bytes(), 0x8765_4321u32.to_le_bytes()]);
        let nibbles = counts.by_place(4);
        for place in 0..8 {
            assert_eq!(nibbles[place * 16 + place + 1], 2);
        }
        assert_eq!(nibbles.iter().sum::<u64>(), 16);
        assert_eq!(HalfCounts::pooled(&counts.by_place(8), 8)[0x65], 2);
    }
}
