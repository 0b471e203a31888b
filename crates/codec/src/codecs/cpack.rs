//! C-PACK: 32-bit words against a small dictionary of the words before them.
//!
//! Chen et al., "C-Pack: A High-Performance Microprocessor Cache Compression Algorithm", IEEE TVLSI 18(8), 2010.
//! Bytes of a word, most significant first: z zero, m equal to the entry's, x new.
//!
//! | code   | pattern | fields                    | bits | enters the dictionary |
//! |--------|---------|---------------------------|------|-----------------------|
//! | `00`   | zzzz    |                           | 2    | no                    |
//! | `01`   | xxxx    | the word                  | 34   | yes                   |
//! | `10`   | mmmm    | index                     | 6    | no                    |
//! | `1100` | mmxx    | index, two low bytes      | 24   | yes, or not (`partial=0`) |
//! | `1101` | zzzx    | low byte                  | 12   | no                    |
//! | `1110` | mmmx    | index, low byte           | 16   | yes, or not (`partial=0`) |
//! | `1111` | reserved |                          |      |                       |
//!
//! The dictionary is empty at the start of a block and has 16 entries, replaced first in, first out; the index has
//! four bits at every block size.
//!
//! Choices of ours: zero patterns are tested first, then the longest match of all entries, the lowest index where
//! several are equal. Public sources disagree on whether partial matches enter the dictionary; ours do by default.
//!
//! `cpack-z` puts one bit in front: 1 for an all-zero block, which then ends; 0 before a C-PACK encoding.

mod byte_planes;
mod dictionary;

use crate::bits::{BitReader, BitWriter};
use crate::block::{BlockBytes, exact, exact_mut};
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::simd::accelerated;
use byte_planes::BytePlanes;
use dictionary::{Dictionary, History, INDEX_BITS};

/// The codec for blocks of `BYTES` bytes.
#[derive(Clone, Copy, Debug)]
pub struct CPack<const BYTES: usize> {
    options: Options,
}

/// What the variants differ in.
#[derive(Clone, Copy, Debug)]
struct Options {
    /// Partial matches enter the dictionary, not only misses.
    pushes_partial: bool,
    /// One bit in front says whether the block is all zero.
    has_zero_flag: bool,
}

/// C-PACK for a block size.
pub fn cpack(block: BlockBytes, pushes_partial: bool) -> Box<dyn BlockCodec> {
    variant(block, Options { pushes_partial, has_zero_flag: false })
}

/// C-PACK+Z for a block size.
pub fn cpack_z(block: BlockBytes, pushes_partial: bool) -> Box<dyn BlockCodec> {
    variant(block, Options { pushes_partial, has_zero_flag: true })
}

fn variant(block: BlockBytes, options: Options) -> Box<dyn BlockCodec> {
    match block {
        BlockBytes::B32 => Box::new(CPack::<32> { options }),
        BlockBytes::B64 => Box::new(CPack::<64> { options }),
        BlockBytes::B128 => Box::new(CPack::<128> { options }),
    }
}

/// A row of the table, in the order of the search: each match is one step further than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Xxxx,
    Mmxx,
    Mmmx,
    Mmmm,
    Zzzx,
    Zzzz,
    Reserved,
}

/// The columns of a row.
#[derive(Clone, Copy, Debug)]
struct Row {
    code: u32,
    code_bits: u32,
    index_bits: u32,
    /// New low bits of the word.
    new_bits: u32,
    /// The bits of the word that come from the dictionary.
    kept_mask: u32,
    /// Code, index and new bits.
    total_bits: u32,
}

/// The rows by pattern: looked up, because a branch on the pattern of each word would be mispredicted.
const ROWS: [Row; 8] = [
    Pattern::Xxxx.row(),
    Pattern::Mmxx.row(),
    Pattern::Mmmx.row(),
    Pattern::Mmmm.row(),
    Pattern::Zzzx.row(),
    Pattern::Zzzz.row(),
    Pattern::Reserved.row(),
    Pattern::Reserved.row(),
];

impl Pattern {
    const fn row(self) -> Row {
        let (code, code_bits, index_bits, new_bits) = match self {
            Self::Xxxx => (0b01, 2, 0, 32),
            Self::Mmxx => (0b1100, 4, INDEX_BITS, 16),
            Self::Mmmx => (0b1110, 4, INDEX_BITS, 8),
            Self::Mmmm => (0b10, 2, INDEX_BITS, 0),
            Self::Zzzx => (0b1101, 4, 0, 8),
            Self::Zzzz => (0b00, 2, 0, 0),
            Self::Reserved => (0b1111, 4, 0, 0),
        };
        let kept_mask = if index_bits == 0 { 0 } else { u32::MAX << new_bits };
        Row {
            code,
            code_bits,
            index_bits,
            new_bits,
            kept_mask,
            total_bits: code_bits + index_bits + new_bits,
        }
    }

