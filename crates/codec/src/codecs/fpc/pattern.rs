//! The patterns of a word, its zero runs, and all words of a block at once.
//!
//! Every function decides by selection, not by branches, so that the compiler handles eight words in one instruction.

use super::PREFIX_BITS;
use crate::bits::{MAX_WORDS, WordCodes};

/// The longest run of zero words that one code holds.
const MAX_RUN: u32 = 8;

/// A row of the format's table; the discriminant is the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    ZeroRun = 0b000,
    Signed4 = 0b001,
    Signed8 = 0b010,
    Signed16 = 0b011,
    HighHalf = 0b100,
    TwoSigned8 = 0b101,
    EqualBytes = 0b110,
    Raw = 0b111,
}

impl Pattern {
    const ALL: [Self; 8] = [
        Self::ZeroRun,
        Self::Signed4,
        Self::Signed8,
        Self::Signed16,
        Self::HighHalf,
        Self::TwoSigned8,
        Self::EqualBytes,
        Self::Raw,
    ];

    /// The length of each prefix and its payload, one byte each: as a number, because decoding waits for it, and a shift
    /// is faster than a load.
    const CODE_BITS: u64 = {
        let (mut packed, mut prefix) = (0, 0);
        while prefix < Self::ALL.len() {
            packed |= ((PREFIX_BITS + Self::ALL[prefix].payload_bits()) as u64) << (8 * prefix);
            prefix += 1;
        }
        packed
    };

    pub(super) const fn payload_bits(self) -> u32 {
        match self {
            Self::ZeroRun => 3,
            Self::Signed4 => 4,
            Self::Signed8 | Self::EqualBytes => 8,
            Self::Signed16 | Self::HighHalf | Self::TwoSigned8 => 16,
            Self::Raw => 32,
        }
    }

    /// The length of the code that `window` begins with, modulo 64: shifts need no more.
    #[inline(always)]
    pub(super) fn code_bits_of(window: u64) -> u32 {
        (Self::CODE_BITS >> (window >> 58 & 0x38)) as u32
    }
}

#[inline(always)]
fn is_signed(word: u32, bits: u32) -> bool {
    word.wrapping_add(1 << (bits - 1)) >> bits == 0
}

#[inline(always)]
fn is_two_signed8(word: u32) -> bool {
    let low = word.wrapping_add(0x80) & 0xff00;
    let high = (word >> 16).wrapping_add(0x80) & 0xff00;
    low | high == 0
}

#[inline(always)]
fn is_equal_bytes(word: u32) -> bool {
    word == word.rotate_left(8)
}

/// The bits of a word's code; 0 for a zero word, which a run pays for.
#[inline(always)]
pub(super) fn word_bits(word: u32) -> u32 {
    let mut bits = PREFIX_BITS + Pattern::Raw.payload_bits();
    if is_signed(word, 16) || word << 16 == 0 || is_two_signed8(word) {
        bits = PREFIX_BITS + Pattern::Signed16.payload_bits();
    }
    if is_signed(word, 8) || is_equal_bytes(word) {
        bits = PREFIX_BITS + Pattern::Signed8.payload_bits();
    }
    if is_signed(word, 4) {
        bits = PREFIX_BITS + Pattern::Signed4.payload_bits();
    }
    if word == 0 { 0 } else { bits }
}

/// Whether any row but the last matches.
#[expect(clippy::needless_bitwise_bool, reason = "eight words at a time have no branches")]
#[inline(always)]
pub(super) fn has_pattern(word: u32) -> bool {
    is_signed(word, 16) | (word << 16 == 0) | is_two_signed8(word) | is_equal_bytes(word)
}

/// The code of a word, without the prefix if it is raw; 0 for a zero word, which is not known until its run is.
#[inline(always)]
fn code(word: u32) -> u32 {
    let row = |pattern: Pattern, payload: u32| (pattern as u32) << pattern.payload_bits() | payload;
    let mut code = word;
    let two_signed8 = row(Pattern::TwoSigned8, word >> 8 & 0xff00 | word & 0xff);
    code = if is_two_signed8(word) { two_signed8 } else { code };
    code = if word << 16 == 0 { row(Pattern::HighHalf, word >> 16) } else { code };
    code = if is_signed(word, 16) { row(Pattern::Signed16, word & 0xffff) } else { code };
    code = if is_equal_bytes(word) { row(Pattern::EqualBytes, word & 0xff) } else { code };
    code = if is_signed(word, 8) { row(Pattern::Signed8, word & 0xff) } else { code };
    code = if is_signed(word, 4) { row(Pattern::Signed4, word & 0xf) } else { code };
    if word == 0 { 0 } else { code }
}

