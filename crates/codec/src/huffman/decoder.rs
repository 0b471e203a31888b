//! Finds the codeword at the head of a bit stream.
//!
//! Two ways that always agree: the hardware's (the window is compared with the first codeword of every length; the
//! longest length whose first codeword is not above the window is the right one; subtracting an offset gives the index
//! into the symbol table), and in front of it a direct table over the next [`DIRECT_BITS`] bits for short codewords.

use crate::bits::BitReader;
use crate::error::DecodeError;
use crate::huffman::{CanonicalCode, MAX_CODEWORD_BITS};

/// Codewords up to this length are found with one look into a table that fits the first-level cache.
pub const DIRECT_BITS: u32 = 11;

/// The mark of a direct entry whose codeword is longer than the table's index.
const IS_LONG: u32 = 0xff;

/// The decoding tables of one code.
#[derive(Clone, Debug)]
pub struct Decoder {
    /// For every value of the next `direct_bits` bits: symbol × 256 + length, or [`IS_LONG`].
    direct: Vec<u32>,
    direct_bits: u32,
    /// One row per length that occurs, longest first.
    rows: Vec<LengthRow>,
    /// Symbols in the order of their codewords (the paper's De-LUT).
    symbols: Vec<u32>,
}

/// What the comparators know of one codeword length.
#[derive(Clone, Copy, Debug)]
struct LengthRow {
    /// The first codeword of this length, left-aligned in 64 bits.
    first_codeword: u64,
    length_bits: u32,
    /// Where that codeword's symbol stands in [`Decoder::symbols`].
    first_index: u32,
}

impl Decoder {
    /// The tables for a code.
    pub fn new(code: &CanonicalCode) -> Self {
        let direct_bits = code.longest_bits().min(DIRECT_BITS);
        let mut decoder = Self {
            direct: Vec::new(),
            direct_bits,
            rows: length_rows(code),
            symbols: code.symbols_in_code_order().to_vec(),
        };
        let windows = (0..1u64 << direct_bits).map(|index| (index << 1) << (63 - direct_bits));
        decoder.direct = windows.map(|window| decoder.direct_entry(window)).collect();
        decoder
    }

    /// The symbol whose codeword starts `window` (left-aligned), and the codeword's length in bits.
    #[inline(always)]
    pub fn decode(&self, window: u64) -> (u32, u32) {
        // The index has `direct_bits` bits, so it is always inside; a shift by 64 must give 0.
        let index = (window >> 1) >> (63 - self.direct_bits);
        let entry = self.direct.get(index as usize).copied().unwrap_or(IS_LONG);
        if entry & 0xff == IS_LONG {
            return self.compare_first_codewords(window);
        }
        (entry >> 8, entry & 0xff)
    }

    /// Reads one codeword and gives its symbol.
    #[inline(always)]
    pub fn take(&self, bits: &mut BitReader<'_>) -> Result<u32, DecodeError> {
        let (symbol, length_bits) = self.decode(bits.peek64());
        bits.skip(length_bits)?;
        Ok(symbol)
    }

    /// What the hardware does: comparators, priority encoder, offset subtraction, symbol table.
    pub fn compare_first_codewords(&self, window: u64) -> (u32, u32) {
        // The shortest row starts at codeword 0, so one row always matches.
        let Some(row) = self.rows.iter().find(|row| row.first_codeword <= window) else { return (0, 0) };
        let distance = ((window - row.first_codeword) >> 1) >> (63 - row.length_bits);
        let index = row.first_index as usize + distance as usize;
        (self.symbols.get(index).copied().unwrap_or(0), row.length_bits)
    }

    fn direct_entry(&self, window: u64) -> u32 {
        let (symbol, length_bits) = self.compare_first_codewords(window);
        if length_bits <= self.direct_bits { symbol << 8 | length_bits } else { IS_LONG }
    }
}

fn length_rows(code: &CanonicalCode) -> Vec<LengthRow> {
    let mut rows: Vec<LengthRow> = Vec::with_capacity(MAX_CODEWORD_BITS as usize);
    for (index, &symbol) in code.symbols_in_code_order().iter().enumerate() {
        let length_bits = code.length_bits(symbol as usize);
        if rows.last().is_some_and(|row| row.length_bits == length_bits) {
            continue;
        }
        let first_codeword = (u64::from(code.codeword(symbol as usize)) << 1) << (63 - length_bits);
        rows.push(LengthRow { first_codeword, length_bits, first_index: index as u32 });
    }
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitWriter;
    use proptest::prelude::*;

    #[test]
    fn a_codeword_past_the_end_is_truncation() {
        let decoder = Decoder::new(&CanonicalCode::from_lengths(&[1, 2, 2], 8).unwrap());
        let mut bits = BitReader::new(&[0b1000_0000], 1);
        assert_eq!(decoder.take(&mut bits), Err(DecodeError::Truncated { at_bit: 1 }));
    }

    #[test]
    fn the_empty_codeword_is_read_without_bits() {
        let decoder = Decoder::new(&CanonicalCode::from_lengths(&[0], 8).unwrap());
        assert_eq!(decoder.take(&mut BitReader::new(&[], 0)), Ok(0));
    }

    proptest! {
        #[test]
        fn symbols_come_back_both_ways(
            weights in prop::collection::vec(prop_oneof![0u64..4, 0u64..1_000_000], 1..3000),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 0..100),
        ) {
            let code = CanonicalCode::from_weights(&weights, 20);
            let decoder = Decoder::new(&code);
            let mut out = BitWriter::new();
            for pick in &picks {
                code.put(pick.index(weights.len()), &mut out);
            }
            let len_bits = out.len_bits();
            let mut bits = BitReader::new(out.pad_to_bytes(), len_bits);
            for pick in &picks {
                let window = bits.peek64();
                prop_assert_eq!(decoder.decode(window), decoder.compare_first_codewords(window));
                prop_assert_eq!(decoder.take(&mut bits), Ok(pick.index(weights.len()) as u32));
            }
            prop_assert_eq!(bits.finish(), Ok(()));
        }
    }
}