    /// The pattern whose code these four bits begin with.
    const fn from_four_bits(four: usize) -> Self {
        match four {
            0b0000..=0b0011 => Self::Zzzz,
            0b0100..=0b0111 => Self::Xxxx,
            0b1000..=0b1011 => Self::Mmmm,
            0b1100 => Self::Mmxx,
            0b1101 => Self::Zzzx,
            0b1110 => Self::Mmmx,
            _ => Self::Reserved,
        }
    }
}

impl Options {
    /// The patterns that enter the dictionary, one bit each.
    #[inline(always)]
    const fn pushed_patterns(self) -> u32 {
        let partial = 1 << Pattern::Mmxx as u32 | 1 << Pattern::Mmmx as u32;
        1 << Pattern::Xxxx as u32 | if self.pushes_partial { partial } else { 0 }
    }
}

impl<const BYTES: usize> BlockCodec for CPack<BYTES> {
    fn block_bytes(&self) -> BlockBytes {
        BlockBytes::of::<BYTES>()
    }

    fn size_bits(&self, block: &[u8]) -> u32 {
        let mut size = [0];
        self.sizes_bits(&block[..BYTES], &mut size);
        size[0]
    }

    fn compress(&self, block: &[u8], out: &mut BitWriter) {
        let options = self.options;
        accelerated!(compress as fn[const BYTES: usize; WIDE](options: Options, block: &[u8], out: &mut BitWriter) -> ());
    }

