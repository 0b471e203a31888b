//! The Shannon bound: what no code over symbols of 4, 8, 16 or 32 bits can beat when symbols are coded one by one.
//!
//! Shannon, "A Mathematical Theory of Communication", 1948; the E2MC paper draws it beside its ratios (figure 9).
//! A bound holds for a code with that many tables: one for all symbols, or one per place inside a 32-bit word (as E2MC has for
//! 4 and 8 bits). Counting 16-bit halves by place gives the counts of all narrower symbols too. 32-bit values are
//! counted in bounded memory; when a sample has more different values than fit, the entropy reported is a lower bound,
//! so that the ratio stays an upper bound, and [`ShannonBound::is_exact`] says so.

use crate::huffman::FrequentValues;

/// Different 32-bit values counted exactly: some 20 MiB.
pub const MOST_VALUES: usize = 1 << 20;

const HALVES: usize = 2;
const HALF_VALUES: usize = 1 << 16;
const WORD_BITS: u32 = 32;

/// Symbol widths and numbers of tables, in the order of the report.
const ROWS: [(u32, u32); 7] = [(4, 1), (4, 8), (8, 1), (8, 4), (16, 1), (16, 2), (32, 1)];

/// The bound for one symbol width and number of tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShannonBound {
    /// The width of a symbol.
    pub symbol_bits: u32,
    /// How many tables: 1, or one for each place inside a 32-bit word.
    pub tables: u32,
    /// The entropy: the least mean bits of a symbol.
    pub bits_per_symbol: f64,
    /// Whether every symbol was counted. If not, `bits_per_symbol` is a lower bound of the entropy.
    pub is_exact: bool,
}

impl ShannonBound {
    /// The best ratio of raw to coded size; infinite for data that is always the same symbol.
    pub fn best_ratio(&self) -> f64 {
        f64::from(self.symbol_bits) / self.bits_per_symbol
    }
}

/// Counts symbols over any amount of data.
#[derive(Clone, Debug)]
pub struct ShannonCounts {
    /// By place × 2¹⁶ + value.
    halves: Vec<u64>,
    words: FrequentValues,
}

impl Default for ShannonCounts {
    fn default() -> Self {
        Self::with_capacity(MOST_VALUES)
    }
}

impl ShannonCounts {
    /// No data yet; at most `most_values` different 32-bit values are counted exactly.
    pub fn with_capacity(most_values: usize) -> Self {
        Self { halves: vec![0; HALVES * HALF_VALUES], words: FrequentValues::with_capacity(most_values) }
    }

    /// Adds data, whole 32-bit words of it.
    pub fn observe(&mut self, data: &[u8]) {
        let (words, _) = data.as_chunks::<4>();
        for word in words {
            let word = u32::from_le_bytes(*word);
            self.halves[(word & 0xffff) as usize] += 1;
            self.halves[HALF_VALUES + (word >> 16) as usize] += 1;
        }
        self.words.add_words(words);
    }

    /// Adds what another counter saw.
    pub fn merge(&mut self, other: &Self) {
        for (count, theirs) in self.halves.iter_mut().zip(&other.halves) {
            *count += theirs;
        }
        self.words.merge(&other.words);
    }

    /// The bounds, by symbol width and number of tables.
    pub fn report(&self) -> Vec<ShannonBound> {
        ROWS.iter().map(|&(symbol_bits, tables)| self.bound(symbol_bits, tables)).collect()
    }

    /// The bound for one of the widths 4, 8, 16, 32 and 1 or 32 / width tables.
    fn bound(&self, symbol_bits: u32, tables: u32) -> ShannonBound {
        if symbol_bits == WORD_BITS {
            let (bits_per_symbol, is_exact) = (entropy_of_frequent(&self.words), self.words.error() == 0);
            return ShannonBound { symbol_bits, tables, bits_per_symbol, is_exact };
        }
        let by_place = self.counts_by_place(symbol_bits);
        let values = 1 << symbol_bits;
        let bits_per_symbol = if tables == 1 {
            let mut pooled = vec![0; values];
            for (index, count) in by_place.iter().enumerate() {
                pooled[index % values] += count;
            }
            entropy(&pooled)
        } else {
            by_place.chunks_exact(values).map(entropy).sum::<f64>() / f64::from(tables)
        };
        ShannonBound { symbol_bits, tables, bits_per_symbol, is_exact: true }
    }

