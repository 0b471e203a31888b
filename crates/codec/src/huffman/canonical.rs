//! Codewords from their lengths alone.
//!
//! Symbols are sorted by length, then by number. The first codeword is all zeros; the next one of the same length is
//! the next binary number; a longer one is the last codeword plus one, shifted left to the new length.

use crate::error::TableError;
use crate::huffman::{MAX_CODEWORD_BITS, MAX_SYMBOLS, package_merge};

/// A complete prefix code over the symbols `0..count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalCode {
    lengths: Vec<u8>,
    codewords: Vec<u32>,
    /// Symbols in the order of their codewords.
    order: Vec<u32>,
}

impl CanonicalCode {
    /// The best code for these weights whose codewords have at most `limit_bits` bits.
    pub fn from_weights(weights: &[u64], limit_bits: u32) -> Self {
        Self::assign(package_merge::code_lengths(weights, limit_bits.min(MAX_CODEWORD_BITS)))
    }

    /// The code with these codeword lengths, one byte per symbol, from a source that may be hostile.
    ///
    /// Errors count bytes from the first length.
    pub fn from_lengths(lengths: &[u8], limit_bits: u32) -> Result<Self, TableError> {
        let error = |at_byte, what| Err(TableError { at_byte, what });
        if lengths.is_empty() {
            return error(0, "a code needs at least one symbol");
        }
        if lengths.len() > MAX_SYMBOLS {
            return error(MAX_SYMBOLS, "the code has more symbols than any codec uses");
        }
        let limit_bits = limit_bits.min(MAX_CODEWORD_BITS);
        if let Some(symbol) = lengths.iter().position(|&length| u32::from(length) > limit_bits) {
            return error(symbol, "a codeword is longer than the codec's limit");
        }
        let full = 1u64 << limit_bits;
        let mut kraft_sum = 0;
        for (symbol, &length) in lengths.iter().enumerate() {
            kraft_sum += full >> length;
            if kraft_sum > full {
                return error(symbol, "the codeword lengths overlap (Kraft sum above 1)");
            }
        }
        if kraft_sum < full {
            return error(lengths.len(), "the codeword lengths leave gaps (Kraft sum below 1)");
        }
        Ok(Self::assign(lengths.to_vec()))
    }

    fn assign(lengths: Vec<u8>) -> Self {
        let mut order: Vec<u32> = (0..lengths.len() as u32).collect();
        order.sort_by_key(|&symbol| lengths[symbol as usize]);
        let mut codewords = vec![0; lengths.len()];
        let mut next = 0;
        let mut previous_length = 0;
        for &symbol in &order {
            let length = lengths[symbol as usize];
            next <<= length - previous_length;
            codewords[symbol as usize] = next;
            next += 1;
            previous_length = length;
        }
        Self { lengths, codewords, order }
    }

    /// How many symbols the code has.
    pub fn symbols(&self) -> usize {
        self.lengths.len()
    }

    /// The codeword lengths by symbol: all that a decoder needs to know.
    pub fn lengths(&self) -> &[u8] {
        &self.lengths
    }

    /// The length of a symbol's codeword in bits.
    #[inline(always)]
    pub fn length_bits(&self, symbol: usize) -> u32 {
        u32::from(self.lengths[symbol])
    }

    /// A symbol's codeword, right-aligned.
    #[inline(always)]
    pub fn codeword(&self, symbol: usize) -> u32 {
        self.codewords[symbol]
    }

    /// The longest codeword, in bits.
    pub fn longest_bits(&self) -> u32 {
        self.order.last().map_or(0, |&symbol| self.length_bits(symbol as usize))
    }

    /// Symbols in the order of their codewords.
    pub fn symbols_in_code_order(&self) -> &[u32] {
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_gets_the_papers_codewords() {
        // Section III-B: A = 11, B = 0, C = 101 become B = 0, A = 10, C = 110. The paper's code is not complete, so a
        // fourth symbol D takes 111 here.
        let [a, b, c, d] = [0, 1, 2, 3];
        let code = CanonicalCode::from_lengths(&[2, 1, 3, 3], 8).unwrap();
        assert_eq!((code.codeword(b), code.length_bits(b)), (0b0, 1));
        assert_eq!((code.codeword(a), code.length_bits(a)), (0b10, 2));
        assert_eq!((code.codeword(c), code.length_bits(c)), (0b110, 3));
        assert_eq!((code.codeword(d), code.length_bits(d)), (0b111, 3));
        assert_eq!(code.symbols_in_code_order(), [1, 0, 2, 3]);
    }

    #[test]
    fn hostile_lengths_are_rejected_where_they_go_wrong() {
        let at = |lengths: &[u8]| CanonicalCode::from_lengths(lengths, 8).unwrap_err().at_byte;
        assert_eq!(at(&[]), 0, "no symbols");
        assert_eq!(at(&[1, 9]), 1, "over the limit");
        assert_eq!(at(&[1, 255]), 1, "over every limit");
        assert_eq!(at(&[1, 1, 1]), 2, "overlap");
        assert_eq!(at(&[0, 8]), 1, "the empty codeword beside another");
        assert_eq!(at(&[1, 2]), 2, "a gap");
        assert_eq!(at(&[8; 255]), 255, "one codeword missing");
        assert!(CanonicalCode::from_lengths(&[0; 1], 8).is_ok());
        assert!(CanonicalCode::from_lengths(&vec![16; MAX_SYMBOLS + 1], 24).is_err());
    }
}
