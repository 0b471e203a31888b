//! FP-H, Huffman coding of floating-point fields.
//!
//! Arelakis, Dahlgren & Stenström, "HyComp: A Hybrid Cache Compression Method for Selection of Data-Type-Specific
//! Compression Methods", MICRO 2015.
//!
//! | `element` | sign | exponent | mantissa, high part | mantissa, low part | source                  |
//! |-----------|------|----------|---------------------|--------------------|-------------------------|
//! | 8         | 1    | 11       | 26                  | 26                 | the paper               |
//! | 4         | 1    | 8        | 11                  | 12                 | our extrapolation       |
//! | 2         | 1    | 8        | 4                   | 3                  | our extrapolation: bf16 |
//!
//! Exponent, high and low part have a codebook each: up to 1,024 frequent values, codewords of at most 18 bits (12 for
//! fields of fewer than 8 bits), an escape followed by the raw field. A block is four streams:
//!
//! | stream         | content                                                         | direction              |
//! |----------------|-----------------------------------------------------------------|------------------------|
//! | signs          | one raw bit per element                                         | forward                |
//! | exponents      | codewords                                                       | forward, then          |
//! | high parts     | codewords                                                       | forward, then          |
//! | low parts      | codewords, written bit-reversed from the end of the block       | backward               |
//!
//! so that two decoders can work towards each other; they must meet without a gap. Our interpretation where the paper is silent: the
//! even cut of the mantissa, the codebooks' sizes and limits (those of SC), and the order of the streams.

mod decode;
mod field;
mod sample;
mod train;

use crate::bits::BitWriter;
use crate::block::{BlockBytes, le_bytes, set_word32, set_word64, word32, word64};
use crate::codec::BlockCodec;
use crate::huffman::stream::Word;
use crate::registry::{ANY_BLOCK, Entry, Make, Param};
use crate::simd::accelerated_methods_of;
use decode::{decompress, decompress_each};
use field::FieldCode;
pub(crate) use train::FieldCounts;

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "fp-h",
    summary: "FP-H: Huffman codes over exponent and mantissa parts of floats (Arelakis et al., MICRO 2015)",
    blocks: ANY_BLOCK,
    params: &[Param {
        key: "element",
        allowed: &[8, 4, 2],
        meaning: "bytes of a float: 8 as published, 4 and 2 (bf16) our extrapolation",
    }],
    make: Make::Trained { trainer: train::trainer, load: train::load },
};

/// The most floats of a block.
const MAX_ELEMENTS: usize = 64;

/// The signs that are written and read at once: 64 are more than a store or a window holds.
const HALF_SIGNS: usize = MAX_ELEMENTS / 2;

/// FP-H for double precision, as published.
pub type FpH64 = FpH<11, 26, 26>;

/// FP-H for single precision, our extrapolation.
pub type FpH32 = FpH<8, 11, 12>;

/// FP-H for bf16, our extrapolation.
pub type FpH16 = FpH<8, 4, 3>;

/// The codec for one block size and set of codebooks. The constants are the widths of exponent, high and low part.
#[derive(Clone, Debug)]
pub struct FpH<const EXPONENT: u32, const HIGH: u32, const LOW: u32> {
    block: BlockBytes,
    exponents: FieldCode<EXPONENT>,
    highs: FieldCode<HIGH>,
    lows: FieldCode<LOW>,
}

impl<const EXPONENT: u32, const HIGH: u32, const LOW: u32> BlockCodec for FpH<EXPONENT, HIGH, LOW> {
    fn block_bytes(&self) -> BlockBytes {
        self.block
    }

    accelerated_methods_of!(FpH<EXPONENT, HIGH, LOW> as [const EXPONENT: u32, const HIGH: u32, const LOW: u32]);

    fn tables(&self) -> Vec<u8> {
        let mut tables = Vec::new();
        self.exponents.write(&mut tables);
        self.highs.write(&mut tables);
        self.lows.write(&mut tables);
        tables
    }
}

/// The floats of a block, cut into fields.
struct Fields<const EXPONENT: u32, const HIGH: u32, const LOW: u32> {
    count: usize,
    /// The first element's is the highest of `count` bits.
    signs: u64,
    exponents: [Word; MAX_ELEMENTS],
    highs: [Word; MAX_ELEMENTS],
    lows: [Word; MAX_ELEMENTS],
}

impl<const EXPONENT: u32, const HIGH: u32, const LOW: u32> Fields<EXPONENT, HIGH, LOW> {
    const ELEMENT_BITS: u32 = 1 + EXPONENT + HIGH + LOW;
    const ELEMENT_BYTES: usize = Self::ELEMENT_BITS as usize / 8;

