//! How often each 32-bit word occurs, by sorting: every word of a part of the data, in bounded memory.
//!
//! Words are collected, sorted and counted; the sorted counts (a *run*) of one collection are merged with those before. A run
//! with more different values than [`MOST_VALUES`] is closed: its entropy is added to a sum, and its counts are forgotten.
//! Entropy is concave, so the mean of the parts' entropies, weighted by their words, is at most the entropy of all.

use std::array;

/// Different values of a run that is not closed yet: some 32 MiB.
pub const MOST_VALUES: usize = 1 << 22;

/// The information of values with fewer occurrences than this is computed once for each count.
const SMALL_COUNTS: usize = 64;

/// Words that are sorted together.
const MOST_PENDING: usize = 1 << 22;

/// Fewer words than this are sorted by comparing them.
const FEW_WORDS: usize = 1 << 12;

const DIGIT_BITS: u32 = 11;
const DIGIT_VALUES: usize = 1 << DIGIT_BITS;
const DIGITS: usize = 3;

/// Counts of words.
#[derive(Clone, Debug)]
pub(super) struct WordRuns {
    most_values: usize,
    pending: Vec<u32>,
    /// Each at least twice as long as the next one, so that a word is merged a logarithmic number of times.
    runs: Vec<SortedRun>,
    closed_parts: u64,
    closed_words: u64,
    closed_bits: f64,
}

/// Values in ascending order, each with its count.
#[derive(Clone, Debug, Default)]
struct SortedRun {
    counts: Vec<(u32, u32)>,
    words: u64,
}

/// What the counts say of the words' entropy.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordEntropy {
    /// The entropy of a word, or a lower bound of it.
    pub bits_per_word: f64,
    /// All words.
    pub words: u64,
    /// The different values, where all words were counted together.
    pub values: Option<u64>,
}

impl WordRuns {
    /// No words yet; runs with more than `most_values` different values are closed.
    pub(super) fn with_capacity(most_values: usize) -> Self {
        Self {
            most_values,
            pending: Vec::new(),
            runs: Vec::new(),
            closed_parts: 0,
            closed_words: 0,
            closed_bits: 0.0,
        }
    }

    /// Adds words, in memory order.
    pub(super) fn add_words(&mut self, mut words: &[[u8; 4]]) {
        while !words.is_empty() {
            let (now, later) = words.split_at(words.len().min(MOST_PENDING - self.pending.len()));
            self.pending.extend(now.iter().map(|word| u32::from_le_bytes(*word)));
            if self.pending.len() == MOST_PENDING {
                self.settle();
            }
            words = later;
        }
    }

    /// Adds what another counter saw.
    pub(super) fn merge(&mut self, mut other: Self) {
        other.settle();
        self.closed_parts += other.closed_parts;
        self.closed_words += other.closed_words;
        self.closed_bits += other.closed_bits;
        for run in other.runs {
            self.push(run);
        }
    }

    /// The entropy of all words.
    pub(super) fn entropy(&mut self) -> WordEntropy {
        self.settle();
        let runs = std::mem::take(&mut self.runs);
        let open = runs.into_iter().rev().reduce(|all, run| run.merged(&all)).unwrap_or_default();
        let words = self.closed_words + open.words;
        let bits = self.closed_bits + open.information_bits();
        let values = match self.closed_parts {
            0 => Some(open.counts.len() as u64),
            _ => None,
        };
        self.runs.push(open);
        let bits_per_word = if words == 0 { 0.0 } else { bits / words as f64 };
        WordEntropy { bits_per_word, words, values }
    }

    /// Counts the words that wait.
    fn settle(&mut self) {
        let mut words = std::mem::take(&mut self.pending);
        sort(&mut words);
        let count = |same: &[u32]| (same[0], same.len() as u32);
        let counts = words.chunk_by(|left, right| left == right).map(count).collect();
        self.push(SortedRun { counts, words: words.len() as u64 });
        words.clear();
        self.pending = words;
    }

    fn push(&mut self, mut run: SortedRun) {
        while let Some(last) = self.runs.pop_if(|last| last.counts.len() < 2 * run.counts.len()) {
            // A count has 32 bits; more words than that are parts of their own.
            if last.words + run.words > u64::from(u32::MAX) {
                self.close(&last);
            } else {
                run = last.merged(&run);
            }
        }
        if run.counts.len() > self.most_values {
            self.close(&run);
        } else if !run.counts.is_empty() {
            self.runs.push(run);
        }
    }

    fn close(&mut self, run: &SortedRun) {
        self.closed_parts += 1;
        self.closed_words += run.words;
        self.closed_bits += run.information_bits();
    }
}

impl SortedRun {
    /// The words of a run times their entropy.
    fn information_bits(&self) -> f64 {
        let words = self.words as f64;
        let of_count = |count: u32| f64::from(count) * (words / f64::from(count)).log2();
        // Most values of most data occur a few times.
        let of_small: [f64; SMALL_COUNTS] = array::from_fn(|count| of_count(count as u32));
        let of_value = |&(_, count): &(u32, u32)| match of_small.get(count as usize) {
            Some(&bits) => bits,
            None => of_count(count),
        };
        self.counts.iter().map(of_value).sum()
    }

