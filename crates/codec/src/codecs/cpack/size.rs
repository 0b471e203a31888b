//! The size of a block without its codes.
//!
//! Small words cost the same whatever the dictionary holds, and never enter it. The other words, close together, are
//! compared with those before them, all words at once for every distance. Which of those are in the dictionary is known
//! without following it in two cases, which are nearly all:
//! - at most 16 different words: nothing leaves it, and every word before is in it or equal to one that is;
//! - no word equals one of the 16 before it: all enter it, and exactly those 16 are in it.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;

use super::{Pattern, dictionary::ENTRIES};
use crate::bits::MAX_WORDS;

/// Word bytes of equal place, after as many zeros: words that many positions earlier are read from there.
type Plane = [u8; 2 * MAX_WORDS];

/// For each word whether some word before it has the same upper bytes, 1 or 0.
#[derive(Clone, Copy)]
struct Matches {
    two: [u8; MAX_WORDS],
    three: [u8; MAX_WORDS],
    four: [u8; MAX_WORDS],
}

/// The bits of a block whose partial matches enter the dictionary; none where only following the dictionary tells.
#[inline(always)]
pub(super) fn size_bits<const BYTES: usize>(block: &[u8; BYTES]) -> Option<u32> {
    let (words, count, small_bits) = without_small_words(block);
    let (planes, is_word) = planes(&words);
    let window = ENTRIES as usize;
    let mut matches = Matches { two: [0; MAX_WORDS], three: [0; MAX_WORDS], four: [0; MAX_WORDS] };
    for distance in 1..count.min(window + 1) {
        matches.add(&planes, &is_word, distance);
    }
    if count > window && total(&matches.four, count) > 0 {
        for distance in window + 1..count {
            matches.add(&planes, &is_word, distance);
        }
        let different = count as u32 - total(&matches.four, count);
        if different > ENTRIES {
            return None;
        }
    }
    let counts = Counts {
        two: total(&matches.two, count),
        three: total(&matches.three, count),
        four: total(&matches.four, count),
    };
    Some(small_bits + counts.bits(count))
}

/// How many words match two, three or four upper bytes of an entry of the dictionary.
#[derive(Clone, Copy)]
struct Counts {
    two: u32,
    three: u32,
    four: u32,
}

impl Counts {
    /// The bits of `count` words that are not small: each step of a match saves what its row of the table has less than the
    /// row before.
    #[inline(always)]
    fn bits(self, count: usize) -> u32 {
        let saved = |worse: Pattern, better: Pattern| worse.row().total_bits - better.row().total_bits;
        count as u32 * Pattern::Xxxx.row().total_bits
            - self.two * saved(Pattern::Xxxx, Pattern::Mmxx)
            - self.three * saved(Pattern::Mmxx, Pattern::Mmmx)
            - self.four * saved(Pattern::Mmmx, Pattern::Mmmm)
    }
}

/// The bits of the words up to 0xff, of which some are zero.
#[inline(always)]
fn small_word_bits(small: u32, zeros: u32) -> u32 {
    (small - zeros) * Pattern::Zzzx.row().total_bits + zeros * Pattern::Zzzz.row().total_bits
}

/// The words above 0xff in order, how many they are, and the bits of the others.
#[inline(always)]
fn without_small_words<const BYTES: usize>(block: &[u8; BYTES]) -> ([u32; MAX_WORDS], usize, u32) {
    let (mut kept, mut count, mut zeros) = ([0; MAX_WORDS], 0, 0);
    for &word in block.as_chunks().0 {
        let word = u32::from_le_bytes(word);
        kept[count % MAX_WORDS] = word;
        count += usize::from(word > 0xff);
        zeros += u32::from(word == 0);
    }
    (kept, count, small_word_bits((BYTES / 4 - count) as u32, zeros))
}

/// The planes, least significant bytes first, and one that has 1 where a word is.
#[inline(always)]
fn planes(words: &[u32; MAX_WORDS]) -> ([Plane; 4], Plane) {
    let mut planes = [[0; 2 * MAX_WORDS]; 4];
    for (byte, plane) in planes.iter_mut().enumerate() {
        for (target, word) in plane[MAX_WORDS..].iter_mut().zip(words) {
            *target = (word >> (8 * byte)) as u8;
        }
    }
    let mut is_word = [0; 2 * MAX_WORDS];
    is_word[MAX_WORDS..].fill(1);
    (planes, is_word)
}

