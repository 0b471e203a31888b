//! Trained tables as bytes: little-endian fields one after another.

use crate::error::TableError;
use crate::huffman::CanonicalCode;

/// Reads fields from bytes that may be hostile.
#[derive(Clone, Debug)]
pub struct TableReader<'a> {
    bytes: &'a [u8],
    at_byte: usize,
}

impl<'a> TableReader<'a> {
    /// Reads from the first byte on.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at_byte: 0 }
    }

    /// An error about the field that starts `back` bytes before the cursor.
    pub fn error(&self, back: usize, what: &'static str) -> TableError {
        TableError { at_byte: self.at_byte - back.min(self.at_byte), what }
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], TableError> {
        let rest = &self.bytes[self.at_byte..];
        let Some(taken) = rest.get(..count) else {
            return Err(TableError { at_byte: self.bytes.len(), what: "the tables end too early" });
        };
        self.at_byte += count;
        Ok(taken)
    }

    /// The next `count` bytes, at most 4, as a number.
    pub fn take_number(&mut self, count: usize) -> Result<u32, TableError> {
        let mut four = [0; 4];
        four[..count].copy_from_slice(self.take(count)?);
        Ok(u32::from_le_bytes(four))
    }

    /// A code as its codeword lengths, one byte for each of `symbols` symbols.
    pub fn take_code(&mut self, symbols: usize, limit_bits: u32) -> Result<CanonicalCode, TableError> {
        let base = self.at_byte;
        let lengths = self.take(symbols)?;
        CanonicalCode::from_lengths(lengths, limit_bits)
            .map_err(|error| TableError { at_byte: base + error.at_byte, ..error })
    }

    /// Checks that nothing is left.
    pub fn finish(&self) -> Result<(), TableError> {
        if self.at_byte == self.bytes.len() {
            return Ok(());
        }
        Err(TableError { at_byte: self.at_byte, what: "bytes follow the end of the tables" })
    }
}
