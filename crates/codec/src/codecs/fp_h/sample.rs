//! How often each value of a field occurs: in a table of all values where the field is narrow, in bounded memory where not.

use crate::huffman::FrequentValues;
use crate::huffman::direct_index::WIDEST_BITS;
use crate::huffman::frequent::TRAINING_CAPACITY;
use crate::huffman::stream::Word;

/// Counts of a field of `BITS` bits.
pub(super) enum FieldSample<const BITS: u32> {
    All(Vec<u64>),
    Frequent(FrequentValues),
}

impl<const BITS: u32> FieldSample<BITS> {
    pub(super) fn new() -> Self {
        match BITS {
            0..=WIDEST_BITS => Self::All(vec![0; 1 << BITS]),
            _ => Self::Frequent(FrequentValues::with_capacity(TRAINING_CAPACITY)),
        }
    }

    /// Adds the values of a block.
    pub(super) fn add(&mut self, values: &[Word]) {
        match self {
            Self::All(counts) => {
                for value in values {
                    counts[u32::from_le_bytes(*value) as usize % (1 << BITS)] += 1;
                }
            }
            Self::Frequent(counts) => counts.add_words(values),
        }
    }

    /// Values and counts, most frequent first, equal counts by value: at most `most` of them.
    pub(super) fn top(&self, most: usize) -> Vec<(u32, u64)> {
        let counts = match self {
            Self::All(counts) => counts,
            Self::Frequent(counts) => return counts.top(most),
        };
        let mut pairs: Vec<(u32, u64)> =
            (0..).zip(counts.iter().copied()).filter(|&(_, count)| count > 0).collect();
        pairs.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        pairs.truncate(most);
        pairs
    }

    /// All occurrences.
    pub(super) fn total(&self) -> u64 {
        match self {
            Self::All(counts) => counts.iter().sum(),
            Self::Frequent(counts) => counts.total(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_all_values_says_what_a_bounded_one_says() {
        let values: Vec<Word> = (0..5000u32).map(|i| (i * i % 1999).to_le_bytes()).collect();
        let mut all = FieldSample::<11>::new();
        let mut bounded = FrequentValues::with_capacity(TRAINING_CAPACITY);
        all.add(&values);
        bounded.add_words(&values);
        assert!(matches!(all, FieldSample::All(_)));
        assert_eq!((all.top(1024), all.total()), (bounded.top(1024), bounded.total()));
    }
}
