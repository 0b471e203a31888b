//! A set of nodes as bits: only nodes with something to do are visited.

/// Nodes a crossbar can have on a side.
pub const MAX_NODES: usize = 256;

const WORDS: usize = MAX_NODES / 64;

/// Numbers below [`MAX_NODES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeSet([u64; WORDS]);

impl NodeSet {
    #[inline]
    pub fn insert(&mut self, node: usize) {
        self.0[node / 64] |= 1 << (node % 64);
    }

    #[inline]
    pub fn remove(&mut self, node: usize) {
        self.0[node / 64] &= !(1 << (node % 64));
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// The members in ascending order. The set is copied, so it may change meanwhile.
    #[inline]
    pub fn iter(self) -> Members {
        Members { bits: self.0[0], words: self.0, word: 0 }
    }

    /// The first member at or after `start`, else the first at all: a round-robin choice.
    pub fn first_from(&self, start: usize) -> Option<usize> {
        let first_word = start / 64;
        for word in first_word..WORDS {
            let mask = if word == first_word { u64::MAX << (start % 64) } else { u64::MAX };
            let bits = self.0[word] & mask;
            if bits != 0 {
                return Some(word * 64 + bits.trailing_zeros() as usize);
            }
        }
        let word = self.0.iter().position(|&bits| bits != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }
}

/// The members of a set that are still to come.
pub struct Members {
    /// What is left of the current word.
    bits: u64,
    words: [u64; WORDS],
    word: usize,
}

impl Iterator for Members {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.word += 1;
            self.bits = *self.words.get(self.word)?;
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