    /// Counts by place × values + value, for symbols of 4, 8 or 16 bits.
    fn counts_by_place(&self, symbol_bits: u32) -> Vec<u64> {
        let values = 1usize << symbol_bits;
        let places_per_half = (16 / symbol_bits) as usize;
        let mut counts = vec![0; HALVES * places_per_half * values];
        for (index, &count) in self.halves.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let (half, value) = (index / HALF_VALUES, index % HALF_VALUES);
            for place in 0..places_per_half {
                let symbol = (value >> (place * symbol_bits as usize)) % values;
                counts[(half * places_per_half + place) * values + symbol] += count;
            }
        }
        counts
    }
}

/// The entropy of a distribution given by counts, in bits per symbol; 0 of nothing.
fn entropy(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let seen = counts.iter().filter(|&&count| count > 0);
    seen.map(|&count| count as f64 / total * (total / count as f64).log2()).sum()
}

/// The entropy of all values ever counted, or a lower bound where counts are short.
///
/// A value's true count is at most its remembered one plus the error, so each occurrence carries at least the
/// information of that largest count. Occurrences that were forgotten are given to the values where they cost least.
fn entropy_of_frequent(sample: &FrequentValues) -> f64 {
    let total = sample.total() as f64;
    let error = sample.error();
    let remembered = sample.top(usize::MAX);
    let known: u64 = remembered.iter().map(|&(_, count)| count).sum();
    let mut forgotten = sample.total() - known;
    let mut bits = 0.0;
    for &(_, count) in &remembered {
        let given = forgotten.min(error);
        forgotten -= given;
        bits += (count + given) as f64 * (total / (count + error) as f64).log2();
    }
    if forgotten > 0 {
        bits += forgotten as f64 * (total / error as f64).log2();
    }
    if total == 0.0 { 0.0 } else { bits.max(0.0) / total }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn bits_of(counts: &ShannonCounts, symbol_bits: u32, tables: u32) -> f64 {
        let report = counts.report();
        let row = report.iter().find(|row| (row.symbol_bits, row.tables) == (symbol_bits, tables));
        row.unwrap().bits_per_symbol
    }

    #[test]
    fn four_equally_frequent_words_carry_two_bits() {
        let mut counts = ShannonCounts::default();
        counts.observe(&bytes((0..400).map(|i| i % 4)));
        assert_eq!(bits_of(&counts, 32, 1), 2.0);
        assert_eq!(bits_of(&counts, 16, 2), 1.0, "two bits in one half, none in the other");
        assert_eq!(bits_of(&counts, 8, 4), 0.5);
        assert_eq!(bits_of(&counts, 4, 8), 0.25);
        // One table for both halves: 0 five times in eight, 1, 2 and 3 once each.
        let pooled = 0.625 * (8f64 / 5.0).log2() + 3.0 * 0.125 * 3.0;
        assert!((bits_of(&counts, 16, 1) - pooled).abs() < 1e-12);
    }

    #[test]
    fn constant_and_empty_data_carry_nothing() {
        let mut counts = ShannonCounts::default();
        assert!(counts.report().iter().all(|row| row.bits_per_symbol == 0.0));
        counts.observe(&bytes([7; 32]));
        assert_eq!(bits_of(&counts, 32, 1), 0.0);
        assert_eq!(counts.report()[3].best_ratio(), f64::INFINITY);
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let data = bytes((0..4096u32).map(|i| i.wrapping_mul(i) % 977));
        let (front, back) = data.split_at(4 * 1000);
        let (mut whole, mut parts, mut rest) =
            (ShannonCounts::default(), ShannonCounts::default(), ShannonCounts::default());
        whole.observe(&data);
        parts.observe(front);
        rest.observe(back);
        parts.merge(&rest);
        assert_eq!(parts.report(), whole.report());
    }

    #[test]
    fn when_values_are_forgotten_the_bound_is_still_a_bound() {
        let data = bytes((0..20_000u32).map(|i| if i % 3 == 0 { 5 } else { i }));
        let (mut exact, mut short) = (ShannonCounts::default(), ShannonCounts::with_capacity(256));
        exact.observe(&data);
        short.observe(&data);
        let [exact, short] = [&exact, &short].map(|counts| counts.report()[6]);
        assert!(exact.is_exact && !short.is_exact);
        assert!(short.bits_per_symbol <= exact.bits_per_symbol, "{short:?} {exact:?}");
        assert!(short.bits_per_symbol > exact.bits_per_symbol / 2.0, "{short:?} {exact:?}");
    }
}
