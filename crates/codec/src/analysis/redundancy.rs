//! Which redundancy the words of a block have: the four patterns that the DSM thesis names.
//!
//! Devpura, "Packet Compression in GPU Architectures", Texas A&M 2017, section 6.4: "all-zeros, narrow value, repeated value, and value
//! similarity". A 32-bit word has the first of these that fits:
//!
//! | pattern  | the word                                                      |
//! |----------|---------------------------------------------------------------|
//! | zero     | is zero                                                       |
//! | narrow   | is a signed integer of 16 bits                                |
//! | repeated | is the word before it, in the same block                      |
//! | similar  | has the upper 16 bits of the word before it, in the same block |
//!
//! Our interpretation where the thesis is silent: its four shares add up to 100 %, so they are shares of the words that have a pattern, and a word
//! has one; it gives neither the widths nor the order. [`Redundancy::repeated_first`] asks for repeated words before zeros and narrow values.

use crate::block::word32;

/// Bits of a narrow value, and of the upper part that similar values share.
const HALF_BITS: u32 = 16;

/// How many words have each pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Redundancy {
    /// Zero words.
    pub zero: u64,
    /// Words that are sign-extended from 16 bits.
    pub narrow: u64,
    /// Words that are equal to the one before.
    pub repeated: u64,
    /// Words with the upper half of the one before.
    pub similar: u64,
    /// Words without a pattern.
    pub other: u64,
    repeated_first: bool,
}

impl Redundancy {
    /// Counts that take a repeated word as such, even if it is zero or narrow.
    pub fn repeated_first() -> Self {
        Self { repeated_first: true, ..Self::default() }
    }

    /// Counts the words of a block.
    pub fn add_block(&mut self, block: &[u8]) {
        let mut before = None;
        for index in 0..block.len() / 4 {
            let word = word32(block, index);
            *self.pattern_of(word, before) += 1;
            before = Some(word);
        }
    }

    /// Zero, narrow, repeated and similar words, as shares of the words that have a pattern.
    pub fn shares(&self) -> [f64; 4] {
        let counts = [self.zero, self.narrow, self.repeated, self.similar];
        let all = counts.iter().sum::<u64>().max(1) as f64;
        counts.map(|count| count as f64 / all)
    }

    fn pattern_of(&mut self, word: u32, before: Option<u32>) -> &mut u64 {
        let is_narrow = i16::try_from(word.cast_signed()).is_ok();
        match before {
            Some(before) if self.repeated_first && before == word => &mut self.repeated,
            _ if word == 0 => &mut self.zero,
            _ if is_narrow => &mut self.narrow,
            Some(before) if before == word => &mut self.repeated,
            Some(before) if before >> HALF_BITS == word >> HALF_BITS => &mut self.similar,
            _ => &mut self.other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_first_pattern_that_fits() {
        let words = [0, 7, u32::MAX, 0x8000, 0x8000, 0x8001, 0x1234_5678, 0];
        let block: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        let mut found = Redundancy::default();
        found.add_block(&block);
        // 0x8000 is no signed integer of 16 bits, and nothing like the word before it.
        let expected =
            Redundancy { zero: 2, narrow: 2, repeated: 1, similar: 1, other: 2, ..Redundancy::default() };
        assert_eq!(found, expected);
        assert_eq!(found.shares(), [2.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0]);
    }

    #[test]
    fn a_repeated_zero_is_repeated_where_that_is_asked_first() {
        let mut found = Redundancy::repeated_first();
        found.add_block(&[0; 12]);
        assert_eq!((found.zero, found.repeated), (1, 2));
    }

    #[test]
    fn patterns_do_not_reach_into_the_next_block() {
        let mut found = Redundancy::default();
        found.add_block(&0x1234_5678_u32.to_le_bytes());
        found.add_block(&0x1234_5678_u32.to_le_bytes());
        assert_eq!((found.repeated, found.other), (0, 2));
    }
}