/// The word that a code means.
#[inline(always)]
pub(super) fn expand(prefix: u32, payload: u32) -> u32 {
    let signed = |bits: u32| (((payload << (32 - bits)) as i32) >> (32 - bits)) as u32;
    let mut word = 0;
    for pattern in Pattern::ALL {
        let expanded = match pattern {
            Pattern::ZeroRun => 0,
            Pattern::Signed4 => signed(4),
            Pattern::Signed8 => signed(8),
            Pattern::Signed16 => signed(16),
            Pattern::HighHalf => payload << 16,
            Pattern::TwoSigned8 => {
                let high = ((payload << 16) as i32 >> 24) as u32;
                high << 16 | signed(8) & 0xffff
            }
            Pattern::EqualBytes => payload.wrapping_mul(0x0101_0101),
            Pattern::Raw => payload,
        };
        word = if prefix == pattern as u32 { expanded } else { word };
    }
    word
}

/// Where the zero words of a block are, one bit a word, the first lowest.
#[derive(Clone, Copy, Debug)]
pub(super) struct ZeroRuns {
    zeros: u32,
    /// The first word of every code's run.
    starts: u32,
}

impl ZeroRuns {
    #[inline(always)]
    pub(super) fn of<const BYTES: usize>(block: &[u8; BYTES]) -> Self {
        let mut zeros = 0;
        for (index, &word) in block.as_chunks::<4>().0.iter().enumerate() {
            zeros |= u32::from(u32::from_le_bytes(word) == 0) << index;
        }
        Self { zeros, starts: Self::starts(zeros) }
    }

    /// The first zero of every run, and every eighth after it that the run still covers.
    #[inline(always)]
    fn starts(zeros: u32) -> u32 {
        let two = zeros & zeros >> 1;
        let four = two & two >> 2;
        let eight = four & four >> 4;
        let mut starts = zeros & !(zeros << 1);
        let mut next = starts;
        for _ in 1..MAX_WORDS as u32 / MAX_RUN {
            next = (next & eight) << MAX_RUN & zeros;
            starts |= next;
        }
        starts
    }

    #[inline(always)]
    pub(super) fn size_bits(self) -> u32 {
        self.starts.count_ones() * (PREFIX_BITS + Pattern::ZeroRun.payload_bits())
    }
}

/// The codes of a block; none for the zero words inside a run.
pub(super) type Codes = WordCodes<{ Pattern::Raw as u32 }, PREFIX_BITS>;

/// The codes of all words.
#[inline(always)]
pub(super) fn codes<const BYTES: usize>(block: &[u8; BYTES]) -> Codes {
    let mut codes = Codes::new();
    for (index, &word) in block.as_chunks::<4>().0.iter().enumerate() {
        let word = u32::from_le_bytes(word);
        codes.codes[index] = code(word);
        codes.bits[index] = word_bits(word);
    }
    let runs = ZeroRuns::of(block);
    let mut starts = runs.starts;
    while starts != 0 {
        let index = starts.trailing_zeros() as usize;
        let run = (runs.zeros >> index).trailing_ones().min(MAX_RUN);
        codes.codes[index] = run - 1;
        codes.bits[index] = PREFIX_BITS + Pattern::ZeroRun.payload_bits();
        starts &= starts - 1;
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_cut_into_eights() {
        for (zeros, starts) in [
            (0u32, 0u32),
            (0x7f, 1),
            (0xff, 1),
            (0x1ff, 0x101),
            (u32::MAX, 0x0101_0101),
            (0xffff_fffe, 0x0202_0202),
            (0b1011, 0b1001),
        ] {
            assert_eq!(ZeroRuns::starts(zeros), starts, "{zeros:#x}");
        }
    }

    #[test]
    fn every_code_expands_to_its_word() {
        for high in [0u32, 1, 0x7f, 0x80, 0xff7f, 0xff80, 0xffff, 0x1234] {
            for low in 0..=0xffff {
                let word = high << 16 | low;
                if word == 0 {
                    continue;
                }
                let payload_bits = word_bits(word) - PREFIX_BITS;
                let is_raw = payload_bits == Pattern::Raw.payload_bits();
                let prefix = if is_raw { Pattern::Raw as u32 } else { code(word) >> payload_bits };
                let payload = if is_raw { word } else { code(word) & ((1 << payload_bits) - 1) };
                assert_eq!(expand(prefix, payload), word);
                assert_eq!(
                    Pattern::code_bits_of(u64::from(prefix) << 61) % 64,
                    PREFIX_BITS + payload_bits,
                    "{word:#x}"
                );
                assert_eq!(has_pattern(word), !is_raw, "{word:#x}");
            }
        }
    }
}
