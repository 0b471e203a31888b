//! What every word of a block becomes.
//!
//! Three passes, because only the second waits for the word before: which words are equal, which words are in the
//! dictionary when a word comes, and the longest match. The others handle many words in one instruction.

use super::byte_planes::EqualWords;
use super::dictionary::{Dictionary, Positions};
use super::{Options, Pattern};
use crate::bits::{MAX_WORDS, WordCodes};

const MISS: u32 = Pattern::Xxxx.row().code;
const MISS_BITS: u32 = Pattern::Xxxx.row().code_bits;

/// The codes of a block.
pub(super) type Codes = WordCodes<MISS, MISS_BITS>;

/// The codes of all words.
#[inline(always)]
pub(super) fn codes<const BYTES: usize, const WIDE: bool>(block: &[u8; BYTES], options: Options) -> Codes {
    let mut words = [0; MAX_WORDS];
    for (word, &bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_le_bytes(bytes);
    }
    let mut equal = EqualWords::none();
    equal.compare::<BYTES, WIDE>(block);
    let (dictionary, present) = follow::<BYTES>(&words, &equal, options);
    let mut codes = Codes::new();
    for position in 0..BYTES / 4 {
        let (word, present) = (words[position], present[position]);
        let [two, three, four] =
            [equal.two[position], equal.three[position], equal.four[position]].map(|equal| equal & present);
        let longer = if three == 0 { two } else { three };
        let slot = dictionary.lowest_slot(if four == 0 { longer } else { four });

        // The rows of the table, each over the ones before it.
        let choices = [
            (true, Pattern::Xxxx, 0),
            (two != 0, Pattern::Mmxx, slot),
            (three != 0, Pattern::Mmmx, slot),
            (four != 0, Pattern::Mmmm, slot),
            (word <= 0xff, Pattern::Zzzx, 0),
            (word == 0, Pattern::Zzzz, 0),
        ];
        let (mut code, mut bits) = (word, 0);
        for (is_chosen, pattern, slot) in choices {
            code = if is_chosen { pattern.code(slot, word) } else { code };
            bits = if is_chosen { pattern.row().total_bits } else { bits };
        }
        (codes.codes[position], codes.bits[position]) = (code, bits);
    }
    codes
}

impl Pattern {
    /// The code of a word; of a miss the word alone.
    #[inline(always)]
    const fn code(self, slot: u32, word: u32) -> u32 {
        let row = self.row();
        if row.new_bits == u32::BITS {
            return word;
        }
        let new = word & ((1 << row.new_bits) - 1);
        (row.code << row.index_bits | slot) << row.new_bits | new
    }
}

/// The dictionary after the block, and what was in it before each word.
///
/// Whether a word enters depends on what left before it, which is a long wait from word to word. So it is supposed that no word leaves
/// before it is met again: then the words that enter are known at once, and what is in the dictionary follows from them. Only where
/// that is wrong the dictionary is asked word by word.
#[inline(always)]
fn follow<const BYTES: usize>(
    words: &[u32; MAX_WORDS],
    equal: &EqualWords,
    options: Options,
) -> (Dictionary, [Positions; MAX_WORDS]) {
    // A word enters unless it is small or one of these is there.
    let substitutes = if options.pushes_partial { &equal.four } else { &equal.two };
    let count = BYTES / 4;
    let mut large = 0;
    for position in 0..count {
        large |= u32::from(words[position] > 0xff) << position;
    }
    // What enters if nothing leaves before it is met again.
    let mut first_met = 0;
    for position in 0..count {
        let earlier = substitutes[position] & large & before(position);
        first_met |= u32::from(earlier == 0) << position;
    }
    first_met &= large;
    if first_met.count_ones() == count as u32 {
        return (const { Dictionary::of_all() }, PRESENT_OF_ALL);
    }
    let mut present = [0; MAX_WORDS];
    if let Some(dictionary) = Dictionary::of_few(first_met) {
        for position in 0..count {
            present[position] = first_met & before(position);
        }
        return (dictionary, present);
    }
    let mut dictionary = Dictionary::new();
    for position in 0..count {
        present[position] = dictionary.present();
        dictionary.push(first_met >> position & 1, position);
    }
    let mut not_there = 0;
    for position in 0..count {
        not_there |= u32::from(substitutes[position] & present[position] == 0) << position;
    }
    if not_there & large == first_met {
        return (dictionary, present);
    }
    dictionary = Dictionary::new();
    for position in 0..count {
        present[position] = dictionary.present();
        let is_new = substitutes[position] & dictionary.present() == 0;
        dictionary.push(u32::from(is_new) & large >> position, position);
    }
    (dictionary, present)
}

/// The positions before one.
#[inline(always)]
const fn before(position: usize) -> Positions {
    (1 << position) - 1
}

/// What is in the dictionary before each word if all enter it, which words without repetition do.
const PRESENT_OF_ALL: [Positions; MAX_WORDS] = {
    let (mut present, mut position, mut dictionary) = ([0; MAX_WORDS], 0, Dictionary::new());
    while position < MAX_WORDS {
        present[position] = dictionary.present();
        dictionary.push(1, position);
        position += 1;
    }
    present
};

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: Options = Options { pushes_partial: true, has_zero_flag: false };

    fn codes_of(words: [u32; MAX_WORDS]) -> Codes {
        let mut block = [0; 128];
        for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        codes::<128, false>(&block, OPTIONS)
    }

    /// No two of them share their two upper bytes.
    fn distinct_words() -> [u32; MAX_WORDS] {
        std::array::from_fn(|index| (index as u32 + 1) << 24)
    }

    #[test]
    fn the_longest_match_wins_and_the_lowest_index_among_equals() {
        let mut words = [0; MAX_WORDS];
        words[..5].copy_from_slice(&[0x1111_0000, 0x1111_2200, 0x1111_2233, 0x1111_2233, 0x1111_2233]);
        let codes = codes_of(words);
        assert_eq!(codes.bits[..6], [34, 24, 16, 6, 6, 2]);
        assert_eq!(
            codes.codes[1..5],
            [0b1100_0000 << 16 | 0x2200, 0b1110_0001 << 8 | 0x33, 0b10_0010, 0b10_0010]
        );
    }

    #[test]
    fn distinct_words_are_all_misses() {
        assert_eq!(codes_of(distinct_words()).bits, [34; MAX_WORDS]);
    }

    #[test]
    fn the_seventeenth_word_takes_the_place_of_the_first() {
        let mut words = distinct_words();
        words[17] = words[0];
        words[18] = words[16];
        let codes = codes_of(words);
        assert_eq!((codes.bits[17], codes.bits[18]), (34, 6));
        assert_eq!(codes.codes[18], 0b10_0000);
    }
}
