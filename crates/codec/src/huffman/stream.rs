//! Runs a symbol code over the 32-bit words of a block: lengths, bits, and back.
//!
//! A word is cut into symbols, least significant first. A codec lays streams of words out as its format says.

mod abreast;

pub use abreast::decode_each;

use std::array;

use crate::bits::{Ahead, BitReader, BlockWriter, Cursor, Spare};
use crate::error::DecodeError;

const WORD_BITS: u32 = 32;

/// Words whose loop has a short constant length, so that its end is always guessed right and the next block's decoding
/// starts while this one still waits for its look-ups.
const GROUP_WORDS: usize = 8;

/// The most streams that are decoded in turn: the state of more does not stay in registers.
const MOST_ABREAST: usize = 4;

/// A word of a block in memory order.
pub type Word = [u8; 4];

/// A code for the symbols of a word; which codeword a symbol has may depend on its place in the word.
pub trait SymbolCode: Send + Sync {
    /// The width of a symbol: 8, 16 or 32 bits.
    const SYMBOL_BITS: u32;

    /// The most bits that one symbol takes under any code of this kind, 56 at most.
    const LIMIT_BITS: u32;

    /// How many blocks are decoded in turn, 2 or 4: the state of more does not stay in registers.
    const ABREAST: usize;

    /// How many bits encode `symbol` at `place`.
    fn len_bits(&self, place: usize, symbol: u32) -> u32;

    /// The bits that encode `symbol` at `place`, left-aligned in 64, and how many they are.
    fn encode(&self, place: usize, symbol: u32) -> (u64, u32);

