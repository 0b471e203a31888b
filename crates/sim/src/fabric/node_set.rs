//! A set of nodes as bits: only nodes with something to do are visited.

/// Nodes a crossbar can have on a side.
pub const MAX_NODES: usize = 256;

const WORDS: usize = MAX_NODES / 64;

/// Numbers below [`MAX_NODES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeSet {
    words: [u64; WORDS],
}

impl NodeSet {
    /// The nodes below `count`.
    pub fn first(count: usize) -> Self {
        let mut nodes = Self::default();
        (0..count).for_each(|node| nodes.insert(node));
        nodes
    }

    /// The nodes whose element of `nodes` is one that `is_member` accepts.
    #[inline]
    pub fn of<T>(nodes: &[T], is_member: impl Fn(&T) -> bool) -> Self {
        let mut set = Self::default();
        for (word, nodes) in set.words.iter_mut().zip(nodes.chunks(64)) {
            *word = nodes.iter().rev().fold(0, |bits, node| bits << 1 | u64::from(is_member(node)));
        }
        set
    }

    #[inline]
    pub fn insert(&mut self, node: usize) {
        self.words[node / 64 % WORDS] |= 1 << (node % 64);
    }

    #[inline]
    pub fn remove(&mut self, node: usize) {
        self.words[node / 64 % WORDS] &= !(1 << (node % 64));
    }

    #[inline]
    pub fn contains(&self, node: usize) -> bool {
        self.words[node / 64 % WORDS] >> (node % 64) & 1 == 1
    }

    /// The members of either set.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { words: std::array::from_fn(|word| self.words[word] | other.words[word]) }
    }

    /// The members that are not in `other`.
    #[inline]
    pub fn without(&self, other: &Self) -> Self {
        Self { words: std::array::from_fn(|word| self.words[word] & !other.words[word]) }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.iter().fold(0, |all, word| all | word) == 0
    }

    /// Calls `visit` for the members in ascending order. The set is copied, so it may change meanwhile.
    #[inline]
    pub fn for_each(self, mut visit: impl FnMut(usize)) {
        for (index, word) in self.words.into_iter().enumerate() {
            let mut bits = word;
            while bits != 0 {
                visit(index * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }

    /// The first member at or after `start`.
    #[inline]
    pub fn first_at_or_after(&self, start: usize) -> Option<usize> {
        let first_word = start / 64;
        for word in first_word..WORDS {
            let mask = if word == first_word { u64::MAX << (start % 64) } else { u64::MAX };
            let bits = self.words[word] & mask;
            if bits != 0 {
                return Some(word * 64 + bits.trailing_zeros() as usize);
            }
        }
        None
    }

    /// The first member at or after `start`, else the first at all: a round-robin choice.
    pub fn first_from(&self, start: usize) -> Option<usize> {
        if let Some(found) = self.first_at_or_after(start) {
            return Some(found);
        }
        let word = self.words.iter().position(|&bits| bits != 0)?;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(set: NodeSet) -> Vec<usize> {
        let mut members = Vec::new();
        set.for_each(|node| members.push(node));
        members
    }

    #[test]
    fn members_come_in_order_across_words() {
        let mut set = NodeSet::default();
        for node in [200, 3, 64] {
            set.insert(node);
        }
        assert_eq!(members(set), [3, 64, 200]);
        set.remove(64);
        assert_eq!(members(set), [3, 200]);
    }

    #[test]
    fn a_set_can_be_made_of_the_elements_that_are_accepted() {
        let mut numbers = [0; 130];
        for node in [5, 63, 64, 129] {
            numbers[node] = 1;
        }
        assert_eq!(members(NodeSet::of(&numbers, |&number| number == 1)), [5, 63, 64, 129]);
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
