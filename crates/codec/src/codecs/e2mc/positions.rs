//! 4- and 8-bit symbols: one table per position inside a 32-bit word, all values coded.

use super::layout::TableCode;
use crate::error::TableError;
use crate::huffman::stream::{Cursor, SymbolCode};
use crate::huffman::table_bytes::TableReader;
use crate::huffman::{CanonicalCode, Decoder};

/// The bits of the symbols that are decoded after one refill.
const REFILL_BITS: u32 = 48;

/// The codes for symbols of `BITS` bits, 4 or 8.
#[derive(Clone, Debug)]
pub struct Positions<const BITS: u32> {
    codes: Vec<CanonicalCode>,
    decoders: Vec<Decoder>,
    longest_bits: u32,
    /// For position × values + symbol: the codeword, left-aligned, and in the low byte its length.
    packed: Vec<u64>,
}

impl<const BITS: u32> Positions<BITS> {
    /// Positions inside a 32-bit word: the number of tables.
    pub const TABLES: usize = 32 / BITS as usize;

    /// Values of a symbol.
    pub const VALUES: usize = 1 << BITS;

    /// The best codes for the counts of each position's values, position by position.
    pub fn train(counts: &[u64]) -> Self {
        let codes = counts.chunks_exact(Self::VALUES);
        Self::new(codes.map(|counts| CanonicalCode::from_weights(counts, Self::LIMIT_BITS)).collect())
    }

    /// Reads what `TableCode::write` wrote: for each position, one codeword length per value.
    pub fn read(tables: &mut TableReader<'_>) -> Result<Self, TableError> {
        let codes = (0..Self::TABLES).map(|_| tables.take_code(Self::VALUES, Self::LIMIT_BITS));
        Ok(Self::new(codes.collect::<Result<_, _>>()?))
    }

    fn new(codes: Vec<CanonicalCode>) -> Self {
        let packed = codes.iter().flat_map(|code| {
            (0..Self::VALUES).map(|symbol| {
                let length_bits = code.length_bits(symbol);
                // In two steps, because the empty codeword must stay empty.
                u64::from(code.codeword(symbol)) << 1 << (63 - length_bits) | u64::from(length_bits)
            })
        });
        Self {
            packed: packed.collect(),
            decoders: codes.iter().map(Decoder::new).collect(),
            longest_bits: codes.iter().map(CanonicalCode::longest_bits).max().unwrap_or(0),
            codes,
        }
    }

    #[inline(always)]
    fn packed(&self, place: usize, symbol: u32) -> u64 {
        self.packed[place * Self::VALUES + symbol as usize]
    }
}

impl<const BITS: u32> SymbolCode for Positions<BITS> {
    const SYMBOL_BITS: u32 = BITS;
    const LIMIT_BITS: u32 = 2 * BITS;

    #[inline(always)]
    fn len_bits(&self, place: usize, symbol: u32) -> u32 {
        u32::from(self.packed(place, symbol) as u8)
    }

    #[inline(always)]
    fn encode(&self, place: usize, symbol: u32) -> (u64, u32) {
        let packed = self.packed(place, symbol);
        (packed & !0xff, u32::from(packed as u8))
    }

    #[inline(always)]
    fn take_word(&self, cursor: &mut Cursor<'_>) -> u32 {
        const { assert!(REFILL_BITS <= Cursor::REFILLED_BITS) };
        let mut word = 0;
        for (place, decoder) in self.decoders.iter().enumerate() {
            if place % (REFILL_BITS / Self::LIMIT_BITS) as usize == 0 {
                cursor.refill();
            }
            let (symbol, length_bits) = decoder.decode(cursor.window());
            cursor.consume(length_bits);
            word |= symbol << (place as u32 * BITS);
        }
        word
    }

    #[inline(always)]
    fn longest_bits(&self) -> u32 {
        self.longest_bits
    }
}

impl<const BITS: u32> TableCode for Positions<BITS> {
    fn write(&self, tables: &mut Vec<u8>) {
        self.codes.iter().for_each(|code| tables.extend_from_slice(code.lengths()));
    }
}
