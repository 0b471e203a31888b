//! 16-bit symbols: one table with the most frequent values (MFVs) and an escape.

use crate::bits::{Ahead, Cursor};
use crate::huffman::ValueCode;
use crate::huffman::length_decoder::LengthDecoder;
use crate::huffman::stream::{PeekedWord, SymbolCode, Word, peek_in_turn};
use crate::huffman::value_code::PackedCodeword;
use crate::huffman::value_decoder::LONGEST_BITS;

const VALUES_16: usize = 1 << 16;

/// The code for 16-bit symbols, with direct tables over all values.
#[derive(Clone, Debug)]
pub struct Mfv16 {
    code: ValueCode,
    /// Bits of each value: small enough for the second-level cache, for the size-only path.
    lens_bits: Box<[u8; VALUES_16]>,
    /// For each value: all its bits, left-aligned, and in the low byte how many they are.
    encodings: Box<[u64; VALUES_16]>,
    decoder: LengthDecoder,
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
        Self { decoder: LengthDecoder::new(&code), lens_bits, encodings, code }
    }
}

impl PeekedWord for Mfv16 {
    #[inline(always)]
    fn peek_word(&self, ahead: Ahead<'_>, position: &mut usize) -> u32 {
        let [low, high] = self.decoder.peek_two(ahead, position);
        low | high << Self::SYMBOL_BITS
    }
}

impl SymbolCode for Mfv16 {
    const SYMBOL_BITS: u32 = 16;
    const LIMIT_BITS: u32 = LONGEST_BITS + 16;
    const ABREAST: usize = 4;

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
        cursor.refill();
        let low = self.decoder.take(cursor);
        low | self.decoder.take(cursor) << Self::SYMBOL_BITS
    }

    #[inline(always)]
    fn decode_abreast<const STREAMS: usize>(
        &self,
        streams: [Ahead<'_>; STREAMS],
        words: &mut [&mut [Word]; STREAMS],
    ) -> [usize; STREAMS] {
        peek_in_turn(self, streams, words)
    }

    #[inline(always)]
    fn longest_bits(&self) -> u32 {
        self.code.longest_bits()
    }

    fn write(&self, tables: &mut Vec<u8>) {
        self.code.write(tables);
    }
}