impl Matches {
    /// Compares every word with the one `distance` before it.
    #[inline(always)]
    fn add(&mut self, planes: &[Plane; 4], is_word: &Plane, distance: usize) {
        let [lowest, second, third, highest] =
            planes.each_ref().map(|plane| (own(plane), earlier(plane, distance)));
        let is_word = earlier(is_word, distance);
        for index in 0..MAX_WORDS {
            let equal =
                |plane: &([u8; MAX_WORDS], [u8; MAX_WORDS])| u8::from(plane.0[index] == plane.1[index]);
            let two = equal(&highest) & equal(&third) & is_word[index];
            let three = two & equal(&second);
            self.two[index] |= two;
            self.three[index] |= three;
            self.four[index] |= three & equal(&lowest);
        }
    }
}

#[inline(always)]
fn own(plane: &Plane) -> [u8; MAX_WORDS] {
    earlier(plane, 0)
}

#[inline(always)]
fn earlier(plane: &Plane, distance: usize) -> [u8; MAX_WORDS] {
    let mut bytes = [0; MAX_WORDS];
    let start = MAX_WORDS - distance % MAX_WORDS;
    bytes.copy_from_slice(&plane[start..start + MAX_WORDS]);
    bytes
}

/// How many of the first `count` are 1.
#[inline(always)]
fn total(matches: &[u8; MAX_WORDS], count: usize) -> u32 {
    let mut total = 0;
    for (index, is_match) in matches.iter().enumerate() {
        total += if index < count { u32::from(*is_match) } else { 0 };
    }
    total
}

#[cfg(test)]
mod tests {
    use super::super::{Options, choice};
    use super::*;
    use crate::block::exact;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_size_is_that_of_the_codes(
            known in prop::array::uniform4(any::<u32>()),
            picks in prop::array::uniform32((0usize..4, 0u32..40, any::<u32>())),
            distinct in 1usize..=32,
        ) {
            let mut block = [0; 128];
            for (position, value) in block.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let (index, shift, noise) = picks[position % distinct];
                let keep = u32::MAX.checked_shl(shift).unwrap_or(0);
                let word = if shift > 36 { noise & 0x1ff } else { known[index] & keep | noise & !keep };
                *value = word.to_le_bytes();
            }
            let of_codes = |pushes_partial: bool| {
                let options = Options { pushes_partial, has_zero_flag: false };
                [
                    choice::codes::<128, false>(&block, options).bits.iter().sum::<u32>(),
                    choice::codes::<64, false>(exact(&block[..64]), options).bits.iter().sum(),
                    choice::codes::<32, false>(exact(&block[..32]), options).bits.iter().sum(),
                ]
            };
            let expected = of_codes(true);
            if let Some(size) = size_bits(&block) {
                prop_assert_eq!(size, expected[0]);
            }
            #[cfg(target_arch = "x86_64")]
            if crate::simd::is_accelerated() {
                prop_assert_eq!(with_avx2::<true>(&block), expected);
                prop_assert_eq!(with_avx2::<false>(&block), of_codes(false));
            }
        }
    }

    /// The sizes of a block, of its first half and of its first quarter.
    #[cfg(target_arch = "x86_64")]
    fn with_avx2<const PUSHES_PARTIAL: bool>(block: &[u8; 128]) -> [u32; 3] {
        // SAFETY: the test has asked whether the CPU has the instructions.
        unsafe {
            [
                avx2::size_bits::<128, PUSHES_PARTIAL>(block),
                avx2::size_bits::<64, PUSHES_PARTIAL>(exact(&block[..64])),
                avx2::size_bits::<32, PUSHES_PARTIAL>(exact(&block[..32])),
            ]
        }
    }

    #[test]
    fn few_words_or_unrepeated_ones_need_no_dictionary() {
        let mut block = [0; 128];
        for (index, word) in block.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *word = (0x0101_0000 * (index as u32 % 17 + 1)).to_le_bytes();
        }
        assert_eq!(size_bits(&block), Some(32 * 34), "17 words in turn: each has left when it comes back");
        for (index, word) in block.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *word = (0x0101_0000 * (index as u32 % 16 + 1)).to_le_bytes();
        }
        assert_eq!(size_bits(&block), Some(16 * 34 + 16 * 6));
        block[64..68].copy_from_slice(&0x7777_0000u32.to_le_bytes());
        assert_eq!(size_bits(&block), None, "17 different words and a repetition");
    }
}
