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
//! Our interpretation where the paper is silent: zero patterns are tested first, then the longest match of all
//! entries, the lowest index where several are equal. Public sources disagree on whether partial matches enter the
//! dictionary; ours do by default.
//!
//! `cpack-z` puts one bit in front: 1 for an all-zero block, which then ends; 0 before a C-PACK encoding.

mod byte_planes;
mod choice;
mod decode;
mod dictionary;
mod size;

use crate::bits::{BitReader, BitWriter};
use crate::block::{BlockBytes, exact};
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::registry::{ANY_BLOCK, Entry, Make, Param, Params};
use crate::simd::accelerated;
use decode::decompress;
use dictionary::INDEX_BITS;

/// The registry's line for C-PACK.
pub const CPACK: Entry = Entry {
    name: "cpack",
    summary: "16-entry dictionary of the block's words (Chen et al., TVLSI 2010)",
    blocks: ANY_BLOCK,
    params: &[Param {
        key: "partial",
        allowed: &[1, 0],
        meaning: "1: misses and partial matches enter the dictionary; 0: misses only",
    }],
    make: Make::Plain(|params| variant(params, false)),
};

/// The registry's line for C-PACK+Z.
pub const CPACK_Z: Entry = Entry {
    name: "cpack-z",
    summary: "cpack with a bit for all-zero blocks",
    make: Make::Plain(|params| variant(params, true)),
    ..CPACK
};

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

fn variant(params: &Params, has_zero_flag: bool) -> Box<dyn BlockCodec> {
    let options = Options { pushes_partial: params.values.first() != Some(&0), has_zero_flag };
    match params.block {
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

#[inline(always)]
fn size_all<const BYTES: usize, const WIDE: bool>(options: Options, data: &[u8], sizes: &mut [u32]) {
    for (block, size) in data.as_chunks::<BYTES>().0.iter().zip(sizes) {
        *size = u32::from(options.has_zero_flag);
        if options.has_zero_flag && *block == [0; BYTES] {
            continue;
        }
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: `WIDE` promises AVX2 and what comes with it.
            *size += unsafe {
                if options.pushes_partial {
                    size::avx2::size_bits::<BYTES, true>(block)
                } else {
                    size::avx2::size_bits::<BYTES, false>(block)
                }
            };
            continue;
        }
        let without_dictionary = if options.pushes_partial { size::size_bits(block) } else { None };
        *size += match without_dictionary {
            Some(bits) => bits,
            None => choice::codes::<BYTES, WIDE>(block, options).bits.iter().sum::<u32>(),
        };
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
    let codes = choice::codes::<BYTES, WIDE>(block, options);
    let mut out = out.begin_block();
    codes.put(BYTES / 4, &mut out);
    out.end();
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
