//! The most frequent values of a sample, in bounded memory.
//!
//! Exact while the sample has no more than [`FrequentValues::capacity`] different values. When one more arrives, the
//! median count is subtracted from all and what falls to zero is forgotten, so at least half the table is free again
//! (Misra & Gries, 1982; the purge by the median after Anderson et al., IMC 2017). A count is then a lower bound, short
//! by at most [`FrequentValues::error`], which is at most twice the sample over the capacity.

use rustc_hash::FxHashMap;

/// Different values that training remembers at once (4 MiB or so).
pub const TRAINING_CAPACITY: usize = 1 << 18;

/// Counts of values.
#[derive(Clone, Debug)]
pub struct FrequentValues {
    counts: FxHashMap<u32, u64>,
    capacity: usize,
    total: u64,
    error: u64,
}

impl FrequentValues {
    /// An empty sample that will remember at most `capacity` values at once.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { counts: FxHashMap::default(), capacity: capacity.max(2), total: 0, error: 0 }
    }

    /// Adds occurrences of a value.
    #[inline]
    pub fn add(&mut self, value: u32, occurrences: u64) {
        self.total += occurrences;
        *self.counts.entry(value).or_insert(0) += occurrences;
        if self.counts.len() > self.capacity {
            self.purge();
        }
    }

    /// Adds 32-bit words, in memory order.
    pub fn add_words(&mut self, words: &[[u8; 4]]) {
        for word in words {
            self.add(u32::from_le_bytes(*word), 1);
        }
    }

    /// Adds another sample. The order of merging matters only for samples that were no longer exact.
    pub fn merge(&mut self, other: &Self) {
        let mut theirs: Vec<(u32, u64)> =
            other.counts.iter().map(|(&value, &count)| (value, count)).collect();
        theirs.sort_unstable();
        let their_known: u64 = theirs.iter().map(|&(_, count)| count).sum();
        for (value, count) in theirs {
            self.add(value, count);
        }
        self.total += other.total - their_known;
        self.error += other.error;
    }

    #[cold]
    fn purge(&mut self) {
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        let middle = counts.len() / 2;
        let (_, &mut median, _) = counts.select_nth_unstable(middle);
        self.counts.retain(|_, count| {
            *count = count.saturating_sub(median);
            *count > 0
        });
        self.error += median;
    }

    /// All occurrences, remembered or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How much each count may fall short of the truth; 0 while the counts are exact.
    pub fn error(&self) -> u64 {
        self.error
    }

    /// The values remembered at once.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Values and counts, most frequent first, equal counts by value: at most `most` of them.
    pub fn top(&self, most: usize) -> Vec<(u32, u64)> {
        let mut pairs: Vec<(u32, u64)> = self.counts.iter().map(|(&value, &count)| (value, count)).collect();
        pairs.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
        pairs.truncate(most);
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_up_to_the_capacity() {
        let mut sample = FrequentValues::with_capacity(4);
        for value in [7, 7, 9, 1, 3, 3] {
            sample.add(value, 1);
        }
        assert_eq!(sample.top(9), [(3, 2), (7, 2), (1, 1), (9, 1)]);
        assert_eq!(sample.top(1), [(3, 2)]);
        assert_eq!((sample.total(), sample.error()), (6, 0));
    }

    #[test]
    fn beyond_the_capacity_frequent_values_survive_within_the_error() {
        let mut sample = FrequentValues::with_capacity(64);
        for round in 0..10_000 {
            sample.add(5, 1);
            sample.add(1000 + round, 1);
        }
        let (value, count) = sample.top(1)[0];
        assert_eq!(value, 5);
        assert!(sample.error() > 0 && sample.error() <= 2 * sample.total() / 64);
        assert!(count + sample.error() >= 10_000 && count <= 10_000);
    }

    #[test]
    fn merging_exact_samples_is_counting_both() {
        let (mut a, mut b) = (FrequentValues::with_capacity(8), FrequentValues::with_capacity(8));
        a.add(1, 2);
        b.add(1, 3);
        b.add(2, 1);
        a.merge(&b);
        assert_eq!(a.top(9), [(1, 5), (2, 1)]);
        assert_eq!(a.total(), 6);
    }
}
