//! The dictionary of C-PACK: 16 words, first in, first out, searched all at once.
//!
//! Every entry of the dictionary is a word of the same block, so it is kept as a set of word positions, one bit
//! each. A word is compared with all words of the block byte by byte, which gives sets of positions too; the search is
//! then an intersection.

use crate::bits::MAX_WORDS;

pub(super) const INDEX_BITS: u32 = 4;

/// How many words it holds.
pub(super) const ENTRIES: u32 = 1 << INDEX_BITS;

/// Word positions, one bit each, the first lowest.
pub(super) type Positions = u32;

/// The dictionary while a block is compressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dictionary {
    present: Positions,
    /// The words that ever were.
    pushed: Positions,
    /// The words pushed after the first 16, which took slots from 0 on again.
    second_round: Positions,
    /// How many ever were.
    pushes: u32,
}

impl Dictionary {
    pub(super) const fn new() -> Self {
        Self { present: 0, pushed: 0, second_round: 0, pushes: 0 }
    }

    /// After a block whose words were all pushed.
    pub(super) const fn of_all() -> Self {
        let (mut dictionary, mut position) = (Self::new(), 0);
        while position < MAX_WORDS {
            dictionary.push(1, position);
            position += 1;
        }
        dictionary
    }

    /// After these words were pushed; none if they are more than it holds.
    #[inline(always)]
    pub(super) const fn of_few(pushed: Positions) -> Option<Self> {
        let pushes = pushed.count_ones();
        if pushes > ENTRIES {
            return None;
        }
        Some(Self { present: pushed, pushed, second_round: 0, pushes })
    }

    /// The words that are in it now.
    #[inline(always)]
    pub(super) const fn present(&self) -> Positions {
        self.present
    }

    /// Adds word `position` `count` times, 0 or 1, in the place of the oldest if all 16 are taken.
    ///
    /// A number, not a claim: arithmetic has no branch, and which words are pushed cannot be predicted.
    #[inline(always)]
    pub(super) const fn push(&mut self, count: u32, position: usize) {
        let added = count << position;
        let oldest = self.present & self.present.wrapping_neg();
        let is_full = self.pushes >= ENTRIES;
        self.present ^= if is_full { oldest & 0u32.wrapping_sub(count) } else { 0 };
        self.present |= added;
        self.second_round |= if is_full { added } else { 0 };
        self.pushed |= added;
        self.pushes += count;
    }

    /// The lowest slot among `candidates`, which are in the dictionary.
    #[inline(always)]
    pub(super) fn lowest_slot(&self, candidates: Positions) -> u32 {
        let newer = candidates & self.second_round;
        let chosen = if newer == 0 { candidates } else { newer };
        let before = (chosen & chosen.wrapping_neg()).wrapping_sub(1);
        (self.pushed & before).count_ones() % ENTRIES
    }
}

/// The dictionary while a block is decompressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    /// The upper half takes the words that are not pushed, because a store is cheaper than a branch.
    words: [u32; 2 * ENTRIES as usize],
    pushes: u32,
}

impl Entries {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { words: [0; 2 * ENTRIES as usize], pushes: 0 }
    }

    /// Adds a word `count` times, 0 or 1.
    #[inline(always)]
    pub(super) fn push(&mut self, count: u32, word: u32) {
        let half = count.wrapping_sub(1) & ENTRIES;
        self.words[(self.pushes % ENTRIES + half) as usize % self.words.len()] = word;
        self.pushes += count;
    }

    /// The word in slot `index`, or anything where nothing was pushed to it.
    #[inline(always)]
    pub(super) fn word(&self, index: usize) -> u32 {
        self.words[index % ENTRIES as usize]
    }

    /// How many words were pushed: an index that is not less has no word.
    #[inline(always)]
    pub(super) fn pushes(&self) -> i32 {
        self.pushes as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seventeenth_word_replaces_the_first() {
        let (mut dictionary, mut entries) = (Dictionary::new(), Entries::new());
        for position in 0..17 {
            dictionary.push(1, position);
            entries.push(1, position as u32 + 100);
            entries.push(0, 99);
        }
        assert_eq!(dictionary.present, 0x1_fffe);
        assert_eq!(dictionary.lowest_slot(1 << 16), 0);
        assert_eq!(dictionary.lowest_slot(1 << 16 | 1 << 1), 0);
        assert_eq!(dictionary.lowest_slot(1 << 1), 1);
        assert_eq!((entries.word(0), entries.word(1), entries.word(15)), (116, 101, 115));
    }
}
