//! The most frequent values of a sample, in bounded memory.
//!
//! Exact while the sample has no more different values than the capacity. When one more arrives, the
//! median count is subtracted from all and what falls to zero is forgotten, so at least half the table is free again
//! (Misra & Gries, 1982; the purge by the median after Anderson et al., IMC 2017). A count is then a lower bound, short
//! by at most [`FrequentValues::error`], which is at most twice the sample over the capacity.
//!
//! Counting is most of the time of training, and most of its time is waiting for memory. So the table is flat, with
//! linear probing, at most half full, and an entry has eight bytes; the part of a count beyond 2³¹ is kept apart.

use std::hint::black_box;

use rustc_hash::FxHashMap;

/// Different values that training remembers at once: a table of 4 MiB.
pub const TRAINING_CAPACITY: usize = 1 << 18;

/// Counts of values.
#[derive(Clone, Debug)]
pub struct FrequentValues {
    /// A power of two of slots.
    slots: Vec<Slot>,
    used: usize,
    /// By value: what a slot cannot hold of its count, a multiple of [`SLOT_COUNT`].
    carried: FxHashMap<u32, u64>,
    capacity: usize,
    total: u64,
    error: u64,
}

/// A value and its count, 0 where the slot is free.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    value: u32,
    count: u32,
}

/// The most that a slot counts.
const SLOT_COUNT: u64 = 1 << 31;

/// Words whose slots are read together.
const GROUP_WORDS: usize = 16;

const FIRST_SLOTS: usize = 1 << 10;

/// Counts below this are sorted by counting them.
const SMALL_COUNTS: usize = 64;

