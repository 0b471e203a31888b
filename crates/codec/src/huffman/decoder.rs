//! Finds the codeword at the head of a bit stream as the hardware does: the window is compared with the first codeword of
//! every length; the longest length whose first codeword is not above the window is the right one; subtracting an offset
//! gives the index into the symbol table. Faster tables are made from it.

use crate::huffman::{CanonicalCode, MAX_CODEWORD_BITS};

/// The decoding tables of one code.
#[derive(Clone, Debug)]
pub struct Decoder {
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
    /// Where that codeword's symbol is in [`Decoder::symbols`].
    first_index: u32,
}

impl Decoder {
    /// The tables for a code.
    pub fn new(code: &CanonicalCode) -> Self {
        Self { rows: length_rows(code), symbols: code.symbols_in_code_order().to_vec() }
    }

    /// The symbol whose codeword starts `window` (left-aligned), and the codeword's length in bits: comparators, priority
    /// encoder, offset subtraction, symbol table.
    pub fn decode(&self, window: u64) -> (u32, u32) {
        // The shortest row starts at codeword 0, so one row always matches.
        let Some(row) = self.rows.iter().find(|row| row.first_codeword <= window) else { return (0, 0) };
        let distance = ((window - row.first_codeword) >> 1) >> (63 - row.length_bits);
        let index = row.first_index as usize + distance as usize;
        (self.symbols.get(index).copied().unwrap_or(0), row.length_bits)
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
    use proptest::prelude::*;

    #[test]
    fn the_empty_codeword_is_read_without_bits() {
        let decoder = Decoder::new(&CanonicalCode::from_lengths(&[0], 8).unwrap());
        assert_eq!(decoder.decode(u64::MAX), (0, 0));
    }

    proptest! {
        #[test]
        fn every_codeword_gives_its_symbol_whatever_follows(
            weights in prop::collection::vec(prop_oneof![0u64..4, 0u64..1_000_000], 1..3000),
            noise in any::<u64>(),
        ) {
            let code = CanonicalCode::from_weights(&weights, 20);
            let decoder = Decoder::new(&code);
            for symbol in 0..weights.len() {
                let length_bits = code.length_bits(symbol);
                let codeword = u64::from(code.codeword(symbol)) << 1 << (63 - length_bits);
                let window = codeword | noise >> length_bits;
                prop_assert_eq!(decoder.decode(window), (symbol as u32, length_bits));
            }
        }
    }
}
