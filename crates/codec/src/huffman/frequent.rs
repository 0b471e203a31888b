//! The most frequent values of a sample, in bounded memory.
//!
//! Exact while the sample has no more different values than the capacity. When one more arrives, the
//! median count is subtracted from all and what falls to zero is forgotten, so at least half the table is free again
//! (Misra & Gries, 1982; the purge by the median after Anderson et al., IMC 2017). A count is then a lower bound, short
//! by at most [`FrequentValues::error`], which is at most twice the sample over the capacity.
//!
//! Counting is most of the time of training, and most of its time is waiting: for memory, and for wrong guesses of whether a
//! value is new and where its search ends. So the table is flat and at most half full, a bucket of eight values and counts is
//! one cache line, and a value is counted without a branch on what its bucket holds. The part of a count beyond 2³¹ is kept apart.

use rustc_hash::FxHashMap;

/// Different values that training remembers at once: a table of 4 MiB.
pub const TRAINING_CAPACITY: usize = 1 << 18;

/// Counts of values.
#[derive(Clone, Debug)]
pub struct FrequentValues {
    /// A power of two of them. A value that finds its own bucket full is in one of the next.
    buckets: Vec<Bucket>,
    used: usize,
    /// By value: what a bucket cannot hold of its count, a multiple of [`MOST_COUNT`].
    carried: FxHashMap<u32, u64>,
    capacity: usize,
    total: u64,
    error: u64,
}

/// Values and their counts. Lanes are used from the first; a free one has value and count 0.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket {
    values: [u32; LANES],
    counts: [u32; LANES],
}

/// The values of a bucket.
const LANES: usize = 8;

/// The most that a bucket counts of one value.
const MOST_COUNT: u64 = 1 << 31;

const FIRST_BUCKETS: usize = 1 << 7;

/// How many words before its turn the bucket of a word is fetched: longer than the third-level cache takes.
const PREFETCHED_WORDS: usize = 16;

/// The median is found by counting counts below this.
const SMALL_COUNTS: usize = 64;

impl Bucket {
    /// The lane that has the value, or else the first free one; [`LANES`] or more if there is neither.
    #[inline(always)]
    fn lane_for(&self, value: u32) -> usize {
        #[cfg(target_arch = "x86_64")]
        let lanes = self.lanes_with_sse2(value);
        #[cfg(not(target_arch = "x86_64"))]
        let lanes = self.lanes(value);
        lanes.trailing_zeros() as usize
    }

    /// One bit for each lane that has the value or is free.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn lanes(&self, value: u32) -> u32 {
        let is_for = |lane: usize| self.values[lane] == value || self.counts[lane] == 0;
        (0..LANES).fold(0, |lanes, lane| lanes | u32::from(is_for(lane)) << lane)
    }

    /// The same; the compiler does not make three instructions of the shifts.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn lanes_with_sse2(&self, value: u32) -> u32 {
        use std::arch::x86_64::{
            _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_packs_epi16,
            _mm_packs_epi32, _mm_set1_epi32, _mm_setzero_si128,
        };
        let (values, _) = self.values.as_chunks::<4>();
        let (counts, _) = self.counts.as_chunks::<4>();
        let half = |index: usize| {
            // SAFETY: four words are there, and the loads need no alignment; every x86-64 has SSE2.
            unsafe {
                let is_value = _mm_cmpeq_epi32(
                    _mm_loadu_si128(values[index].as_ptr().cast()),
                    _mm_set1_epi32(value as i32),
                );
                let is_free =
                    _mm_cmpeq_epi32(_mm_loadu_si128(counts[index].as_ptr().cast()), _mm_setzero_si128());
                _mm_or_si128(is_value, is_free)
            }
        };
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let lanes = _mm_packs_epi16(_mm_packs_epi32(half(0), half(1)), _mm_setzero_si128());
            _mm_movemask_epi8(lanes) as u32
        }
    }

    /// Asks for the bucket's cache line, which is counted in a little later.
    #[inline(always)]
    fn prefetch(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self).cast());
        }
    }
}

