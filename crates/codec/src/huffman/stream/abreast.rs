//! Several blocks at a time, one word of each in turn.
//!
//! Where a codeword starts is known only when the one before it has been looked up. Within a block this is one long
//! wait; the look-ups of other blocks fill it.

use std::array;

use super::cursor::{Ahead, Cursor};
use super::{SymbolCode, Word, decode_whole};
use crate::bits::BitReader;
use crate::error::DecodeError;

/// Blocks decoded in turn: more cursors than this do not stay in registers.
const ABREAST: usize = 2;

/// Decodes blocks that are one stream each and nothing else; an error comes with its block's index.
#[inline(always)]
pub fn decode_each<C: SymbolCode>(
    code: &C,
    encodings: &[BitReader<'_>],
    block_bytes: usize,
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    let groups = encodings.chunks(ABREAST).zip(blocks.chunks_mut(ABREAST * block_bytes));
    for (group, (encodings, blocks)) in groups.enumerate() {
        let outcome = match (encodings.as_array(), blocks.len() / block_bytes) {
            (Some(encodings), ABREAST) => decode_abreast(code, encodings, block_bytes, blocks),
            _ => decode_in_turn(code, encodings, block_bytes, blocks),
        };
        outcome.map_err(|(index, error)| (group * ABREAST + index, error))?;
    }
    Ok(())
}

#[inline(always)]
fn decode_abreast<C: SymbolCode>(
    code: &C,
    encodings: &[BitReader<'_>; ABREAST],
    block_bytes: usize,
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    let aheads = encodings.each_ref().map(ahead);
    let [Some(first), Some(second)] = aheads else {
        return decode_in_turn(code, encodings, block_bytes, blocks);
    };
    let aheads: [&Ahead; ABREAST] = [first, second];
    let leads = encodings.each_ref().map(|bits| bits.parts().1 % 8);
    let mut cursors: [Cursor<'_>; ABREAST] = array::from_fn(|lane| Cursor::new(aheads[lane], leads[lane]));
    let (left, right) = blocks.split_at_mut(block_bytes);
    let (left, _) = left.as_chunks_mut::<{ size_of::<Word>() }>();
    let (right, _) = right.as_chunks_mut::<{ size_of::<Word>() }>();
    for (left, right) in left.iter_mut().zip(right) {
        *left = code.take_word_abreast(&mut cursors[0]).to_le_bytes();
        *right = code.take_word_abreast(&mut cursors[1]).to_le_bytes();
    }
    for (lane, bits) in encodings.iter().enumerate() {
        let mut bits = bits.clone();
        bits.skip((cursors[lane].position() - leads[lane]) as u32)
            .and_then(|()| bits.finish())
            .map_err(|error| (lane, error))?;
    }
    Ok(())
}

/// One whole block after the other: for the last ones of a stream, which has too few bytes to read ahead.
#[inline(never)]
fn decode_in_turn<C: SymbolCode>(
    code: &C,
    encodings: &[BitReader<'_>],
    block_bytes: usize,
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    for (index, (bits, block)) in encodings.iter().zip(blocks.chunks_exact_mut(block_bytes)).enumerate() {
        decode_whole(code, &mut bits.clone(), block).map_err(|error| (index, error))?;
    }
    Ok(())
}

/// The bytes from where an encoding starts, if the stream has enough of them.
#[inline(always)]
fn ahead<'a>(bits: &BitReader<'a>) -> Option<&'a Ahead> {
    let (bytes, start, _) = bits.parts();
    bytes.get(start / 8..)?.first_chunk()
}