    fn decompress(&self, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
        let options = self.options;
        accelerated!(decompress as fn[const BYTES: usize](options: Options, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError>)
    }

    fn sizes_bits(&self, data: &[u8], sizes: &mut [u32]) {
        let options = self.options;
        accelerated!(size_all as fn[const BYTES: usize; WIDE](options: Options, data: &[u8], sizes: &mut [u32]) -> ());
    }
}

/// Calls `each` with the row, the dictionary index and the value of every word.
#[inline(always)]
fn for_each_word<const BYTES: usize, const WIDE: bool>(
    block: &[u8; BYTES],
    options: Options,
    mut each: impl FnMut(&Row, u32, u32),
) {
    let pushed_patterns = options.pushed_patterns();
    let planes = BytePlanes::of(block);
    let mut dictionary = Dictionary::default();
    for (position, &word) in block.as_chunks().0.iter().enumerate() {
        let word = u32::from_le_bytes(word);
        let found = dictionary.matches::<WIDE>(&planes, position);
        let steps = u32::from(found.two != 0) + u32::from(found.three != 0) + u32::from(found.four != 0);
        let zero = Pattern::Zzzx as u32 + u32::from(word == 0);
        let pattern = if word <= 0xff { zero } else { Pattern::Xxxx as u32 + steps };
        let longer = if found.three == 0 { found.two } else { found.three };
        let longest = if found.four == 0 { longer } else { found.four };
        each(&ROWS[pattern as usize % ROWS.len()], dictionary.lowest_slot(longest), word);
        dictionary.push_if(pushed_patterns >> pattern & 1 == 1, position);
    }
}

#[inline(always)]
fn size_all<const BYTES: usize, const WIDE: bool>(options: Options, data: &[u8], sizes: &mut [u32]) {
    for (block, size) in data.as_chunks::<BYTES>().0.iter().zip(sizes) {
        *size = u32::from(options.has_zero_flag);
        if options.has_zero_flag && *block == [0; BYTES] {
            continue;
        }
        for_each_word::<BYTES, WIDE>(block, options, |row, _, _| *size += row.total_bits);
    }
}

#[inline(always)]
fn compress<const BYTES: usize, const WIDE: bool>(options: Options, block: &[u8], out: &mut BitWriter) {
    let block: &[u8; BYTES] = exact(block);
    if options.has_zero_flag {
        let is_zero = *block == [0; BYTES];
        out.put(is_zero.into(), 1);
        if is_zero {
            return;
        }
    }
    out.burst(BYTES / 4 * Pattern::Xxxx.row().total_bits as usize, |burst| {
        for_each_word::<BYTES, WIDE>(block, options, |row, index, word| {
            let new = u64::from(word) & ((1 << row.new_bits) - 1);
            let head = row.code << row.index_bits | index & ((1 << row.index_bits) - 1);
            burst.put(u64::from(head) << row.new_bits | new, row.total_bits);
        });
    });
}

/// Half the length of each code but Xxxx, by its first four bits, four bits each: as a number, because decoding waits
/// for it, and a shift is faster than a load. All lengths are even.
const HALF_BITS: u64 = {
    let (mut packed, mut four) = (0, 0);
    while four < 16 {
        let total_bits = Pattern::from_four_bits(four).row().total_bits;
        if total_bits < 32 {
            packed |= (total_bits as u64 / 2) << (4 * four);
        }
        four += 1;
    }
    packed
};

/// The patterns by the first four bits of a code.
const BY_FOUR_BITS: [Pattern; 16] = {
    let mut patterns = [Pattern::Reserved; 16];
    let mut four = 0;
    while four < patterns.len() {
        patterns[four] = Pattern::from_four_bits(four);
        four += 1;
    }
    patterns
};

#[inline(always)]
fn decompress<const BYTES: usize>(
    options: Options,
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    let block: &mut [u8; BYTES] = exact_mut(block);
    if options.has_zero_flag && bits.take(1)? == 1 {
        block.fill(0);
        return bits.finish();
    }
    let pushed_patterns = options.pushed_patterns();
    let mut history = History::new();
    let mut position = 0;
    let mut window = bits.peek64();
    let mut is_fresh = true;
    for target in block.as_chunks_mut().0 {
        if window >> 62 == Pattern::Xxxx.row().code.into() {
            // Misses come in flocks: a branch lets the CPU run ahead where a length would make it wait.
            let word = (bits.peek64_after(position) >> 30) as u32;
            history.push_if(true, word);
            *target = word.to_le_bytes();
            position += Pattern::Xxxx.row().total_bits as usize;
            window = bits.peek64_after(position);
            is_fresh = true;
            continue;
        }
        let four = (window >> 60) as usize;
        let pattern = BY_FOUR_BITS[four];
        let row = &ROWS[pattern as usize];
        let after_code = window << row.code_bits;
        let index = (after_code >> (64 - INDEX_BITS)) as usize;
        let is_missing = row.kept_mask != 0 && !history.has(index);
        if is_missing || pattern == Pattern::Reserved {
            return Err(invalid(bits, position, pattern));
        }
        let new = ((after_code << row.index_bits >> 1) >> (63 - row.new_bits)) as u32;
        let word = history.word(index) & row.kept_mask | new;
        history.push_if(pushed_patterns >> pattern as u32 & 1 == 1, word);
        *target = word.to_le_bytes();
        let total_bits = 2 * (HALF_BITS >> (4 * four) & 0xf) as usize;
        position += total_bits;
        // A peek holds two of these codes; the second needs no load.
        window = if is_fresh { window << total_bits } else { bits.peek64_after(position) };
        is_fresh = !is_fresh;
    }
    bits.skip(position as u32)?;
    bits.finish()
}

/// Why the code at `position` is wrong; that it is cut off, if it is, comes first.
#[cold]
fn invalid(bits: &BitReader<'_>, position: usize, pattern: Pattern) -> DecodeError {
    let what = match pattern {
        Pattern::Reserved => "reserved code 1111",
        _ => "index of an empty dictionary entry",
    };
    let at_bit = bits.position() + position;
    match bits.clone().skip(position as u32 + pattern.row().total_bits) {
        Err(truncated) => truncated,
        Ok(()) => BitReader::invalid(at_bit, what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_portable_path_gives_the_same_bits(
            known in prop::array::uniform4(any::<u32>()),
            picks in prop::array::uniform32((0usize..4, 0u32..33, any::<u32>())),
        ) {
            let mut block = [0; 128];
            for (value, (index, shift, noise)) in block.as_chunks_mut().0.iter_mut().zip(picks) {
                let keep = u32::MAX.checked_shl(shift).unwrap_or(0);
                *value = (known[index] & keep | noise & !keep).to_le_bytes();
            }
            for pushes_partial in [false, true] {
                let options = Options { pushes_partial, has_zero_flag: true };
                let (mut fast, mut portable) = (BitWriter::new(), BitWriter::new());
                CPack::<128> { options }.compress(&block, &mut fast);
                compress::<128, false>(options, &block, &mut portable);
                let mut size = [0];
                size_all::<128, false>(options, &block, &mut size);
                let len_bits = fast.len_bits();
                prop_assert_eq!(size[0] as usize, len_bits);
                prop_assert_eq!(fast.pad_to_bytes(), portable.pad_to_bytes());
                let mut back = [0; 128];
                decompress::<128>(options, &mut BitReader::new(fast.pad_to_bytes(), len_bits), &mut back)?;
                prop_assert_eq!(back, block);
            }
        }
    }
}