impl FrequentValues {
    /// An empty sample that will remember at most `capacity` values at once.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            buckets: vec![Bucket::default(); FIRST_BUCKETS],
            used: 0,
            carried: FxHashMap::default(),
            capacity: capacity.max(2),
            total: 0,
            error: 0,
        }
    }

    /// Adds occurrences of a value.
    pub fn add(&mut self, value: u32, occurrences: u64) {
        if occurrences == 0 {
            return;
        }
        self.total += occurrences;
        let (bucket, lane) = find(&self.buckets, value);
        let before = self.buckets[bucket].counts[lane];
        self.set(bucket, lane, value, u64::from(before) + occurrences);
        if before == 0 {
            self.used += 1;
            if self.used > self.capacity {
                self.purge();
            } else if 2 * self.used > self.slots() {
                self.rebuild(2 * self.buckets.len(), 0);
            }
        }
    }

    /// Adds 32-bit words, in memory order. As many as have room if all are new are added without asking after each.
    pub fn add_words(&mut self, words: &[[u8; 4]]) {
        let mut rest = words;
        while let Some(first) = rest.first() {
            let room = (self.slots() / 2).min(self.capacity) - self.used;
            if room == 0 {
                self.add(u32::from_le_bytes(*first), 1);
                rest = &rest[1..];
                continue;
            }
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.add_with_room(now);
            rest = later;
        }
    }

    fn add_with_room(&mut self, words: &[[u8; 4]]) {
        let mut new = 0;
        for (index, word) in words.iter().enumerate() {
            if let Some(later) = words.get(index + PREFETCHED_WORDS) {
                self.buckets[home(&self.buckets, u32::from_le_bytes(*later))].prefetch();
            }
            let value = u32::from_le_bytes(*word);
            let (bucket, lane) = find(&self.buckets, value);
            let Bucket { values, counts } = &mut self.buckets[bucket];
            let before = counts[lane];
            new += usize::from(before == 0);
            values[lane] = value;
            counts[lane] = before + 1;
            if u64::from(before) == MOST_COUNT {
                self.set(bucket, lane, value, u64::from(before) + 1);
            }
        }
        self.used += new;
        self.total += words.len() as u64;
    }

    /// Adds another sample. The order of merging matters only for samples that were no longer exact.
    pub fn merge(&mut self, other: &Self) {
        let mut theirs = other.counts_above(0);
        theirs.sort_unstable();
        let their_known: u64 = theirs.iter().map(|&(_, count)| count).sum();
        for (value, count) in theirs {
            self.add(value, count);
        }
        self.total += other.total - their_known;
        self.error += other.error;
    }

    fn slots(&self) -> usize {
        LANES * self.buckets.len()
    }

    /// Gives a lane a value and the count `sum`, of which it holds what it can.
    #[inline(always)]
    fn set(&mut self, bucket: usize, lane: usize, value: u32, sum: u64) {
        // A lane in use never counts 0.
        let kept = (sum - 1) % MOST_COUNT + 1;
        if kept != sum {
            *self.carried.entry(value).or_insert(0) += sum - kept;
        }
        self.buckets[bucket].values[lane] = value;
        self.buckets[bucket].counts[lane] = kept as u32;
    }

    /// The values that were counted more than `least` times, with the rest of their counts, in no particular order.
    fn counts_above(&self, least: u64) -> Vec<(u32, u64)> {
        // Every lane is stored and the next one takes its place if it does not count: what a branch would ask is not to
        // be guessed. One more entry than values has room for the last store.
        let mut above = vec![(0, 0); self.used + 1];
        let mut len = 0;
        for bucket in &self.buckets {
            for (&value, &count) in bucket.values.iter().zip(&bucket.counts) {
                let sum = u64::from(count) + if count == 0 { 0 } else { self.carried_of(value) };
                above[len] = (value, sum.saturating_sub(least));
                len += usize::from(sum > least);
            }
        }
        above.truncate(len);
        above
    }

    #[inline(always)]
    fn carried_of(&self, value: u32) -> u64 {
        if self.carried.is_empty() { 0 } else { self.carried.get(&value).copied().unwrap_or(0) }
    }

    #[cold]
    fn purge(&mut self) {
        let median = self.median();
        self.rebuild(self.buckets.len(), median);
        self.error += median;
    }

    /// The middle one of all counts, the higher of two.
    fn median(&self) -> u64 {
        let middle = self.used / 2;
        // A row for each lane: increments of one place in a row would wait for each other.
        let mut seen = [[0; SMALL_COUNTS]; LANES];
        for bucket in &self.buckets {
            for (seen, &count) in seen.iter_mut().zip(&bucket.counts) {
                seen[(count as usize).min(SMALL_COUNTS - 1)] += 1;
            }
        }
        let mut lighter = 0;
        // The last place has all larger counts as well, the first the free lanes.
        for count in 1..SMALL_COUNTS - 1 {
            lighter += seen.iter().map(|of_lane| of_lane[count]).sum::<usize>();
            if lighter > middle && self.carried.is_empty() {
                return count as u64;
            }
        }
        let mut counts = self.counts_above(0);
        let (_, &mut (_, median), _) = counts.select_nth_unstable_by_key(middle, |&(_, count)| count);
        median
    }

    /// Moves all counts, each less by `reduction`, into as many buckets; those that fall to zero are forgotten.
    #[cold]
    fn rebuild(&mut self, buckets: usize, reduction: u64) {
        let kept = self.counts_above(reduction);
        self.buckets.clear();
        self.buckets.resize(buckets, Bucket::default());
        self.carried.clear();
        self.used = kept.len();
        for (value, count) in kept {
            let (bucket, lane) = find(&self.buckets, value);
            self.set(bucket, lane, value, count);
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
        let mut pairs = self.counts_above(0);
        if most < pairs.len() {
            pairs.select_nth_unstable_by_key(most, by_count);
            pairs.truncate(most);
        }
        pairs.sort_unstable_by_key(by_count);
        pairs
    }
}

