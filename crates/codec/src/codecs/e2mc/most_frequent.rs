//! 16- and 32-bit symbols: one table with the most frequent values (MFVs) and an escape.

use super::layout::TableCode;
use crate::bits::BlockBits;
use crate::huffman::ValueCode;
use crate::huffman::stream::{Cursor, SymbolCode, Word};
use crate::huffman::value_code::PackedCodeword;
use crate::huffman::value_decoder::ValueDecoder;
use crate::huffman::value_index::{MOST_WORDS, ValueIndex};

/// The longest codeword of both codes.
pub const MFV_LIMIT_BITS: u32 = 20;

const VALUES_16: usize = 1 << 16;

/// The code for 16-bit symbols, with direct tables over all values.
#[derive(Clone, Debug)]
pub struct Mfv16 {
    code: ValueCode,
    /// Bits of each value: small enough for the second-level cache, for the size-only path.
    lens_bits: Box<[u8; VALUES_16]>,
    /// For each value: all its bits, left-aligned, and in the low byte how many they are.
    encodings: Box<[u64; VALUES_16]>,
    decoder: ValueDecoder<16>,
}

impl Mfv16 {
    /// The tables for a code over 16-bit values.
    #[expect(
        clippy::large_stack_arrays,
        reason = "boxed at once; a fixed length spares each look-up its bounds check"
    )]
    pub fn new(code: ValueCode) -> Self {
        let escape = code.packed(code.escape());
        let mut encodings = Box::new([0; VALUES_16]);
        let mut lens_bits = Box::new([0; VALUES_16]);
        let mut set = |value: u32, codeword: PackedCodeword| {
            let (bits, count) = codeword.bits(value, Self::SYMBOL_BITS);
            encodings[value as u16 as usize] = bits << (64 - count) | u64::from(count);
            lens_bits[value as u16 as usize] = count as u8;
        };
        (0..VALUES_16 as u32).for_each(|value| set(value, escape));
        for (symbol, &value) in code.values().iter().enumerate() {
            set(value, code.packed(symbol));
        }
        Self { decoder: ValueDecoder::new(&code), lens_bits, encodings, code }
    }
}

impl SymbolCode for Mfv16 {
    const SYMBOL_BITS: u32 = 16;
    const LIMIT_BITS: u32 = MFV_LIMIT_BITS + 16;

    #[inline(always)]
    fn len_bits(&self, _place: usize, symbol: u32) -> u32 {
        u32::from(self.lens_bits[symbol as u16 as usize])
    }

    #[inline(always)]
    fn encode(&self, _place: usize, symbol: u32) -> (u64, u32) {
        let encoding = self.encodings[symbol as u16 as usize];
        (encoding & !0xff, u32::from(encoding as u8))
    }

    #[inline(always)]
    fn take_word(&self, cursor: &mut Cursor<'_>) -> u32 {
        // One refill holds two symbols, but for two escapes with codewords of more than 12 bits.
        cursor.refill();
        let low = self.decoder.take::<false>(cursor);
        low | self.decoder.take::<true>(cursor) << Self::SYMBOL_BITS
    }

    #[inline(always)]
    fn take_word_abreast(&self, cursor: &mut Cursor<'_>) -> u32 {
        if !self.decoder.holds_two() {
            return self.take_word(cursor);
        }
        cursor.refill();
        let low = self.decoder.take_unguessed(cursor);
        low | self.decoder.take_unguessed(cursor) << Self::SYMBOL_BITS
    }

    #[inline(always)]
    fn longest_bits(&self) -> u32 {
        self.code.longest_bits()
    }
}

impl TableCode for Mfv16 {
    fn write(&self, tables: &mut Vec<u8>) {
        self.code.write(tables);
    }
}

/// The code for 32-bit symbols.
#[derive(Clone, Debug)]
pub struct Mfv32 {
    code: ValueCode,
    index: ValueIndex,
    decoder: ValueDecoder<32>,
}

impl Mfv32 {
    /// The tables for a code over 32-bit values.
    pub fn new(code: ValueCode) -> Self {
        Self { index: ValueIndex::new(&code), decoder: ValueDecoder::new(&code), code }
    }

    /// The code itself.
    pub fn code(&self) -> &ValueCode {
        &self.code
    }
}

impl SymbolCode for Mfv32 {
    const SYMBOL_BITS: u32 = 32;
    const LIMIT_BITS: u32 = MFV_LIMIT_BITS + 32;

    #[inline(always)]
    fn len_bits(&self, _place: usize, symbol: u32) -> u32 {
        self.index.look_up(symbol).len_bits()
    }

    #[inline(always)]
    fn encode(&self, _place: usize, symbol: u32) -> (u64, u32) {
        let codeword = self.index.look_up(symbol);
        (left_aligned(codeword, symbol), codeword.len_bits())
    }

    #[inline(always)]
    fn take_word(&self, cursor: &mut Cursor<'_>) -> u32 {
        self.decoder.take_and_refill(cursor)
    }

    #[inline(always)]
    fn longest_bits(&self) -> u32 {
        self.code.longest_bits()
    }

    #[inline(always)]
    fn words_len_bits(&self, words: &[Word]) -> u32 {
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        self.index.look_up_words(words, &mut codewords).iter().map(|codeword| codeword.len_bits()).sum()
    }

    #[inline(always)]
    fn encode_words(&self, words: &[Word], out: &mut BlockBits<'_>) {
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        let codewords = self.index.look_up_words(words, &mut codewords);
        let mut encodings = [0; MOST_WORDS];
        let encodings = &mut encodings[..codewords.len()];
        for ((bits, codeword), word) in encodings.iter_mut().zip(codewords).zip(words) {
            *bits = left_aligned(*codeword, u32::from_le_bytes(*word));
        }
        for (bits, codeword) in encodings.iter().zip(codewords) {
            out.put(*bits, codeword.len_bits());
        }
    }
}

/// The bits of a value, left-aligned in 64. No 32-bit value has an empty encoding.
#[inline(always)]
fn left_aligned(codeword: PackedCodeword, value: u32) -> u64 {
    let (bits, count) = codeword.bits(value, Mfv32::SYMBOL_BITS);
    bits << (64 - u64::from(count))
}

impl TableCode for Mfv32 {
    fn write(&self, tables: &mut Vec<u8>) {
        self.code.write(tables);
    }
}
