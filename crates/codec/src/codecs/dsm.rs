//! Data Segment Matching (DSM): nibbles of equal position side by side, then segments of one repeated nibble.
//!
//! A packet compressor for the GPU interconnect (master's thesis, Texas A&M University; chapters 4 and 5).
//!
//! *Remap.* The elements (2, 4 or 8 bytes) of the whole block are cut into nibbles; all nibbles of the same position
//! stand together, the least significant position first, within a position in the order of the elements.
//! *Segments.* The remapped block is cut into segments of 16 nibbles (8 bytes). A segment of 16 equal nibbles
//! (consecutive same nibble, CSN) is written as that nibble.
//!
//! | field | bits                         | meaning                                                        |
//! |-------|------------------------------|----------------------------------------------------------------|
//! | C     | 1                            | 1: compressed; 0: the raw block follows, its bytes in memory order |
//! | ES    | one per segment              | 1: the segment is a CSN                                        |
//! | ED    | 4 or 64 per segment, in order | the nibble, or the 16 nibbles of the segment                  |
//!
//! Our interpretation where the paper is silent: a 128-byte block has one C, then all 16 bits of ES, then all of ED.
//! The thesis has two 64-byte units side by side for speed, but remaps over the whole block (its approximation unit
//! clears "the first three 16 B" of a 128-byte block for 12 bits), so the units share one format. One CSN pays for C
//! and ES, so C is 0 exactly where there is none.

mod remap;

use crate::bits::{BitReader, BitWriter, Spare};
use crate::block::{BlockBytes, exact, exact_mut, word64};
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::registry::{ANY_BLOCK, Entry, Make, Param, Params};
use crate::simd::accelerated_methods;

const NIBBLE_BITS: u32 = 4;
const SEGMENT_BYTES: usize = 8;
const SEGMENT_BITS: u32 = 64;
/// A nibble times this is the segment that repeats it.
const EVERY_NIBBLE: u64 = 0x1111_1111_1111_1111;

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "dsm",
    summary: "data segment matching: nibbles by position, segments of one nibble",
    blocks: ANY_BLOCK,
    params: &[Param { key: "element", allowed: &[4, 2, 8], meaning: "bytes of an element" }],
    make: Make::Plain(dsm),
};

/// The codec for blocks of `BYTES` bytes of `ELEMENT`-byte elements.
#[derive(Clone, Copy, Debug)]
pub struct Dsm<const BYTES: usize, const ELEMENT: usize>;

fn dsm(params: &Params) -> Box<dyn BlockCodec> {
    fn sized<const BYTES: usize>(params: &Params) -> Box<dyn BlockCodec> {
        match params.values.first() {
            Some(2) => Box::new(Dsm::<BYTES, 2>),
            Some(8) => Box::new(Dsm::<BYTES, 8>),
            _ => Box::new(Dsm::<BYTES, 4>),
        }
    }
    match params.block {
        BlockBytes::B32 => sized::<32>(params),
        BlockBytes::B64 => sized::<64>(params),
        BlockBytes::B128 => sized::<128>(params),
    }
}

impl<const BYTES: usize, const ELEMENT: usize> BlockCodec for Dsm<BYTES, ELEMENT> {
    fn block_bytes(&self) -> BlockBytes {
        BlockBytes::of::<BYTES>()
    }

    accelerated_methods![const BYTES: usize, const ELEMENT: usize];
}

/// The bits of ES and ED for a count of CSN segments.
const fn coded_bits(segments: usize, csn_segments: u32) -> u32 {
    let raw_segments = segments as u32 - csn_segments;
    segments as u32 + csn_segments * NIBBLE_BITS + raw_segments * SEGMENT_BITS
}

#[inline(always)]
fn size_all<const BYTES: usize, const ELEMENT: usize>(data: &[u8], sizes: &mut [u32]) {
    for (block, size) in data.as_chunks::<BYTES>().0.iter().zip(sizes) {
        let csn_segments = remap::csn_segments::<BYTES, ELEMENT>(block);
        let coded = coded_bits(BYTES / SEGMENT_BYTES, csn_segments);
        *size = 1 + if csn_segments == 0 { 8 * BYTES as u32 } else { coded };
    }
}

