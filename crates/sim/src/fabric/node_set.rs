//! A set of nodes as bits: only nodes with something to do are visited.

/// Nodes a crossbar can have on a side.
pub const MAX_NODES: usize = 256;

const WORDS: usize = MAX_NODES / 64;

/// Numbers below [`MAX_NODES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeSet {
    words: [u64; WORDS],
    /// Which words have a member: most machines have all nodes in the first.
    used: u8,
}

impl NodeSet {
    #[inline]
    pub fn insert(&mut self, node: usize) {
        self.words[node / 64] |= 1 << (node % 64);
        self.used |= 1 << (node / 64);
    }

    #[inline]
    pub fn remove(&mut self, node: usize) {
        let word = &mut self.words[node / 64];
        *word &= !(1 << (node % 64));
        if *word == 0 {
            self.used &= !(1 << (node / 64));
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The members in ascending order. The set is copied, so it may change meanwhile.
    #[inline]
    pub fn iter(self) -> Members {
        Members { bits: self.words[0], words: self.words, word: 0, unread: self.used & !1 }
    }

    /// The first member at or after `start`, else the first at all: a round-robin choice.
    pub fn first_from(&self, start: usize) -> Option<usize> {
        let first_word = start / 64;
        for word in first_word..WORDS {
            let mask = if word == first_word { u64::MAX << (start % 64) } else { u64::MAX };
            let bits = self.words[word] & mask;
            if bits != 0 {
                return Some(word * 64 + bits.trailing_zeros() as usize);
            }
        }
        let word = self.words.iter().position(|&bits| bits != 0)?;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }
}

/// The members of a set that are still to come.
pub struct Members {
    /// What is left of the current word.
    bits: u64,
    words: [u64; WORDS],
    word: usize,
    /// Words behind it that have a member.
    unread: u8,
}

impl Iterator for Members {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 {
            if self.unread == 0 {
                return None;
            }
            self.word = self.unread.trailing_zeros() as usize % WORDS;
            self.unread &= self.unread - 1;
            self.bits = self.words[self.word];
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.word * 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order_across_words() {
        let mut set = NodeSet::default();
        for node in [200, 3, 64] {
            set.insert(node);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 200]);
        set.remove(64);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 200]);
    }

    #[test]
    fn the_round_robin_choice_wraps() {
        let mut set = NodeSet::default();
        assert_eq!(set.first_from(0), None);
        set.insert(3);
        set.insert(70);
        assert_eq!((set.first_from(3), set.first_from(4), set.first_from(71)), (Some(3), Some(70), Some(3)));
    }
}
