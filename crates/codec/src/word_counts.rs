//! What several trainers want to know of one sample, counted once.

use crate::half_counts::HalfCounts;
use crate::huffman::FrequentValues;
use crate::huffman::frequent::TRAINING_CAPACITY;

/// What a trainer learns from, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LearnsFrom {
    /// How often the 16-bit halves of words occur.
    Halves,
    /// How often 32-bit words occur.
    Words,
    /// Whole blocks, which it must see itself.
    Blocks,
}

/// How often the words of a sample and their halves occur, for trainers that learn from nothing else.
#[derive(Clone, Debug)]
pub struct WordCounts {
    halves: Option<HalfCounts>,
    words: Option<FrequentValues>,
}

impl WordCounts {
    /// Counts what these trainers need; nothing for those that learn from blocks.
    pub fn of(wanted: impl IntoIterator<Item = LearnsFrom>) -> Self {
        let mut counts = Self { halves: None, words: None };
        for learns_from in wanted {
            match learns_from {
                LearnsFrom::Halves => counts.halves = Some(HalfCounts::default()),
                LearnsFrom::Words => counts.words = Some(FrequentValues::with_capacity(TRAINING_CAPACITY)),
                LearnsFrom::Blocks => {}
            }
        }
        counts
    }

    /// Adds whole blocks.
    pub fn observe(&mut self, blocks: &[u8]) {
        let (words, _) = blocks.as_chunks();
        if let Some(halves) = &mut self.halves {
            halves.add_words(words);
        }
        if let Some(counts) = &mut self.words {
            counts.add_words(words);
        }
    }

    /// Adds the halves to those that a trainer counted.
    pub(crate) fn give_halves(&self, counts: &mut HalfCounts) {
        if let Some(halves) = &self.halves {
            counts.merge(halves);
        }
    }

    /// Adds the words to those that a trainer counted.
    pub(crate) fn give_words(&self, counts: &mut FrequentValues) {
        match &self.words {
            // Counts that are no longer exact depend on their order, which a copy keeps.
            Some(words) if counts.total() == 0 => counts.clone_from(words),
            Some(words) => counts.merge(words),
            None => {}
        }
    }
}