    /// The counts of both.
    ///
    /// Which value is next is known when the last two were compared, and that wait is most of the time. So what is below a
    /// value in the middle and what is above it are merged in turn, and the gap between the results is closed.
    fn merged(&self, other: &Self) -> Self {
        let (a, b) = (&*self.counts, &*other.counts);
        let middle_a = a.len() / 2;
        let middle_b = a.get(middle_a).map_or(0, |middle| b.partition_point(|value| value.0 < middle.0));
        let mut counts = vec![(0, 0); a.len() + b.len()];
        let (low_both, high_both) = counts.split_at_mut(middle_a + middle_b);
        let mut low = Merge::new(&a[..middle_a], &b[..middle_b], low_both);
        let mut high = Merge::new(&a[middle_a..], &b[middle_b..], high_both);
        loop {
            let steps = low.certain_steps().min(high.certain_steps());
            if steps == 0 {
                break;
            }
            for _ in 0..steps {
                low.step();
                high.step();
            }
        }
        let (low_len, high_len) = (low.finish(), high.finish());
        let high_start = middle_a + middle_b;
        counts.copy_within(high_start..high_start + high_len, low_len);
        counts.truncate(low_len + high_len);
        Self { counts, words: self.words + other.words }
    }
}

/// Two sorted runs on their way into one.
struct Merge<'a> {
    a: &'a [(u32, u32)],
    b: &'a [(u32, u32)],
    both: &'a mut [(u32, u32)],
    at_a: usize,
    at_b: usize,
    len: usize,
}

impl<'a> Merge<'a> {
    fn new(a: &'a [(u32, u32)], b: &'a [(u32, u32)], both: &'a mut [(u32, u32)]) -> Self {
        Self { a, b, both, at_a: 0, at_b: 0, len: 0 }
    }

    /// How many steps there are values for on both sides.
    fn certain_steps(&self) -> usize {
        (self.a.len() - self.at_a).min(self.b.len() - self.at_b)
    }

    /// Takes the smaller value, or one that both have, without a branch: on most data that could not be predicted.
    #[inline(always)]
    fn step(&mut self) {
        let ((left, left_count), (right, right_count)) = (self.a[self.at_a], self.b[self.at_b]);
        let (takes_a, takes_b) = (left <= right, right <= left);
        let count = left_count * u32::from(takes_a) + right_count * u32::from(takes_b);
        self.both[self.len] = (left.min(right), count);
        self.at_a += usize::from(takes_a);
        self.at_b += usize::from(takes_b);
        self.len += 1;
    }

    /// Takes all that is left, and gives the length of the whole.
    fn finish(mut self) -> usize {
        while self.certain_steps() > 0 {
            for _ in 0..self.certain_steps() {
                self.step();
            }
        }
        for rest in [&self.a[self.at_a..], &self.b[self.at_b..]] {
            self.both[self.len..self.len + rest.len()].copy_from_slice(rest);
            self.len += rest.len();
        }
        self.len
    }
}

/// Sorts words, digit by digit from the lowest.
fn sort(words: &mut Vec<u32>) {
    if words.len() < FEW_WORDS {
        return words.sort_unstable();
    }
    let digit = |word: u32, place: usize| (word >> (place as u32 * DIGIT_BITS)) as usize % DIGIT_VALUES;
    let mut counts = vec![[0u32; DIGIT_VALUES]; DIGITS];
    for &word in &*words {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[digit(word, place)] += 1;
        }
    }
    let mut sorted = vec![0; words.len()];
    for (place, counts) in counts.iter_mut().enumerate() {
        if counts.contains(&(words.len() as u32)) {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            (*count, next) = (next, next + *count);
        }
        for &word in &*words {
            let place = &mut counts[digit(word, place)];
            sorted[*place as usize] = word;
            *place += 1;
        }
        std::mem::swap(words, &mut sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<[u8; 4]> {
        words.iter().map(|word| word.to_le_bytes()).collect()
    }

    fn noise(count: u32, values: u64) -> Vec<u32> {
        (0..u64::from(count))
            .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % values)
            .map(|word| word as u32)
            .collect()
    }

    #[test]
    fn digits_sort_as_comparisons_do() {
        for values in [3, 1000, 1 << 20, 1 << 32] {
            let mut by_digit = noise(10_000, values);
            let mut by_comparison = by_digit.clone();
            sort(&mut by_digit);
            by_comparison.sort_unstable();
            assert_eq!(by_digit, by_comparison, "{values} values");
        }
    }

    #[test]
    fn many_small_parts_have_the_entropy_of_the_whole() {
        let words = noise(50_000, 700);
        let mut whole = WordRuns::with_capacity(MOST_VALUES);
        whole.add_words(&bytes(&words));
        let mut parts = WordRuns::with_capacity(MOST_VALUES);
        for part in words.chunks(77) {
            let mut counts = WordRuns::with_capacity(MOST_VALUES);
            counts.add_words(&bytes(part));
            parts.merge(counts);
        }
        let (whole, parts) = (whole.entropy(), parts.entropy());
        assert_eq!((whole.words, whole.values), (50_000, Some(700)));
        assert_eq!((parts.words, parts.values), (50_000, Some(700)));
        assert!((whole.bits_per_word - parts.bits_per_word).abs() < 1e-9);
    }
}
