//! Several blocks at a time, one word of each in turn.
//!
//! Where a codeword starts is known only when the one before it has been looked up. Within a block this is one long
//! wait; the look-ups of other blocks fill it.

use std::array;

use super::{SymbolCode, Word, decode_whole};
use crate::bits::{Ahead, BitReader};
use crate::error::DecodeError;

/// Decodes blocks that are one stream each and nothing else; an error comes with its block's index.
#[inline(always)]
pub fn decode_each<C: SymbolCode>(
    code: &C,
    encodings: &[BitReader<'_>],
    block_bytes: usize,
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    match C::ABREAST {
        2 => decode_groups::<C, 2>(code, encodings, block_bytes, blocks),
        _ => decode_groups::<C, 4>(code, encodings, block_bytes, blocks),
    }
}

#[inline(always)]
fn decode_groups<C: SymbolCode, const ABREAST: usize>(
    code: &C,
    encodings: &[BitReader<'_>],
    block_bytes: usize,
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    let groups = encodings.chunks(ABREAST).zip(blocks.chunks_mut(ABREAST * block_bytes));
    for (group, (encodings, blocks)) in groups.enumerate() {
        let outcome = match (encodings.as_array::<ABREAST>(), blocks.len() / block_bytes) {
            (Some(encodings), whole) if whole == ABREAST => {
                decode_group(code, encodings, block_bytes, blocks)
            }
            _ => decode_one_by_one(code, encodings, block_bytes, blocks),
        };
        outcome.map_err(|(index, error)| (group * ABREAST + index, error))?;
    }
    Ok(())
}

#[inline(always)]
fn decode_group<C: SymbolCode, const ABREAST: usize>(
    code: &C,
    encodings: &[BitReader<'_>; ABREAST],
    block_bytes: usize,
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    let Some(streams) = all_ahead(encodings) else {
        return decode_one_by_one(code, encodings, block_bytes, blocks);
    };
    let mut blocks = blocks.chunks_exact_mut(block_bytes);
    let mut words: [&mut [Word]; ABREAST] =
        array::from_fn(|_| blocks.next().unwrap_or_default().as_chunks_mut().0);
    let taken = code.decode_abreast(streams, &mut words);
    for (index, bits) in encodings.iter().enumerate() {
        let mut bits = bits.clone();
        bits.skip(taken[index] as u32).and_then(|()| bits.finish()).map_err(|error| (index, error))?;
    }
    Ok(())
}

/// For the last blocks of a stream, which has too few bytes to read ahead.
#[inline(never)]
fn decode_one_by_one<C: SymbolCode>(
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

/// The bits of every encoding, if the streams have enough bytes after their starts.
#[inline(always)]
fn all_ahead<'a, const ABREAST: usize>(encodings: &[BitReader<'a>; ABREAST]) -> Option<[Ahead<'a>; ABREAST]> {
    let mut streams = [encodings[0].ahead_in_place()?; ABREAST];
    for (stream, encoding) in streams.iter_mut().zip(encodings).skip(1) {
        *stream = encoding.ahead_in_place()?;
    }
    Some(streams)
}
