//! Runs a symbol code over the 32-bit words of a block: lengths, bits, and back.
//!
//! A word is cut into symbols, least significant first. A codec lays streams of words out as its format says.

mod cursor;
mod staging;

pub use cursor::Cursor;
pub use staging::{EMPTY, Staging};

use crate::bits::BitReader;
use crate::error::DecodeError;

const WORD_BITS: u32 = 32;

/// What one refill of a [`Cursor`] or one store of a [`Staging`] is sure to hold.
const STEP_BITS: u32 = 56;

/// A word of a block in memory order.
pub type Word = [u8; 4];

/// A code for the symbols of a word; which codeword a symbol has may depend on its place in the word.
pub trait SymbolCode: Send + Sync {
    /// The width of a symbol: 4, 8, 16 or 32 bits.
    const SYMBOL_BITS: u32;

    /// The most bits that one symbol takes under any code of this kind, 56 at most.
    const LIMIT_BITS: u32;

    /// How many bits encode `symbol` at `place`.
    fn len_bits(&self, place: usize, symbol: u32) -> u32;

    /// The bits that encode `symbol` at `place`, right-aligned, and how many they are.
    fn encode(&self, place: usize, symbol: u32) -> (u64, u32);

    /// The symbol at the head of `window` (left-aligned, at least [`SymbolCode::longest_bits`] bits) and its bits.
    fn decode(&self, place: usize, window: u64) -> (u32, u32);

    /// The most bits that one symbol takes, at least its width and at most [`SymbolCode::LIMIT_BITS`].
    fn longest_bits(&self) -> u32;
}

/// Symbols of a word.
const fn places<C: SymbolCode>() -> usize {
    (WORD_BITS / C::SYMBOL_BITS) as usize
}

/// Symbols that a refilled window holds whatever they are.
const fn surely_held<C: SymbolCode>() -> usize {
    (STEP_BITS / C::LIMIT_BITS) as usize
}

/// The symbol of `word` at `place`.
#[inline(always)]
fn symbol<C: SymbolCode>(word: u32, place: usize) -> u32 {
    (word >> (place as u32 * C::SYMBOL_BITS)) & (u32::MAX >> (WORD_BITS - C::SYMBOL_BITS))
}

/// The bits of some words.
#[inline(always)]
pub fn len_bits<C: SymbolCode>(code: &C, words: &[Word]) -> u32 {
    let word_bits = |word: &Word| -> u32 {
        let word = u32::from_le_bytes(*word);
        (0..places::<C>()).map(|place| code.len_bits(place, symbol::<C>(word, place))).sum()
    };
    words.iter().map(word_bits).sum()
}

/// Appends the bits of some words.
#[inline(always)]
pub fn encode<C: SymbolCode>(code: &C, words: &[Word], staging: &mut Staging<'_>) {
    // The range lets the compiler drop the arms that a kind of code cannot reach.
    match STEP_BITS / code.longest_bits().clamp(C::SYMBOL_BITS, C::LIMIT_BITS) {
        0 | 1 => encode_steps::<C, 1>(code, words, staging),
        2 | 3 => encode_steps::<C, 2>(code, words, staging),
        _ => encode_steps::<C, 4>(code, words, staging),
    }
}

/// Stores `STEP` symbols at a time.
#[inline(always)]
fn encode_steps<C: SymbolCode, const STEP: usize>(code: &C, words: &[Word], staging: &mut Staging<'_>) {
    for word in words {
        let word = u32::from_le_bytes(*word);
        let (mut bits, mut count) = (0, 0);
        for place in 0..places::<C>() {
            let (symbol_bits, symbol_count) = code.encode(place, symbol::<C>(word, place));
            bits = bits << symbol_count | symbol_bits;
            count += symbol_count;
            if (place + 1) % STEP == 0 || place + 1 == places::<C>() {
                staging.put(bits, count);
                (bits, count) = (0, 0);
            }
        }
    }
}

/// Decodes words with one cursor per way: way *w* of `WAYS` holds the *w*-th equal part of them. One symbol of each way
/// is decoded in turn, as the hardware's parallel decoders do.
#[inline(always)]
pub fn decode<C: SymbolCode, const WAYS: usize>(
    code: &C,
    cursors: &mut [Cursor<'_>; WAYS],
    words: &mut [Word],
) {
    let way_words = words.len() / WAYS;
    let (held, longest_bits) = (surely_held::<C>(), code.longest_bits());
    for index in 0..way_words {
        let mut decoded = [0; WAYS];
        for place in 0..places::<C>() {
            for (cursor, word) in cursors.iter_mut().zip(&mut decoded) {
                if place == 0 || (held > 1 && place.is_multiple_of(held)) {
                    cursor.refill();
                } else if held == 1 {
                    // Two symbols of this kind nearly always fit one window.
                    cursor.refill_below(longest_bits);
                }
                let (symbol, count) = code.decode(place, cursor.window());
                cursor.consume(count);
                *word |= symbol << (place as u32 * C::SYMBOL_BITS);
            }
        }
        for (way, word) in decoded.into_iter().enumerate() {
            words[way * way_words + index] = word.to_le_bytes();
        }
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
    decode(code, &mut cursors, block.as_chunks_mut().0);
    bits.skip((cursors[0].position() - start) as u32)?;
    bits.finish()
}
