//! The entropy of symbols, from how often each value occurs.

use rustc_hash::FxHashMap;

/// How often each value of a symbol was seen. Memory grows with the number of values: bound the sample.
#[derive(Clone, Debug, Default)]
pub struct SymbolCounts {
    counts: FxHashMap<u64, u64>,
    symbols: u64,
}

/// What the counts say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymbolEntropy {
    /// Shannon entropy of one symbol.
    pub bits: f64,
    /// The symbols counted.
    pub symbols: u64,
    /// How many values they had.
    pub distinct: u64,
}

impl SymbolEntropy {
    /// Whether the sample, not the data, may set the entropy: with most values seen once or twice it cannot be much
    /// more than the logarithm of the sample's size, however random the data.
    pub fn is_limited_by_sample(&self) -> bool {
        2 * self.distinct > self.symbols && self.distinct > 1
    }
}

impl SymbolCounts {
    /// Counts one symbol.
    #[inline]
    pub fn add(&mut self, symbol: u64) {
        *self.counts.entry(symbol).or_default() += 1;
        self.symbols += 1;
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: Self) {
        self.symbols += other.symbols;
        for (symbol, count) in other.counts {
            *self.counts.entry(symbol).or_default() += count;
        }
    }

    /// The entropy of what was counted.
    pub fn entropy(&self) -> SymbolEntropy {
        // Sorted, because a sum of floats depends on its order and a map's order on its history.
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        counts.sort_unstable();
        let total = self.symbols as f64;
        let bits = counts.iter().map(|&count| count as f64 / total * (total / count as f64).log2()).sum();
        SymbolEntropy { bits, symbols: self.symbols, distinct: counts.len() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_the_mean_information_of_a_symbol() {
        let entropy = |symbols: &[u64]| {
            let mut counts = SymbolCounts::default();
            for &symbol in symbols {
                counts.add(symbol);
            }
            counts.entropy()
        };
        assert_eq!(entropy(&[0, 1, 2, 3, 4, 5, 6, 7]).bits, 3.0);
        assert_eq!(entropy(&[9, 9, 9, 9]).bits, 0.0);
        assert_eq!(entropy(&[0, 0, 1, 1]).bits, 1.0);
        assert_eq!(entropy(&[0, 0, 1, 2]).bits, 1.5);
        assert_eq!(entropy(&[]).bits, 0.0);
    }

    #[test]
    fn merging_is_counting_together() {
        let mut left = SymbolCounts::default();
        let mut right = SymbolCounts::default();
        let mut both = SymbolCounts::default();
        for symbol in 0..100 {
            let part = if symbol % 3 == 0 { &mut left } else { &mut right };
            part.add(symbol % 7);
            both.add(symbol % 7);
        }
        left.merge(right);
        assert_eq!(left.entropy(), both.entropy());
    }

    #[test]
    fn a_sample_of_different_values_is_too_small_to_tell() {
        let mut counts = SymbolCounts::default();
        (0..1000).for_each(|symbol| counts.add(symbol));
        assert!(counts.entropy().is_limited_by_sample());
        (0..3000).for_each(|symbol| counts.add(symbol % 10));
        assert!(!counts.entropy().is_limited_by_sample());
    }
}
