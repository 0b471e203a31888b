//! The dictionary of C-PACK: 16 words, first in, first out, searched all at once.

pub(super) const INDEX_BITS: u32 = 4;

const ENTRIES: usize = 1 << INDEX_BITS;

/// The dictionary of the block so far.
///
/// The first word fills every slot. A copy can never win against slot 0, because the lowest index wins, so the search
/// need not know which slots are filled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dictionary {
    entries: [u32; ENTRIES],
    pushes: usize,
}

/// The entry nearest to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) index: u32,
    /// Equal bytes from the most significant one on: 2, 3 or 4; anything less counts as 0.
    pub(super) equal_bytes: u32,
}

impl Dictionary {
    #[inline(always)]
    pub(super) fn push(&mut self, word: u32) {
        if self.pushes == 0 {
            self.entries = [word; ENTRIES];
        }
        self.entries[self.pushes % ENTRIES] = word;
        self.pushes += 1;
    }

    /// Entry `index`, if a word was pushed there.
    #[inline(always)]
    pub(super) fn entry(&self, index: usize) -> Option<u32> {
        (index < self.pushes).then(|| self.entries[index % ENTRIES])
    }

    /// The longest match, of the lowest index.
    #[inline(always)]
    pub(super) fn best_match(&self, word: u32) -> Match {
        // Fewer differing bytes first, then the lower index: one number to take the least of.
        let mut least = u32::MAX;
        for (index, entry) in self.entries.iter().enumerate() {
            let difference = entry ^ word;
            let differing_bytes = if difference == 0 {
                0
            } else if difference >> 8 == 0 {
                1
            } else if difference >> 16 == 0 {
                2
            } else {
                4
            };
            least = least.min(differing_bytes << INDEX_BITS | index as u32);
        }
        let equal_bytes = if self.pushes == 0 { 0 } else { 4 - (least >> INDEX_BITS) };
        Match { index: least % ENTRIES as u32, equal_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_dictionary_matches_nothing() {
        let dictionary = Dictionary::default();
        assert_eq!(dictionary.best_match(0x1234).equal_bytes, 0);
        assert_eq!(dictionary.entry(0), None);
    }

    #[test]
    fn the_longest_match_wins_then_the_lowest_index() {
        let mut dictionary = Dictionary::default();
        for word in [0x1111_0000, 0x1111_2200, 0x1111_2233, 0x1111_2233] {
            dictionary.push(word);
        }
        let found = |index, equal_bytes| Match { index, equal_bytes };
        assert_eq!(dictionary.best_match(0x1111_2233), found(2, 4));
        assert_eq!(dictionary.best_match(0x1111_2244), found(1, 3));
        assert_eq!(dictionary.best_match(0x1111_9999), found(0, 2));
        assert_eq!(dictionary.entry(4), None);
    }

    #[test]
    fn the_seventeenth_word_replaces_the_first() {
        let mut dictionary = Dictionary::default();
        for index in 0..17 {
            dictionary.push((index + 1) << 16);
        }
        assert_eq!(dictionary.entry(0), Some(17 << 16));
        assert_eq!(dictionary.entry(1), Some(2 << 16));
        assert_eq!(dictionary.best_match(1 << 16).equal_bytes, 0);
    }
}
