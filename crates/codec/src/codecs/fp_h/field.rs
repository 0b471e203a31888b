//! One field's codebook, for encoding and decoding.

use crate::bits::BitReader;
use crate::codecs::sc;
use crate::error::{DecodeError, TableError};
use crate::huffman::table_bytes::TableReader;
use crate::huffman::value_code::{ValueCode, ValueCodeSpec};
use crate::huffman::value_index::ValueIndex;
use crate::huffman::{Decoder, FrequentValues};

/// The codebook of a field.
#[derive(Clone, Debug)]
pub struct FieldCode {
    code: ValueCode,
    index: ValueIndex,
    decoder: Decoder,
}

impl FieldCode {
    /// The best codebook for a sample of a field of `field_bits` bits.
    pub fn train(field_bits: u32, sample: &FrequentValues) -> Self {
        Self::new(ValueCode::train(spec(field_bits), sample))
    }

    /// Reads what [`FieldCode::write`] wrote.
    pub fn read(field_bits: u32, tables: &mut TableReader<'_>) -> Result<Self, TableError> {
        Ok(Self::new(ValueCode::read(spec(field_bits), tables)?))
    }

    fn new(code: ValueCode) -> Self {
        Self { index: ValueIndex::new(&code), decoder: Decoder::new(code.code()), code }
    }

    /// Appends the codebook as bytes.
    pub fn write(&self, tables: &mut Vec<u8>) {
        self.code.write(tables);
    }

    /// How many bits encode a value.
    pub fn len_bits(&self, value: u32) -> u32 {
        self.index.look_up(value).len_bits()
    }

    /// The bits that encode a value, right-aligned, and how many they are.
    pub fn encode(&self, value: u32) -> (u64, u32) {
        self.index.look_up(value).bits(value, self.code.spec().value_bits)
    }

    /// Reads a value.
    pub fn take(&self, bits: &mut BitReader<'_>) -> Result<u32, DecodeError> {
        let symbol = self.decoder.take(bits)?;
        match self.code.values().get(symbol as usize) {
            Some(&value) => Ok(value),
            None => Ok(bits.take(self.code.spec().value_bits)? as u32),
        }
    }
}

/// Every codebook has the size and the limit of SC's.
fn spec(field_bits: u32) -> ValueCodeSpec {
    ValueCodeSpec { value_bits: field_bits, ..sc::CODE }
}