impl FrequentValues {
    /// An empty sample that will remember at most `capacity` values at once.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            slots: vec![Slot::default(); FIRST_SLOTS],
            used: 0,
            carried: FxHashMap::default(),
            capacity: capacity.max(2),
            total: 0,
            error: 0,
        }
    }

    /// Adds occurrences of a value.
    #[inline]
    pub fn add(&mut self, value: u32, occurrences: u64) {
        if occurrences == 0 {
            return;
        }
        self.total += occurrences;
        let at = self.find(value);
        let slot = &mut self.slots[at];
        let sum = u64::from(slot.count) + occurrences;
        let is_new = slot.count == 0;
        if sum <= SLOT_COUNT {
            *slot = Slot { value, count: sum as u32 };
        } else {
            self.carry(at, value, sum);
        }
        if is_new {
            self.used += 1;
            if self.used > self.capacity {
                self.purge();
            } else if 2 * self.used > self.slots.len() {
                self.rebuild(2 * self.slots.len(), 0);
            }
        }
    }

    /// Adds 32-bit words, in memory order.
    ///
    /// The slots of a few words are read before the first is counted: then the processor waits for all of them at once,
    /// and not again after every wrong guess. Equal neighbours are added together.
    pub fn add_words(&mut self, words: &[[u8; 4]]) {
        for group in words.chunks(GROUP_WORDS) {
            let slots = group.iter().map(|word| self.slots[self.home(u32::from_le_bytes(*word))].count);
            black_box(slots.fold(0, |seen, count| seen | count));
            for run in group.chunk_by(|left, right| left == right) {
                self.add(u32::from_le_bytes(run[0]), run.len() as u64);
            }
        }
    }

    /// Adds another sample. The order of merging matters only for samples that were no longer exact.
    pub fn merge(&mut self, other: &Self) {
        let mut theirs: Vec<(u32, u64)> = other.counts().collect();
        theirs.sort_unstable();
        let their_known: u64 = theirs.iter().map(|&(_, count)| count).sum();
        for (value, count) in theirs {
            self.add(value, count);
        }
        self.total += other.total - their_known;
        self.error += other.error;
    }

    /// The slot that has the value, or the free one where it belongs.
    #[inline(always)]
    fn find(&self, value: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.home(value);
        while self.slots[at].count != 0 && self.slots[at].value != value {
            at = (at + 1) & mask;
        }
        at
    }

    /// Where the search for a value begins.
    #[inline(always)]
    fn home(&self, value: u32) -> usize {
        // The upper bits of the product depend on all bits of the value.
        let hash = u64::from(value).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize & (self.slots.len() - 1)
    }

    #[cold]
    fn carry(&mut self, at: usize, value: u32, sum: u64) {
        // A slot in use never counts 0.
        let kept = (sum - 1) % SLOT_COUNT + 1;
        self.slots[at] = Slot { value, count: kept as u32 };
        *self.carried.entry(value).or_insert(0) += sum - kept;
    }

    /// The values remembered and their counts, in no particular order.
    fn counts(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let used = self.slots.iter().filter(|slot| slot.count != 0);
        used.map(|slot| (slot.value, u64::from(slot.count) + self.carried_of(slot.value)))
    }

    fn carried_of(&self, value: u32) -> u64 {
        if self.carried.is_empty() { 0 } else { self.carried.get(&value).copied().unwrap_or(0) }
    }

    #[cold]
    fn purge(&mut self) {
        let median = self.median();
        self.rebuild(self.slots.len(), median);
        self.error += median;
    }

    /// The middle one of all counts, the higher of two.
    fn median(&self) -> u64 {
        let middle = self.used / 2;
        let mut small = [0; SMALL_COUNTS];
        let mut large: Vec<u64> = Vec::new();
        for (_, count) in self.counts() {
            match small.get_mut(count as usize) {
                Some(seen) => *seen += 1,
                None => large.push(count),
            }
        }
        let mut lighter = 0;
        for (count, seen) in small.iter().enumerate() {
            lighter += seen;
            if lighter > middle {
                return count as u64;
            }
        }
        let (_, median, _) = large.select_nth_unstable(middle - lighter);
        *median
    }

    /// Moves all counts, each less by `reduction`, into `slots` slots; those that fall to zero are forgotten.
    #[cold]
    fn rebuild(&mut self, slots: usize, reduction: u64) {
        let kept: Vec<(u32, u64)> = self
            .counts()
            .map(|(value, count)| (value, count.saturating_sub(reduction)))
            .filter(|&(_, count)| count > 0)
            .collect();
        self.slots.clear();
        self.slots.resize(slots, Slot::default());
        self.carried.clear();
        self.used = kept.len();
        for (value, count) in kept {
            let at = self.find(value);
            if count <= SLOT_COUNT {
                self.slots[at] = Slot { value, count: count as u32 };
            } else {
                self.carry(at, value, count);
            }
        }
    }

    /// All occurrences, remembered or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How much each count may fall short of the truth; 0 while the counts are exact.
    pub fn error(&self) -> u64 {
        self.error
    }

    /// Values and counts, most frequent first, equal counts by value: at most `most` of them.
    pub fn top(&self, most: usize) -> Vec<(u32, u64)> {
        let by_count = |&(value, count): &(u32, u64)| (std::cmp::Reverse(count), value);
        let mut pairs: Vec<(u32, u64)> = self.counts().collect();
        if most < pairs.len() {
            pairs.select_nth_unstable_by_key(most, by_count);
            pairs.truncate(most);
        }
        pairs.sort_unstable_by_key(by_count);
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
    fn counts_beyond_two_to_the_31_are_exact() {
        let mut sample = FrequentValues::with_capacity(3);
        for value in [1, 2] {
            sample.add(value, SLOT_COUNT - 1);
            sample.add(value, 1);
        }
        sample.add(2, 1);
        sample.add(2, 5 * SLOT_COUNT);
        sample.add(3, u64::from(u32::MAX));
        assert_eq!(sample.top(9), [(2, 6 * SLOT_COUNT + 1), (3, 2 * SLOT_COUNT - 1), (1, SLOT_COUNT)]);
        // The fourth value brings the purge: the higher of the two middle counts is taken from all.
        sample.add(4, 1);
        assert_eq!(sample.top(9), [(2, 4 * SLOT_COUNT + 2)]);
        assert_eq!(sample.error(), 2 * SLOT_COUNT - 1);
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
