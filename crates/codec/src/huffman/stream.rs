//! Runs a symbol code over the symbols of a block: lengths, bits, and back.
//!
//! The symbols of a block are its bits cut into pieces of [`SymbolCode::SYMBOL_BITS`], least significant first (the
//! block read as one little-endian number). A codec lays streams of such symbols out as its format says.

mod cursor;
mod staging;

pub use cursor::Cursor;
pub use staging::Staging;

use crate::bits::BitReader;
use crate::error::DecodeError;

/// A code for the symbols of a block; which codeword a symbol has may depend on its position.
pub trait SymbolCode: Send + Sync {
    /// The width of a symbol: 4, 8, 16 or 32 bits.
    const SYMBOL_BITS: u32;

    /// How many bits encode `symbol` at `position`.
    fn len_bits(&self, position: usize, symbol: u32) -> u32;

    /// The bits that encode `symbol` at `position`, right-aligned, and how many they are.
    fn encode(&self, position: usize, symbol: u32) -> (u64, u32);

    /// The symbol at the head of `window` (left-aligned, at least [`SymbolCode::longest_bits`] bits) and its bits.
    fn decode(&self, position: usize, window: u64) -> (u32, u32);

    /// The most bits that one symbol takes, 56 at most.
    fn longest_bits(&self) -> u32;
}

/// Symbol `position` of a block.
#[inline(always)]
pub fn symbol<C: SymbolCode>(block: &[u8], position: usize) -> u32 {
    match C::SYMBOL_BITS {
        4 => u32::from(block[position / 2] >> (position % 2 * 4)) & 0xf,
        8 => u32::from(block[position]),
        16 => u32::from(u16::from_le_bytes(crate::block::le_bytes(block, position))),
        _ => crate::block::word32(block, position),
    }
}

/// Stores symbol `position` of a block. The 4-bit symbols of a byte are stored in ascending order.
#[inline(always)]
pub fn set_symbol<C: SymbolCode>(block: &mut [u8], position: usize, symbol: u32) {
    match C::SYMBOL_BITS {
        4 if position.is_multiple_of(2) => block[position / 2] = symbol as u8,
        4 => block[position / 2] |= (symbol << 4) as u8,
        8 => block[position] = symbol as u8,
        16 => block[position * 2..position * 2 + 2].copy_from_slice(&(symbol as u16).to_le_bytes()),
        _ => crate::block::set_word32(block, position, symbol),
    }
}

/// How many symbols a block of `bytes` bytes has.
pub const fn symbols<C: SymbolCode>(bytes: usize) -> usize {
    bytes * 8 / C::SYMBOL_BITS as usize
}

/// The bits of the symbols `from..to`.
#[inline(always)]
pub fn len_bits<C: SymbolCode>(code: &C, block: &[u8], from: usize, to: usize) -> u32 {
    (from..to).map(|position| code.len_bits(position, symbol::<C>(block, position))).sum()
}

/// Appends the bits of the symbols `from..to`.
#[inline(always)]
pub fn encode<C: SymbolCode>(code: &C, block: &[u8], from: usize, to: usize, staging: &mut Staging) {
    for position in from..to {
        let (bits, count) = code.encode(position, symbol::<C>(block, position));
        staging.put(bits, count);
    }
}

/// Decodes the symbols of a block with one cursor per way: way *w* of `WAYS` holds the *w*-th equal part of them. One
/// symbol of each way is decoded in turn, as the hardware's parallel decoders do.
#[inline(always)]
pub fn decode<C: SymbolCode, const WAYS: usize>(
    code: &C,
    cursors: &mut [Cursor<'_>; WAYS],
    block: &mut [u8],
) {
    let way_symbols = symbols::<C>(block.len()) / WAYS;
    // A window holds 56 bits after a refill: enough for two symbols of up to 28.
    if code.longest_bits() <= 28 && way_symbols.is_multiple_of(2) {
        decode_refilled::<C, WAYS, 2>(code, cursors, block, way_symbols);
    } else {
        decode_refilled::<C, WAYS, 1>(code, cursors, block, way_symbols);
    }
}

/// Decodes a block that is one stream and nothing else.
#[inline(always)]
pub fn decode_whole<C: SymbolCode>(
    code: &C,
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    let (bytes, start, _) = bits.parts();
    let mut cursors = [Cursor::new(bytes, start)];
    decode(code, &mut cursors, block);
    bits.skip((cursors[0].position() - start) as u32)?;
    bits.finish()
}

#[inline(always)]
fn decode_refilled<C: SymbolCode, const WAYS: usize, const PER_REFILL: usize>(
    code: &C,
    cursors: &mut [Cursor<'_>; WAYS],
    block: &mut [u8],
    way_symbols: usize,
) {
    for group in 0..way_symbols / PER_REFILL {
        for (way, cursor) in cursors.iter_mut().enumerate() {
            cursor.refill();
            for step in 0..PER_REFILL {
                let position = way * way_symbols + group * PER_REFILL + step;
                let (symbol, count) = code.decode(position, cursor.window());
                cursor.consume(count);
                set_symbol::<C>(block, position, symbol);
            }
        }
    }
}