#[inline(always)]
fn compress<const BYTES: usize, const ELEMENT: usize>(block: &[u8], out: &mut BitWriter) {
    let block: &[u8; BYTES] = exact(block);
    // Seeing that nothing matches is much cheaper than the remap.
    if remap::csn_segments::<BYTES, ELEMENT>(block) == 0 {
        out.put(0, 1);
        return out.put_bytes(block);
    }
    let segments = BYTES / SEGMENT_BYTES;
    let remapped = remap::remap::<BYTES, ELEMENT>(block);
    let segment = |index: usize| word64(&remapped, index).swap_bytes();
    let is_csn = |segment: u64| segment == (segment & 0xf) * EVERY_NIBBLE;
    let status = (0..segments).fold(0, |status, index| status << 1 | u64::from(is_csn(segment(index))));
    let mut out = out.begin_block();
    out.put(1 << segments | status, 1 + segments as u32);
    for index in 0..segments {
        if status >> (segments - 1 - index) & 1 == 1 {
            out.put(segment(index) & 0xf, NIBBLE_BITS);
        } else {
            out.put64(segment(index));
        }
    }
    out.end();
}

#[inline(always)]
fn decompress<const BYTES: usize, const ELEMENT: usize>(
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    let block: &mut [u8; BYTES] = exact_mut(block);
    if bits.take(1)? == 0 {
        bits.take_bytes(block)?;
        return bits.finish();
    }
    let segments = BYTES / SEGMENT_BYTES;
    let status = bits.take(segments as u32)?;
    if status == 0 {
        return Err(BitReader::invalid(1, "C says compressed, but ES has no compressed segment"));
    }
    let mut spare = Spare::new();
    let data = bits.ahead(&mut spare);
    bits.skip(coded_bits(segments, status.count_ones()) - segments as u32)?;
    let mut remapped = [0; BYTES];
    let mut offset = 0;
    for (index, bytes) in remapped.as_chunks_mut().0.iter_mut().enumerate() {
        // The offset depends on ES alone, so the loads do not wait for each other.
        let high = data.peek64(offset) >> 32;
        let low = data.peek64(offset + 32) >> 32;
        let is_csn = status >> (segments - 1 - index) & 1 == 1;
        let segment = if is_csn { (high >> 28) * EVERY_NIBBLE } else { high << 32 | low };
        *bytes = segment.to_be_bytes();
        offset += if is_csn { NIBBLE_BITS } else { SEGMENT_BITS } as usize;
    }
    remap::restore::<BYTES, ELEMENT>(&remapped, block);
    bits.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same_bits<const ELEMENT: usize>(block: &[u8; 128]) -> Result<(), TestCaseError> {
        let (mut fast, mut portable) = (BitWriter::new(), BitWriter::new());
        Dsm::<128, ELEMENT>.compress(block, &mut fast);
        compress::<128, ELEMENT>(block, &mut portable);
        let mut size = [0];
        size_all::<128, ELEMENT>(block, &mut size);
        let len_bits = fast.len_bits();
        prop_assert_eq!(size[0] as usize, len_bits);
        prop_assert_eq!(fast.pad_to_bytes(), portable.pad_to_bytes());
        let mut back = [0; 128];
        decompress::<128, ELEMENT>(&mut BitReader::new(fast.pad_to_bytes(), len_bits), &mut back)?;
        prop_assert_eq!(&back, block);
        Ok(())
    }

    proptest! {
        #[test]
        fn the_portable_path_gives_the_same_bits(base: u64, keep: u64, words: [u64; 16]) {
            let mut block = [0; 128];
            for (value, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
                *value = (base & !keep | word & keep).to_le_bytes();
            }
            same_bits::<2>(&block)?;
            same_bits::<4>(&block)?;
            same_bits::<8>(&block)?;
        }
    }
}
