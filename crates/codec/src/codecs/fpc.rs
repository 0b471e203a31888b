//! Frequent Pattern Compression (FPC), one 32-bit word at a time.
//!
//! Alameldeen & Wood, "Frequent Pattern Compression: A Significance-Based Compression Scheme for L2 Caches",
//! UW-Madison CS TR-1500, 2004, table 1.
//!
//! | prefix | pattern                                  | payload              | payload bits |
//! |--------|------------------------------------------|----------------------|--------------|
//! | `000`  | run of 1 to 8 zero words                 | length minus one     | 3            |
//! | `001`  | 4-bit value, sign-extended               | the value            | 4            |
//! | `010`  | 8-bit value, sign-extended               | the value            | 8            |
//! | `110`  | four equal bytes                         | the byte             | 8            |
//! | `011`  | 16-bit value, sign-extended              | the value            | 16           |
//! | `100`  | low halfword zero                        | the high halfword    | 16           |
//! | `101`  | two halfwords, each a sign-extended byte | high byte, low byte  | 16           |
//! | `111`  | anything else                            | the word             | 32           |
//!
//! Our interpretation where the paper is silent: every prefix is followed by its payload; the first matching row of
//! this table wins; a run of more than eight zero words is cut into eights, the rest last; a run does not cross the
//! block.

mod pattern;
mod raw_block;

use crate::bits::{BitReader, BitWriter, Cursor, MAX_WORDS, Spare};
use crate::block::{BlockBytes, exact, exact_mut};
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::registry::{ANY_BLOCK, Entry, Make};
use crate::simd::accelerated_methods;
use pattern::{Pattern, ZeroRuns, codes, expand};
use raw_block::{is_raw_block, put_raw_block, raw_block_bits, take_raw_block};

const PREFIX_BITS: u32 = 3;
const MAX_CODE_BITS: u32 = PREFIX_BITS + Pattern::Raw.payload_bits();

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "fpc",
    summary: "frequent patterns of 32-bit words (Alameldeen & Wood, 2004)",
    blocks: ANY_BLOCK,
    params: &[],
    make: Make::Plain(|params| fpc(params.block)),
};

/// The codec for blocks of `BYTES` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Fpc<const BYTES: usize>;

/// The codec for a block size.
fn fpc(block: BlockBytes) -> Box<dyn BlockCodec> {
    match block {
        BlockBytes::B32 => Box::new(Fpc::<32>),
        BlockBytes::B64 => Box::new(Fpc::<64>),
        BlockBytes::B128 => Box::new(Fpc::<128>),
    }
}

impl<const BYTES: usize> BlockCodec for Fpc<BYTES> {
    fn block_bytes(&self) -> BlockBytes {
        BlockBytes::of::<BYTES>()
    }

    accelerated_methods![const BYTES: usize];
}

#[inline(always)]
fn size_all<const BYTES: usize>(data: &[u8], sizes: &mut [u32]) {
    for (block, size) in data.as_chunks::<BYTES>().0.iter().zip(sizes) {
        let word_bits: u32 =
            block.as_chunks().0.iter().map(|&word| pattern::word_bits(u32::from_le_bytes(word))).sum();
        *size = word_bits + ZeroRuns::of(block).size_bits();
    }
}

/// Makes the codes of all words at once, then writes them two by two.
#[inline(always)]
fn compress<const BYTES: usize>(block: &[u8], out: &mut BitWriter) {
    let block: &[u8; BYTES] = exact(block);
    let mut out = out.begin_block();
    if is_raw_block(block) {
        put_raw_block(block, &mut out);
    } else {
        codes(block).put(BYTES / 4, &mut out);
    }
    out.end();
}

/// Finds all codes, then expands them at once.
///
/// The codes are read past the end of the encoding if need be; the length is checked before anything else is believed.
#[inline(always)]
fn decompress<const BYTES: usize>(bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
    let block: &mut [u8; BYTES] = exact_mut(block);
    let mut spare = Spare::new();
    let ahead = bits.ahead(&mut spare);
    if bits.remaining() == raw_block_bits::<BYTES>() && take_raw_block(ahead, block) {
        bits.skip(raw_block_bits::<BYTES>() as u32)?;
        return bits.finish();
    }
    let words = BYTES / 4;
    let (mut prefixes, mut payloads) = ([0u32; MAX_WORDS], [0u32; MAX_WORDS]);
    let mut index = 0;
    let mut cursor = Cursor::new(ahead);
    while index < words {
        // A window holds two codes, unless both are raw.
        let first_prefix = cursor.window() >> 61;
        for _ in 0..2 {
            let prefix = (cursor.window() >> 61) as u32;
            let code_bits = Pattern::code_bits_of(cursor.window());
            let payload_bits = code_bits % 64 - PREFIX_BITS;
            let payload = ((cursor.window() << PREFIX_BITS) >> (64 - payload_bits)) as u32;
            (prefixes[index], payloads[index]) = (prefix, payload);
            index += if prefix == Pattern::ZeroRun as u32 { payload as usize + 1 } else { 1 };
            cursor.consume(code_bits);
            if index >= words || first_prefix == Pattern::Raw as u64 {
                break;
            }
        }
        cursor.refill();
    }
    let position = cursor.position();
    bits.skip(position as u32)?;
    if index > words {
        let at_bit = position - (PREFIX_BITS + Pattern::ZeroRun.payload_bits()) as usize;
        return Err(BitReader::invalid(at_bit, "a run of zero words crosses the end of the block"));
    }
    for (index, word) in block.as_chunks_mut().0.iter_mut().enumerate() {
        *word = expand(prefixes[index], payloads[index]).to_le_bytes();
    }
    bits.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_portable_path_gives_the_same_bits(shifts in prop::array::uniform32(0u32..40), words: [u32; 32]) {
            let mut block = [0; 128];
            for ((value, word), shift) in block.as_chunks_mut().0.iter_mut().zip(words).zip(shifts) {
                *value = ((word as i32).checked_shr(shift).unwrap_or(0)).to_le_bytes();
            }
            let (mut fast, mut portable) = (BitWriter::new(), BitWriter::new());
            Fpc::<128>.compress(&block, &mut fast);
            compress::<128>(&block, &mut portable);
            let mut size = [0];
            size_all::<128>(&block, &mut size);
            let len_bits = fast.len_bits();
            prop_assert_eq!(size[0] as usize, len_bits);
            prop_assert_eq!(fast.pad_to_bytes(), portable.pad_to_bytes());
            let mut back = [0; 128];
            decompress::<128>(&mut BitReader::new(fast.pad_to_bytes(), len_bits), &mut back)?;
            prop_assert_eq!(back, block);
        }
    }
}