    /// Decodes the word at the cursor, which may need a refill first.
    fn take_word(&self, cursor: &mut Cursor<'_>) -> u32;

    /// The most bits that one symbol takes, at least its width and at most [`SymbolCode::LIMIT_BITS`].
    fn longest_bits(&self) -> u32;

    /// Appends the code as bytes, as its constructor reads them.
    fn write(&self, tables: &mut Vec<u8>);

    /// Decodes several streams of equally many words, one word of each in turn; gives how many bits each took. Override it
    /// where waiting for a look-up, in which the other streams go on, costs less than guessing its outcome.
    #[inline(always)]
    fn decode_abreast<const STREAMS: usize>(
        &self,
        streams: [Ahead<'_>; STREAMS],
        words: &mut [&mut [Word]; STREAMS],
    ) -> [usize; STREAMS] {
        let mut cursors = streams.map(Cursor::new);
        in_turn(self, &mut cursors, words);
        cursors.map(|cursor| cursor.position())
    }

    /// The bits of some words. Override it where many symbols are looked up faster than one.
    #[inline(always)]
    fn words_len_bits(&self, words: &[Word]) -> u32 {
        let word_bits = |word: &Word| -> u32 {
            let word = u32::from_le_bytes(*word);
            (0..places::<Self>()).map(|place| self.len_bits(place, symbol::<Self>(word, place))).sum()
        };
        words.iter().map(word_bits).sum()
    }

    /// Puts the bits of each `part_words` words into `lens_bits`.
    #[inline(always)]
    fn parts_len_bits(&self, words: &[Word], part_words: usize, lens_bits: &mut [u32]) {
        for (part, len_bits) in words.chunks_exact(part_words).zip(lens_bits) {
            *len_bits = self.words_len_bits(part);
        }
    }

    /// Appends the bits of some words and calls `begin_part` before each `part_words` of them.
    #[inline(always)]
    fn encode_parts(
        &self,
        words: &[Word],
        part_words: usize,
        out: &mut BlockWriter<'_>,
        mut begin_part: impl FnMut(&mut BlockWriter<'_>),
    ) {
        for part in words.chunks_exact(part_words) {
            begin_part(out);
            self.encode_words(part, out);
        }
    }

    /// Appends the bits of some words. Override it where many symbols are looked up faster than one.
    #[inline(always)]
    fn encode_words(&self, words: &[Word], out: &mut BlockWriter<'_>) {
        // The range lets the compiler drop what a kind of code cannot reach.
        match BlockWriter::MAX_BITS / self.longest_bits().clamp(Self::SYMBOL_BITS, Self::LIMIT_BITS) {
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
    out: &mut BlockWriter<'_>,
) {
    for word in words {
        let word = u32::from_le_bytes(*word);
        let (mut bits, mut count) = (0, 0);
        for place in 0..places::<C>() {
            let (symbol_bits, symbol_count) = code.encode(place, symbol::<C>(word, place));
            bits |= symbol_bits >> count;
            count += symbol_count;
            if (place + 1) % STEP == 0 || place + 1 == places::<C>() {
                out.put_aligned(bits, count);
                (bits, count) = (0, 0);
            }
        }
    }
}

/// What is known of a stream that is decoded word by word, in a form that a kind of code can go on from.
pub trait WordSource<C: ?Sized> {
    /// The next word, which is taken.
    fn take_word(&mut self, code: &C) -> u32;
}

impl<C: SymbolCode + ?Sized> WordSource<C> for Cursor<'_> {
    #[inline(always)]
    fn take_word(&mut self, code: &C) -> u32 {
        code.take_word(self)
    }
}

/// A stream of a code whose next word is found by one peek: a position, so that four stay in registers.
struct PeekedStream<'a> {
    ahead: Ahead<'a>,
    /// From the first byte, so that a peek adds nothing to it.
    position: usize,
}

/// A code whose next word is found by one peek.
pub trait PeekedWord {
    /// The word after `position` bits, which moves on.
    fn peek_word(&self, ahead: Ahead<'_>, position: &mut usize) -> u32;
}

impl<C: PeekedWord> WordSource<C> for PeekedStream<'_> {
    #[inline(always)]
    fn take_word(&mut self, code: &C) -> u32 {
        code.peek_word(self.ahead, &mut self.position)
    }
}

/// [`SymbolCode::decode_abreast`] by peeks.
#[inline(always)]
pub fn peek_in_turn<C: PeekedWord, const STREAMS: usize>(
    code: &C,
    streams: [Ahead<'_>; STREAMS],
    words: &mut [&mut [Word]; STREAMS],
) -> [usize; STREAMS] {
    let starts = streams.map(|stream| stream.split().1);
    let mut sources = streams.map(|stream| {
        let (ahead, position) = stream.split();
        PeekedStream { ahead, position }
    });
    in_turn(code, &mut sources, words);
    array::from_fn(|stream| sources[stream].position - starts[stream])
}

/// Fills equally long parts of one or more blocks word by word, the next word of each part in turn.
#[inline(always)]
fn in_turn<C: ?Sized, S: WordSource<C>, const PARTS: usize>(
    code: &C,
    sources: &mut [S; PARTS],
    parts: &mut [&mut [Word]; PARTS],
) {
    let count = parts[0].len();
    let mut parts = parts.each_mut().map(|part| &mut part[..count]);
    for index in 0..count {
        // What is known of a stream stays in registers only if its place among the streams is a constant.
        match (sources.as_mut_slice(), parts.as_mut_slice()) {
            ([a, b, c, d], [words_a, words_b, words_c, words_d]) => {
                words_a[index] = a.take_word(code).to_le_bytes();
                words_b[index] = b.take_word(code).to_le_bytes();
                words_c[index] = c.take_word(code).to_le_bytes();
                words_d[index] = d.take_word(code).to_le_bytes();
            }
            ([a, b], [words_a, words_b]) => {
                words_a[index] = a.take_word(code).to_le_bytes();
                words_b[index] = b.take_word(code).to_le_bytes();
            }
            (sources, parts) => {
                for (source, words) in sources.iter_mut().zip(parts) {
                    words[index] = source.take_word(code).to_le_bytes();
                }
            }
        }
    }
}

/// Decodes words from one stream for each parallel decoding way, as the hardware does: way *w* of `WAYS` starts after
/// `starts[w]` bits and holds the *w*-th equal part of the words. Gives where each stream ends.
#[inline(always)]
pub fn decode_ways<C: SymbolCode, const WAYS: usize>(
    code: &C,
    ahead: Ahead<'_>,
    starts: [usize; WAYS],
    words: &mut [Word],
) -> [usize; WAYS] {
    if WAYS <= MOST_ABREAST {
        return decode_some_ways(code, ahead, starts, words);
    }
    let some_starts = |first: usize| array::from_fn::<_, MOST_ABREAST, _>(|way| starts[first + way]);
    let (first_words, last_words) = words.split_at_mut(words.len() / 2);
    let first_ends = decode_some_ways(code, ahead, some_starts(0), first_words);
    let last_ends = decode_some_ways(code, ahead, some_starts(MOST_ABREAST), last_words);
    array::from_fn(|way| if way < MOST_ABREAST { first_ends[way] } else { last_ends[way - MOST_ABREAST] })
}

#[inline(always)]
fn decode_some_ways<C: SymbolCode, const WAYS: usize>(
    code: &C,
    ahead: Ahead<'_>,
    starts: [usize; WAYS],
    words: &mut [Word],
) -> [usize; WAYS] {
    let mut parts = words.chunks_exact_mut(words.len() / WAYS);
    let mut parts: [&mut [Word]; WAYS] = array::from_fn(|_| parts.next().unwrap_or_default());
    let taken = code.decode_abreast(starts.map(|start| ahead.after(start)), &mut parts);
    array::from_fn(|way| starts[way] + taken[way])
}

/// Decodes a block that is one stream and nothing else.
#[inline(always)]
pub fn decode_whole<C: SymbolCode>(
    code: &C,
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    let mut spare = Spare::new();
    let mut cursor = Cursor::new(bits.ahead(&mut spare));
    for group in block.as_chunks_mut().0.as_chunks_mut::<GROUP_WORDS>().0 {
        for word in group {
            *word = code.take_word(&mut cursor).to_le_bytes();
        }
    }
    bits.skip(cursor.position() as u32)?;
    bits.finish()
}
