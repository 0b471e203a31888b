//! Runs a symbol code over the 32-bit words of a block: lengths, bits, and back.
//!
//! A word is cut into symbols, least significant first. A codec lays streams of words out as its format says.

mod abreast;
mod cursor;

pub use abreast::decode_each;
pub use cursor::{Ahead, Cursor, ahead_at_end};

use crate::bits::{BitReader, BlockBits};
use crate::error::DecodeError;

const WORD_BITS: u32 = 32;

/// What one [`BlockBits::put`] is sure to take.
const STEP_BITS: u32 = 56;

/// Words whose loop has a short constant length, so that its end is always guessed right and the next block's decoding
/// starts while this one still waits for its look-ups.
const GROUP_WORDS: usize = 8;

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

    /// The bits that encode `symbol` at `place`, left-aligned in 64, and how many they are.
    fn encode(&self, place: usize, symbol: u32) -> (u64, u32);

    /// Decodes the word at the cursor, which may need a refill first.
    fn take_word(&self, cursor: &mut Cursor<'_>) -> u32;

    /// The same for one of several streams whose words are decoded in turn. Override it where waiting for a look-up, in
    /// which the other streams go on, costs less than guessing its outcome.
    #[inline(always)]
    fn take_word_abreast(&self, cursor: &mut Cursor<'_>) -> u32 {
        self.take_word(cursor)
    }

    /// The most bits that one symbol takes, at least its width and at most [`SymbolCode::LIMIT_BITS`].
    fn longest_bits(&self) -> u32;

    /// The bits of some words. Override it where many symbols are looked up faster than one.
    #[inline(always)]
    fn words_len_bits(&self, words: &[Word]) -> u32 {
        let word_bits = |word: &Word| -> u32 {
            let word = u32::from_le_bytes(*word);
            (0..places::<Self>()).map(|place| self.len_bits(place, symbol::<Self>(word, place))).sum()
        };
        words.iter().map(word_bits).sum()
    }

    /// Appends the bits of some words. Override it where many symbols are looked up faster than one.
    #[inline(always)]
    fn encode_words(&self, words: &[Word], out: &mut BlockBits<'_>) {
        // The range lets the compiler drop what a kind of code cannot reach.
        match STEP_BITS / self.longest_bits().clamp(Self::SYMBOL_BITS, Self::LIMIT_BITS) {
            0 | 1 => encode_steps::<Self, 1>(self, words, out),
            2 | 3 => encode_steps::<Self, 2>(self, words, out),
            _ => encode_steps::<Self, 4>(self, words, out),
        }
    }
}

/// Symbols of a word.
const fn places<C: SymbolCode + ?Sized>() -> usize {
    (WORD_BITS / C::SYMBOL_BITS) as usize
}

/// The symbol of `word` at `place`.
#[inline(always)]
fn symbol<C: SymbolCode + ?Sized>(word: u32, place: usize) -> u32 {
    (word >> (place as u32 * C::SYMBOL_BITS)) & (u32::MAX >> (WORD_BITS - C::SYMBOL_BITS))
}

/// Stores `STEP` symbols at a time.
#[inline(always)]
fn encode_steps<C: SymbolCode + ?Sized, const STEP: usize>(
    code: &C,
    words: &[Word],
    out: &mut BlockBits<'_>,
) {
    for word in words {
        let word = u32::from_le_bytes(*word);
        let (mut bits, mut count) = (0, 0);
        for place in 0..places::<C>() {
            let (symbol_bits, symbol_count) = code.encode(place, symbol::<C>(word, place));
            bits |= symbol_bits >> count;
            count += symbol_count;
            if (place + 1) % STEP == 0 || place + 1 == places::<C>() {
                out.put(bits, count);
                (bits, count) = (0, 0);
            }
        }
    }
}

/// Decodes words with one cursor per way: way *w* of `WAYS` holds the *w*-th equal part of them. One word of each way
/// is decoded in turn, as the hardware's parallel decoders do.
#[inline(always)]
pub fn decode_ways<C: SymbolCode, const WAYS: usize>(
    code: &C,
    cursors: &mut [Cursor<'_>; WAYS],
    words: &mut [Word],
) {
    let way_words = words.len() / WAYS;
    for index in 0..way_words {
        for (way, cursor) in cursors.iter_mut().enumerate() {
            words[way * way_words + index] = code.take_word(cursor).to_le_bytes();
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
    let rest = bytes.get(start / 8..).unwrap_or_default();
    let copy;
    let ahead = if let Some(ahead) = rest.first_chunk() {
        ahead
    } else {
        copy = ahead_at_end(rest);
        &copy
    };
    let mut cursor = Cursor::new(ahead, start % 8);
    for group in block.as_chunks_mut().0.as_chunks_mut::<GROUP_WORDS>().0 {
        for word in group {
            *word = code.take_word(&mut cursor).to_le_bytes();
        }
    }
    bits.skip((cursor.position() - start % 8) as u32)?;
    bits.finish()
}
