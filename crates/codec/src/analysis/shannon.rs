//! The Shannon bound: what no code over symbols of 4, 8, 16 or 32 bits can beat when symbols are coded one by one.
//!
//! Shannon, "A Mathematical Theory of Communication", 1948; the E2MC paper draws it beside its ratios (figure 9).
//! A bound holds for a code with that many tables: one for all symbols, or one per place inside a 32-bit word (as E2MC has for
//! 4 and 8 bits). Counting 16-bit halves by place gives the counts of all narrower symbols too; 32-bit values are sorted
//! (`word_runs`).
//!
//! The entropy of counts is at most that of what they are a sample of: n symbols never show more than log2 n bits. With k
//! different symbols it falls short by (k - 1) / (2 n ln 2) bits in the mean (Miller, "Note on the bias of information estimates",
//! 1955). Where that is more than [`LARGEST_BIAS`] of the entropy, or where not all values were counted together, the ratio is
//! an upper bound only, and [`ShannonBound::is_exact`] says so.

use super::word_runs::{MOST_VALUES, WordRuns};
use crate::half_counts::{HalfCounts, WORD_BITS};

/// The share of an entropy by which it may fall short and be called exact.
pub const LARGEST_BIAS: f64 = 0.01;

/// Symbol widths that halves give the counts of.
const NARROW_BITS: [u32; 3] = [4, 8, 16];

/// The bound for one symbol width and number of tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShannonBound {
    /// The width of a symbol.
    pub symbol_bits: u32,
    /// How many tables: 1, or one for each place inside a 32-bit word.
    pub tables: u32,
    /// The entropy: the least mean bits of a symbol.
    pub bits_per_symbol: f64,
    /// Whether the data shows the entropy. If not, `bits_per_symbol` is a lower bound of it.
    pub is_exact: bool,
}

impl ShannonBound {
    fn new(symbol_bits: u32, tables: u32, entropy: Entropy) -> Self {
        let is_exact = entropy.bias_bits <= LARGEST_BIAS * entropy.bits;
        Self { symbol_bits, tables, bits_per_symbol: entropy.bits, is_exact }
    }

    /// The best ratio of raw to coded size; infinite for data that is always the same symbol.
    pub fn best_ratio(&self) -> f64 {
        f64::from(self.symbol_bits) / self.bits_per_symbol
    }
}

/// Counts symbols over any amount of data.
#[derive(Clone, Debug)]
pub struct ShannonCounts {
    halves: HalfCounts,
    words: WordRuns,
}

impl Default for ShannonCounts {
    fn default() -> Self {
        Self::with_capacity(MOST_VALUES)
    }
}

impl ShannonCounts {
    /// No data yet; more than `most_values` different 32-bit values are not counted together.
    pub fn with_capacity(most_values: usize) -> Self {
        Self { halves: HalfCounts::default(), words: WordRuns::with_capacity(most_values) }
    }

    /// Adds data, whole 32-bit words of it.
    pub fn observe(&mut self, data: &[u8]) {
        let (words, _) = data.as_chunks::<4>();
        self.halves.add_words(words);
        self.words.add_words(words);
    }

    /// Adds what another counter saw.
    pub fn merge(&mut self, other: Self) {
        self.halves.merge(&other.halves);
        self.words.merge(other.words);
    }

    /// The bounds, by symbol width and number of tables.
    pub fn report(&mut self) -> Vec<ShannonBound> {
        let mut bounds = Vec::with_capacity(2 * NARROW_BITS.len() + 1);
        for symbol_bits in NARROW_BITS {
            let by_place = self.halves.by_place(symbol_bits);
            let pooled = HalfCounts::pooled(&by_place, symbol_bits);
            bounds.push(ShannonBound::new(symbol_bits, 1, Entropy::of(&pooled)));
            let places = by_place.chunks_exact(1 << symbol_bits).map(Entropy::of);
            let tables = WORD_BITS / symbol_bits;
            bounds.push(ShannonBound::new(symbol_bits, tables, Entropy::mean(places, tables)));
        }
        bounds.push(ShannonBound::new(WORD_BITS, 1, self.words()));
        bounds
    }

    fn words(&mut self) -> Entropy {
        let counted = self.words.entropy();
        let bias_bits = counted.values.map_or(f64::INFINITY, |values| bias_bits(values, counted.words));
        Entropy { bits: counted.bits_per_word, bias_bits }
    }
}

