//! From bits back to floats: two decoders work towards each other, as in hardware, and where they meet is checked.
//!
//! A decoder waits for each look-up before it knows where the next codeword starts. Two blocks are decoded in turn, so that
//! one goes on while the other waits.

use super::{Fields, FpH, HALF_SIGNS, MAX_ELEMENTS};
use crate::bits::{BitReader, Cursor, Spare};
use crate::error::DecodeError;

/// The last bytes of an encoding that can hold low parts: 32 of 12 bits after an escape of 18 bits each, 16 of 26, or 64 of 3
/// after 12, and what one peek reads more.
const LOW_PARTS_BYTES: usize = 136;

/// One block.
#[inline(always)]
pub(super) fn decompress<const EXPONENT: u32, const HIGH: u32, const LOW: u32>(
    codec: &FpH<EXPONENT, HIGH, LOW>,
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    let mut encoding = Encoding::new(bits.clone());
    decode(codec, [&mut encoding], [block]).map_err(|(_, error)| error)?;
    *bits = encoding.bits;
    Ok(())
}

/// Many blocks; an error comes with its block's index.
#[inline(always)]
pub(super) fn decompress_each<const EXPONENT: u32, const HIGH: u32, const LOW: u32>(
    codec: &FpH<EXPONENT, HIGH, LOW>,
    encodings: &[BitReader<'_>],
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    let block_bytes = codec.block.bytes();
    let (pairs, last) = encodings.as_chunks();
    let mut blocks = blocks.chunks_exact_mut(block_bytes);
    for (index, [first, second]) in pairs.iter().enumerate() {
        let (Some(first_block), Some(second_block)) = (blocks.next(), blocks.next()) else {
            return Ok(());
        };
        let mut encodings = [first, second].map(|bits| Encoding::new(bits.clone()));
        decode(codec, encodings.each_mut(), [first_block, second_block])
            .map_err(|(block, error)| (2 * index + block, error))?;
    }
    for (bits, block) in last.iter().zip(blocks) {
        decompress(codec, &mut bits.clone(), block).map_err(|error| (2 * pairs.len(), error))?;
    }
    Ok(())
}

/// A block's bits, and room for what lies ahead of each decoder where the stream ends.
struct Encoding<'a> {
    bits: BitReader<'a>,
    ahead: Spare,
    behind: Spare,
}

/// The two decoders of a block.
struct Streams<'a> {
    forward: Cursor<'a>,
    backward: Cursor<'a>,
    signs: u64,
}

impl<'a> Encoding<'a> {
    #[inline(always)]
    fn new(bits: BitReader<'a>) -> Self {
        Self { bits, ahead: Spare::new(), behind: Spare::new() }
    }

    #[inline(always)]
    fn open(&mut self, count: usize) -> Streams<'_> {
        let mut forward = Cursor::new(self.bits.ahead(&mut self.ahead));
        let backward = Cursor::new(self.bits.backward::<LOW_PARTS_BYTES>(&mut self.behind));
        let first = count.min(HALF_SIGNS);
        let mut signs = forward.window() >> (64 - first);
        forward.consume(first as u32);
        forward.refill();
        if count > first {
            signs = signs << HALF_SIGNS | forward.window() >> (64 - HALF_SIGNS);
            forward.consume(HALF_SIGNS as u32);
            forward.refill();
        }
        Streams { forward, backward, signs }
    }

    /// Checks that the decoders met without a gap after this many bits from the start and from the end.
    #[inline(always)]
    fn close(&mut self, from_start: usize, from_end: usize) -> Result<(), DecodeError> {
        self.bits.skip(from_start as u32)?;
        let meeting_point = self.bits.position();
        if self.bits.skip(from_end as u32).is_err() {
            return Err(DecodeError::Truncated { at_bit: meeting_point });
        }
        match self.bits.remaining() {
            0 => Ok(()),
            extra_bits => Err(DecodeError::TrailingBits { at_bit: meeting_point, extra_bits }),
        }
    }
}

/// Decodes some blocks, two fields of each in turn: every block has an even number of floats.
#[inline(always)]
fn decode<const EXPONENT: u32, const HIGH: u32, const LOW: u32, const BLOCKS: usize>(
    codec: &FpH<EXPONENT, HIGH, LOW>,
    mut encodings: [&mut Encoding<'_>; BLOCKS],
    mut blocks: [&mut [u8]; BLOCKS],
) -> Result<(), (usize, DecodeError)> {
    let count = (codec.block.bytes() / Fields::<EXPONENT, HIGH, LOW>::ELEMENT_BYTES).min(MAX_ELEMENTS);
    let mut streams = encodings.each_mut().map(|encoding| encoding.open(count));
    let mut elements = [[[0; 2]; BLOCKS]; MAX_ELEMENTS / 2];
    let elements = &mut elements[..count / 2];
    for (pair, elements) in elements.iter_mut().enumerate() {
        for (elements, streams) in elements.iter_mut().zip(&mut streams) {
            let exponents = codec.exponents.take_two(&mut streams.forward);
            let lows = codec.lows.take_two(&mut streams.backward);
            for (index, element) in elements.iter_mut().enumerate() {
                let sign = streams.signs >> (count - 1 - (2 * pair + index)) & 1;
                *element = (sign << EXPONENT | exponents[index]) << (HIGH + LOW) | lows[index];
            }
        }
    }
    // What exponents leave in the window may be less than two high parts have.
    for streams in &mut streams {
        streams.forward.refill();
    }
    for (pair, elements) in elements.iter().enumerate() {
        for ((elements, streams), block) in elements.iter().zip(&mut streams).zip(&mut blocks) {
            let highs = codec.highs.take_two(&mut streams.forward);
            for (index, element) in elements.iter().enumerate() {
                let element = element | highs[index] << LOW;
                Fields::<EXPONENT, HIGH, LOW>::set_element(block, 2 * pair + index, element);
            }
        }
    }
    let taken = streams.map(|streams| (streams.forward.position(), streams.backward.position()));
    for (index, (encoding, (from_start, from_end))) in encodings.into_iter().zip(taken).enumerate() {
        encoding.close(from_start, from_end).map_err(|error| (index, error))?;
    }
    Ok(())
}