/// The bucket where the search for a value begins.
#[inline(always)]
fn home(buckets: &[Bucket], value: u32) -> usize {
    // The upper bits of the product depend on all bits of the value.
    let hash = u64::from(value).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    hash as usize & (buckets.len() - 1)
}

/// The bucket and the lane that have the value, or the free ones where it belongs.
#[inline(always)]
fn find(buckets: &[Bucket], value: u32) -> (usize, usize) {
    let mut bucket = home(buckets, value);
    loop {
        let lane = buckets[bucket].lane_for(value);
        if lane < LANES {
            return (bucket, lane);
        }
        bucket = (bucket + 1) & (buckets.len() - 1);
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
            sample.add(value, MOST_COUNT - 1);
            sample.add(value, 1);
        }
        sample.add(2, 1);
        sample.add(2, 5 * MOST_COUNT);
        sample.add(3, u64::from(u32::MAX));
        assert_eq!(sample.top(9), [(2, 6 * MOST_COUNT + 1), (3, 2 * MOST_COUNT - 1), (1, MOST_COUNT)]);
        // The fourth value brings the purge: the higher of the two middle counts is taken from all.
        sample.add(4, 1);
        assert_eq!(sample.top(9), [(2, 4 * MOST_COUNT + 2)]);
        assert_eq!(sample.error(), 2 * MOST_COUNT - 1);
    }

    #[test]
    fn words_are_counted_as_single_values_are() {
        let words: Vec<[u8; 4]> =
            (0..60_000u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> (i % 32)).to_le_bytes()).collect();
        for capacity in [100, 5000, 1 << 18] {
            let [mut together, mut one_by_one] = [(); 2].map(|()| FrequentValues::with_capacity(capacity));
            together.add_words(&words);
            for word in &words {
                one_by_one.add(u32::from_le_bytes(*word), 1);
            }
            assert_eq!(together.top(capacity), one_by_one.top(capacity));
            assert_eq!((together.total(), together.error()), (one_by_one.total(), one_by_one.error()));
        }
    }

    #[test]
    fn a_value_has_its_lane_or_the_first_free_one() {
        let bucket = Bucket { values: [7, 0, 9, 0, 0, 0, 0, 0], counts: [1, 2, 3, 0, 0, 0, 0, 0] };
        for (value, lane) in [(7, 0), (0, 1), (9, 2), (8, 3)] {
            assert_eq!(bucket.lane_for(value), lane);
            assert_eq!(bucket.lanes(value).trailing_zeros() as usize, lane);
        }
        assert!(Bucket { values: [1; LANES], counts: [1; LANES] }.lane_for(2) >= LANES);
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