/// Bits of a symbol, and by how many they fall short in the mean.
#[derive(Clone, Copy, Debug, Default)]
struct Entropy {
    bits: f64,
    bias_bits: f64,
}

impl Entropy {
    /// Of a distribution given by counts; 0 of nothing.
    fn of(counts: &[u64]) -> Self {
        let total: u64 = counts.iter().sum();
        let seen = || counts.iter().filter(|&&count| count > 0);
        let information = |count: f64| count / total as f64 * (total as f64 / count).log2();
        let bits = seen().map(|&count| information(count as f64)).sum();
        Self { bits, bias_bits: bias_bits(seen().count() as u64, total) }
    }

    fn mean(places: impl Iterator<Item = Self>, tables: u32) -> Self {
        let add = |sum: Self, next: Self| Self {
            bits: sum.bits + next.bits / f64::from(tables),
            bias_bits: sum.bias_bits + next.bias_bits / f64::from(tables),
        };
        places.fold(Self::default(), add)
    }
}

/// Miller's bias of an entropy from `total` symbols with `values` different ones.
fn bias_bits(values: u64, total: u64) -> f64 {
    values.saturating_sub(1) as f64 / (2.0 * std::f64::consts::LN_2 * total.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn bits_of(counts: &mut ShannonCounts, symbol_bits: u32, tables: u32) -> f64 {
        let report = counts.report();
        let row = report.iter().find(|row| (row.symbol_bits, row.tables) == (symbol_bits, tables));
        row.unwrap().bits_per_symbol
    }

    #[test]
    fn four_equally_frequent_words_carry_two_bits() {
        let mut counts = ShannonCounts::default();
        counts.observe(&bytes((0..400).map(|i| i % 4)));
        assert_eq!(bits_of(&mut counts, 32, 1), 2.0);
        assert_eq!(bits_of(&mut counts, 16, 2), 1.0, "two bits in one half, none in the other");
        assert_eq!(bits_of(&mut counts, 8, 4), 0.5);
        assert_eq!(bits_of(&mut counts, 4, 8), 0.25);
        // One table for both halves: 0 five times in eight, 1, 2 and 3 once each.
        let pooled = 0.625 * (8f64 / 5.0).log2() + 3.0 * 0.125 * 3.0;
        assert!((bits_of(&mut counts, 16, 1) - pooled).abs() < 1e-12);
    }

    #[test]
    fn constant_and_empty_data_carry_nothing() {
        let mut counts = ShannonCounts::default();
        assert!(counts.report().iter().all(|row| row.bits_per_symbol == 0.0));
        counts.observe(&bytes([7; 32]));
        assert_eq!(bits_of(&mut counts, 32, 1), 0.0);
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
        parts.merge(rest);
        assert_eq!(parts.report(), whole.report());
    }

    #[test]
    fn parts_that_are_not_counted_together_give_a_lower_bound() {
        let data = bytes((0..20_000u32).map(|i| if i % 3 == 0 { 5 } else { i }));
        let (mut whole, mut parts) = (ShannonCounts::default(), ShannonCounts::with_capacity(256));
        whole.observe(&data);
        for part in data.chunks(4 * 1000) {
            let mut counts = ShannonCounts::with_capacity(256);
            counts.observe(part);
            parts.merge(counts);
        }
        let [whole, parts] = [&mut whole, &mut parts].map(|counts| counts.report()[6]);
        assert!(!parts.is_exact);
        assert!(parts.bits_per_symbol <= whole.bits_per_symbol, "{parts:?} {whole:?}");
        assert!(parts.bits_per_symbol > whole.bits_per_symbol / 2.0, "{parts:?} {whole:?}");
    }

    #[test]
    fn words_that_never_repeat_show_no_more_than_their_number() {
        let mut counts = ShannonCounts::default();
        counts.observe(&bytes((0..4096u32).map(|i| i.wrapping_mul(0x9e37_79b9))));
        let of_words = counts.report()[6];
        assert_eq!((of_words.bits_per_symbol, of_words.is_exact), (12.0, false));
        for _ in 0..100 {
            counts.observe(&bytes((0..4096u32).map(|i| i.wrapping_mul(0x9e37_79b9))));
        }
        let of_words = counts.report()[6];
        assert!((of_words.bits_per_symbol - 12.0).abs() < 1e-9 && of_words.is_exact);
    }
}
