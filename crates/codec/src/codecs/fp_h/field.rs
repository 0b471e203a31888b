//! One field's codebook, for encoding and decoding.

use crate::bits::{BlockWriter, Cursor};
use crate::codecs::sc;
use crate::error::TableError;
use crate::huffman::FrequentValues;
use crate::huffman::stream::Word;
use crate::huffman::table_bytes::TableReader;
use crate::huffman::value_code::{PackedCodeword, ValueCode, ValueCodeSpec};
use crate::huffman::value_decoder::ValueDecoder;
use crate::huffman::value_index::{MOST_WORDS, ValueIndex};

/// Every codebook has the size and the limit of SC's.
const fn spec(field_bits: u32) -> ValueCodeSpec {
    ValueCodeSpec { value_bits: field_bits, ..sc::CODE }
}

/// The codebook of a field of `BITS` bits.
#[derive(Clone, Debug)]
pub struct FieldCode<const BITS: u32> {
    code: ValueCode,
    index: ValueIndex,
    decoder: ValueDecoder<BITS>,
}

impl<const BITS: u32> FieldCode<BITS> {
    /// The best codebook for a sample of the field.
    pub fn train(sample: &FrequentValues) -> Self {
        Self::new(ValueCode::train(spec(BITS), sample))
    }

    /// Reads what [`FieldCode::write`] wrote.
    pub fn read(tables: &mut TableReader<'_>) -> Result<Self, TableError> {
        Ok(Self::new(ValueCode::read(spec(BITS), tables)?))
    }

    fn new(code: ValueCode) -> Self {
        Self { index: ValueIndex::new(&code), decoder: ValueDecoder::new(&code), code }
    }

    /// Appends the codebook as bytes.
    pub fn write(&self, tables: &mut Vec<u8>) {
        self.code.write(tables);
    }

    /// How many bits encode the values of a block.
    #[inline(always)]
    pub fn len_bits(&self, values: &[Word]) -> u32 {
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        self.index.look_up_words(values, &mut codewords).iter().map(|codeword| codeword.len_bits()).sum()
    }

    /// Appends the values of a block.
    #[inline(always)]
    pub fn put(&self, values: &[Word], out: &mut BlockWriter<'_>) {
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        let codewords = self.index.look_up_words(values, &mut codewords);
        for (codeword, value) in codewords.iter().zip(values) {
            let (bits, count) = codeword.bits(u32::from_le_bytes(*value), BITS);
            out.put(bits, count);
        }
    }

    /// Appends the values of a block, the last one first, and the bits of each in opposite order.
    #[inline(always)]
    pub fn put_backward(&self, values: &[Word], out: &mut BlockWriter<'_>) {
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        let codewords = self.index.look_up_words(values, &mut codewords);
        for (codeword, value) in codewords.iter().zip(values).rev() {
            let (bits, count) = codeword.bits(u32::from_le_bytes(*value), BITS);
            // Right-aligned in 64 bits, they are left-aligned when all are turned.
            out.put_aligned(bits.reverse_bits(), count);
        }
    }

    /// Reads a value from a refilled cursor, and refills it.
    #[inline(always)]
    pub fn take(&self, cursor: &mut Cursor<'_>) -> u32 {
        self.decoder.take_and_refill(cursor)
    }
}