    #[inline(always)]
    fn of(block: &[u8]) -> Self {
        let count = block.len() / Self::ELEMENT_BYTES;
        let zeros = [[0; 4]; MAX_ELEMENTS];
        let signs = Self::signs(block);
        let mut fields = Self { count, signs, exponents: zeros, highs: zeros, lows: zeros };
        // Without the signs, each of which would wait for the one before it, this becomes vector instructions.
        for index in 0..count.min(MAX_ELEMENTS) {
            let element = Self::element(block, index);
            fields.exponents[index] = low_bits(element >> (HIGH + LOW), EXPONENT);
            fields.highs[index] = low_bits(element >> LOW, HIGH);
            fields.lows[index] = low_bits(element, LOW);
        }
        fields
    }

    /// The signs of a block, the first element's highest.
    #[inline(always)]
    fn signs(block: &[u8]) -> u64 {
        if Self::ELEMENT_BYTES == 2 {
            let (words, _) = block.as_chunks::<8>();
            return words.iter().fold(0, |signs, word| signs << 4 | lane_signs(u64::from_le_bytes(*word)));
        }
        let sign = |index| Self::element(block, index) >> (Self::ELEMENT_BITS - 1);
        (0..block.len() / Self::ELEMENT_BYTES).fold(0, |signs, index| signs << 1 | sign(index))
    }

    #[inline(always)]
    fn exponents(&self) -> &[Word] {
        &self.exponents[..self.count]
    }

    #[inline(always)]
    fn highs(&self) -> &[Word] {
        &self.highs[..self.count]
    }

    #[inline(always)]
    fn lows(&self) -> &[Word] {
        &self.lows[..self.count]
    }

    #[inline(always)]
    fn element(block: &[u8], index: usize) -> u64 {
        match Self::ELEMENT_BYTES {
            2 => u16::from_le_bytes(le_bytes(block, index)).into(),
            4 => word32(block, index).into(),
            _ => word64(block, index),
        }
    }

    #[inline(always)]
    fn set_element(block: &mut [u8], index: usize, element: u64) {
        match Self::ELEMENT_BYTES {
            2 => block[index * 2..index * 2 + 2].copy_from_slice(&(element as u16).to_le_bytes()),
            4 => set_word32(block, index, element as u32),
            _ => set_word64(block, index, element),
        }
    }
}

/// The signs of four lanes of 16 bits, the first one's highest.
#[inline(always)]
fn lane_signs(lanes: u64) -> u64 {
    // One copy of the signs for each lane, so shifted that the lane's own is next to those of its neighbours at the top; no two bits of
    // the product meet.
    const COPIES: u64 = 1 << 63 | 1 << 46 | 1 << 29 | 1 << 12;
    (lanes >> 15 & 0x0001_0001_0001_0001).wrapping_mul(COPIES) >> 60
}

#[inline(always)]
fn low_bits(value: u64, count: u32) -> Word {
    ((value & ((1 << count) - 1)) as u32).to_le_bytes()
}

#[inline(always)]
fn sizes_bits<const EXPONENT: u32, const HIGH: u32, const LOW: u32>(
    codec: &FpH<EXPONENT, HIGH, LOW>,
    data: &[u8],
    sizes: &mut [u32],
) {
    for (block, size) in data.chunks_exact(codec.block.bytes()).zip(sizes) {
        let fields = Fields::<EXPONENT, HIGH, LOW>::of(block);
        *size = fields.count as u32
            + codec.exponents.len_bits(fields.exponents())
            + codec.highs.len_bits(fields.highs())
            + codec.lows.len_bits(fields.lows());
    }
}

#[inline(always)]
fn compress<const EXPONENT: u32, const HIGH: u32, const LOW: u32>(
    codec: &FpH<EXPONENT, HIGH, LOW>,
    block: &[u8],
    out: &mut BitWriter,
) {
    let fields = Fields::<EXPONENT, HIGH, LOW>::of(block);
    let mut out = out.begin_block();
    let later = fields.count.saturating_sub(HALF_SIGNS);
    out.put(fields.signs >> later, (fields.count - later) as u32);
    out.put(fields.signs & ((1 << later) - 1), later as u32);
    codec.exponents.put(fields.exponents(), &mut out);
    codec.highs.put(fields.highs(), &mut out);
    // The first low part ends the block, so the last one comes first.
    codec.lows.put_backward(fields.lows(), &mut out);
    out.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_those_of_the_elements() {
        for signs in [0, 1, 0x8000_0000_0000_0000, 0x9e37_79b9_7f4a_7c15, u64::MAX] {
            let element = |index: u32| ((signs << index >> 63) as u16) << 15 | 0x2aaa;
            let block: Vec<u8> = (0..64).flat_map(|index| element(index).to_le_bytes()).collect();
            assert_eq!(Fields::<8, 4, 3>::of(&block).signs, signs);
        }
    }
}
