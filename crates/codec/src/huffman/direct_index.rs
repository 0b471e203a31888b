//! From a narrow value to its codeword: one look-up in a table of all values.

use crate::huffman::ValueCode;
use crate::huffman::stream::Word;
use crate::huffman::value_code::PackedCodeword;
use crate::huffman::value_index::MOST_WORDS;

/// The widest values that have a table: 16 KiB.
pub const WIDEST_BITS: u32 = 12;

/// The table. Its length is fixed so that a masked index needs no check.
#[derive(Clone, Debug)]
pub struct DirectIndex(Box<[PackedCodeword; 1 << WIDEST_BITS]>);

impl DirectIndex {
    /// The table for a code over values of at most [`WIDEST_BITS`].
    pub fn new(code: &ValueCode) -> Self {
        let mut table = Box::new([code.packed(code.escape()); 1 << WIDEST_BITS]);
        for (symbol, &value) in code.values().iter().enumerate() {
            table[value as usize % (1 << WIDEST_BITS)] = code.packed(symbol);
        }
        Self(table)
    }

    /// The codewords of up to [`MOST_WORDS`] values.
    #[inline(always)]
    pub fn look_up_words<'a>(
        &self,
        values: &[Word],
        codewords: &'a mut [PackedCodeword; MOST_WORDS],
    ) -> &'a [PackedCodeword] {
        let count = values.len().min(MOST_WORDS);
        for (codeword, value) in codewords.iter_mut().zip(&values[..count]) {
            *codeword = self.0[u32::from_le_bytes(*value) as usize % (1 << WIDEST_BITS)];
        }
        &codewords[..count]
    }
}
