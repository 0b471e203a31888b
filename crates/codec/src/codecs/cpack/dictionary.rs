//! The dictionary of C-PACK: 16 words, first in, first out, searched all at once.
//!
//! Whatever stands in the dictionary is a word of the same block, so it is kept as a set of word positions, one bit
//! each. A word is compared with all words of the block byte by byte, which gives sets of positions too; the search is
//! then an intersection.

use super::byte_planes::BytePlanes;

pub(super) const INDEX_BITS: u32 = 4;

const ENTRIES: u32 = 1 << INDEX_BITS;

/// Word positions, one bit each, the first lowest.
type Positions = u32;

/// The dictionary while a block is compressed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dictionary {
    /// The words that are in it now.
    present: Positions,
    /// The words that ever were.
    pushed: Positions,
    /// The words pushed after the first 16, which took slots from 0 on again.
    second_round: Positions,
}

/// The words of the dictionary that share at least so many upper bytes with a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matches {
    pub(super) four: Positions,
    pub(super) three: Positions,
    pub(super) two: Positions,
}

impl Dictionary {
    /// Searches for word `position` of the block.
    #[inline(always)]
    pub(super) fn matches<const WIDE: bool>(&self, planes: &BytePlanes, position: usize) -> Matches {
        let [lowest, second, third, highest] = planes.equal::<WIDE>(position);
        let two = self.present & highest & third;
        let three = two & second;
        Matches { four: three & lowest, three, two }
    }

    /// Adds word `position`, in the place of the oldest if all 16 are taken. Does nothing unless `is_pushed`.
    #[inline(always)]
    pub(super) fn push_if(&mut self, is_pushed: bool, position: usize) {
        let is_full = self.pushed.count_ones() >= ENTRIES;
        let added = u32::from(is_pushed) << position;
        let without_oldest = self.present & self.present.wrapping_sub(1);
        self.present = if is_full && is_pushed { without_oldest } else { self.present } | added;
        self.second_round |= if is_full { added } else { 0 };
        self.pushed |= added;
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

/// The dictionary while a block is decompressed: every word pushed so far, and room for one more.
#[derive(Clone, Copy, Debug)]
pub(super) struct History {
    words: [u32; 64],
    pushes: usize,
}

impl History {
    pub(super) fn new() -> Self {
        Self { words: [0; 64], pushes: 0 }
    }

    /// Adds a word if `is_pushed`.
    #[inline(always)]
    pub(super) fn push_if(&mut self, is_pushed: bool, word: u32) {
        // Stored in any case, because a store is cheaper than a branch; the next word overwrites what was not pushed.
        self.words[self.pushes % 64] = word;
        self.pushes += usize::from(is_pushed);
    }

    /// The word in slot `index`, or anything where [`History::has`] says there is none.
    #[inline(always)]
    pub(super) fn word(&self, index: usize) -> u32 {
        let latest = self.pushes.wrapping_sub(1);
        let age = latest.wrapping_sub(index) % ENTRIES as usize;
        self.words[latest.wrapping_sub(age) % 64]
    }

    /// Whether a word was pushed to slot `index`.
    #[inline(always)]
    pub(super) fn has(&self, index: usize) -> bool {
        index < self.pushes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(words: &[u32]) -> [u8; 128] {
        let mut block = [0; 128];
        for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        block
    }

    #[test]
    fn an_empty_dictionary_matches_nothing() {
        let matches = Dictionary::default().matches::<false>(&BytePlanes::of(&block(&[0x1234])), 0);
        assert_eq!((matches.two, matches.three, matches.four), (0, 0, 0));
        assert!(!History::new().has(0));
    }

    #[test]
    fn the_lowest_index_wins_among_equals() {
        let planes =
            BytePlanes::of(&block(&[0x1111_0000, 0x1111_2200, 0x1111_2233, 0x1111_2233, 0x1111_2233]));
        let mut dictionary = Dictionary::default();
        (0..4).for_each(|position| dictionary.push_if(true, position));
        let matches = dictionary.matches::<false>(&planes, 4);
        assert_eq!((matches.two, matches.three, matches.four), (0b1111, 0b1110, 0b1100));
        assert_eq!(dictionary.lowest_slot(matches.four), 2);
    }

    #[test]
    fn the_seventeenth_word_replaces_the_first() {
        let (mut dictionary, mut history) = (Dictionary::default(), History::new());
        for position in 0..17 {
            dictionary.push_if(true, position);
            history.push_if(true, position as u32 + 100);
        }
        assert_eq!(dictionary.present, 0x1_fffe);
        assert_eq!(dictionary.lowest_slot(1 << 16), 0);
        assert_eq!(dictionary.lowest_slot(1 << 16 | 1 << 1), 0);
        assert_eq!(dictionary.lowest_slot(1 << 1), 1);
        assert_eq!((history.word(0), history.word(1), history.word(15)), (116, 101, 115));
    }
}
