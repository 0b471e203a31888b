//! A code over the most frequent values of a sample; every other value is an escape codeword and the raw value.
//!
//! Symbol *i* of the code is the *i*-th value in ascending order; the escape is the last symbol, a real leaf whose
//! weight is that of all other values together. As bytes:
//!
//! | field   | bytes                      | content                                                  |
//! |---------|----------------------------|----------------------------------------------------------|
//! | count   | 2                          | how many values have a codeword                          |
//! | values  | count × ⌈value bits / 8⌉   | strictly ascending                                       |
//! | lengths | count + 1                  | codeword lengths in bits, the escape's last; Kraft sum 1 |

use crate::error::TableError;
use crate::huffman::table_bytes::TableReader;
use crate::huffman::{CanonicalCode, FrequentValues};

/// What bounds a value code: the columns of each codec's parameter table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueCodeSpec {
    /// The width of a raw value in bits, 32 at most.
    pub value_bits: u32,
    /// The most values with a codeword.
    pub most_values: usize,
    /// The longest codeword in bits.
    pub limit_bits: u32,
}

/// The code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueCode {
    spec: ValueCodeSpec,
    values: Vec<u32>,
    code: CanonicalCode,
}

impl ValueCode {
    /// The best code for a sample.
    pub fn train(spec: ValueCodeSpec, sample: &FrequentValues) -> Self {
        Self::from_frequent(spec, sample.top(spec.most_values), sample.total())
    }

    /// The best code for these values and counts out of `total` occurrences.
    pub fn from_frequent(spec: ValueCodeSpec, mut frequent: Vec<(u32, u64)>, total: u64) -> Self {
        frequent.truncate(spec.most_values);
        frequent.sort_unstable();
        let coded: u64 = frequent.iter().map(|&(_, count)| count).sum();
        let (values, mut weights): (Vec<u32>, Vec<u64>) = frequent.into_iter().unzip();
        weights.push(total.saturating_sub(coded));
        Self { spec, values, code: CanonicalCode::from_weights(&weights, spec.limit_bits) }
    }

    /// Reads what [`ValueCode::write`] wrote.
    pub fn read(spec: ValueCodeSpec, tables: &mut TableReader<'_>) -> Result<Self, TableError> {
        let count = tables.take_number(2)? as usize;
        if count > spec.most_values {
            return Err(tables.error(2, "more values than the codec's table holds"));
        }
        let mut values: Vec<u32> = Vec::with_capacity(count);
        for _ in 0..count {
            let value = tables.take_number(spec.value_bytes())?;
            if u64::from(value) >> spec.value_bits != 0 {
                return Err(tables.error(spec.value_bytes(), "a value is wider than the codec's symbols"));
            }
            if values.last().is_some_and(|&last| last >= value) {
                return Err(tables.error(spec.value_bytes(), "the values do not ascend"));
            }
            values.push(value);
        }
        let code = tables.take_code(count + 1, spec.limit_bits)?;
        Ok(Self { spec, values, code })
    }

    /// Appends the code as bytes.
    pub fn write(&self, tables: &mut Vec<u8>) {
        tables.extend_from_slice(&(self.values.len() as u16).to_le_bytes());
        for value in &self.values {
            tables.extend_from_slice(&value.to_le_bytes()[..self.spec.value_bytes()]);
        }
        tables.extend_from_slice(self.code.lengths());
    }

    /// What bounds the code.
    pub fn spec(&self) -> ValueCodeSpec {
        self.spec
    }

    /// The values with a codeword, ascending; their positions are the symbols of [`ValueCode::code`].
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// The code over the values and the escape.
    pub fn code(&self) -> &CanonicalCode {
        &self.code
    }

    /// The escape's symbol.
    pub fn escape(&self) -> usize {
        self.values.len()
    }

    /// The most bits that one value takes.
    pub fn longest_bits(&self) -> u32 {
        self.code.longest_bits().max(self.code.length_bits(self.escape()) + self.spec.value_bits)
    }

    /// A symbol's codeword for an encoder's table.
    pub fn packed(&self, symbol: usize) -> PackedCodeword {
        let length_bits = self.code.length_bits(symbol);
        let tail = if symbol == self.escape() { PackedCodeword::ESCAPE | self.spec.value_bits } else { 0 };
        PackedCodeword((self.code.codeword(symbol) << 8) | (tail + length_bits))
    }
}

impl ValueCodeSpec {
    fn value_bytes(self) -> usize {
        self.value_bits.div_ceil(8) as usize
    }
}

/// A codeword of up to 24 bits, whether it is the escape (bit 7), and the length of codeword and raw value together
/// (bits 0..7) in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedCodeword(pub u32);

impl PackedCodeword {
    const ESCAPE: u32 = 0x80;

    /// The bits that encode `value`, right-aligned, and how many they are. No branch: escapes come unpredictably.
    #[inline(always)]
    pub fn bits(self, value: u32, value_bits: u32) -> (u64, u32) {
        let is_escape = (self.0 >> 7) & 1;
        let raw_bits = is_escape * value_bits;
        let raw = u64::from(value) & (u64::from(is_escape).wrapping_neg());
        (u64::from(self.0 >> 8) << raw_bits | raw, self.len_bits())
    }

    /// How many bits encode a value.
    #[inline(always)]
    pub fn len_bits(self) -> u32 {
        self.0 & 0x7f
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: ValueCodeSpec = ValueCodeSpec { value_bits: 16, most_values: 2, limit_bits: 20 };

    /// Four times 7, twice 9, once each 1 and 2: with two values kept, the escape covers two occurrences.
    fn sample() -> FrequentValues {
        let mut sample = FrequentValues::with_capacity(100);
        for value in [7, 7, 9, 7, 1, 9, 7, 2] {
            sample.add(value, 1);
        }
        sample
    }

    #[test]
    fn the_escape_is_a_leaf_with_the_weight_of_all_the_rest() {
        let code = ValueCode::train(SPEC, &sample());
        assert_eq!(code.values(), [7, 9]);
        assert_eq!(code.code().lengths(), [1, 2, 2]);
        assert_eq!(code.packed(0).bits(7, 16), (0b0, 1));
        assert_eq!(code.packed(1).bits(9, 16), (0b10, 2));
        assert_eq!(code.packed(2).bits(0xabcd, 16), (0b11 << 16 | 0xabcd, 18));
    }

    #[test]
    fn an_empty_sample_leaves_the_escape_alone_with_no_bits() {
        let code = ValueCode::train(SPEC, &FrequentValues::with_capacity(2));
        assert_eq!(code.packed(code.escape()).bits(3, 16), (3, 16));
    }

    #[test]
    fn written_codes_read_back_and_hostile_ones_do_not() {
        let code = ValueCode::train(SPEC, &sample());
        let mut bytes = Vec::new();
        code.write(&mut bytes);
        assert_eq!(bytes, [2, 0, 7, 0, 9, 0, 1, 2, 2]);
        let read = |bytes: &[u8]| ValueCode::read(SPEC, &mut TableReader::new(bytes));
        assert_eq!(read(&bytes), Ok(code));
        let at = |bytes: &[u8]| read(bytes).unwrap_err().at_byte;
        assert_eq!(at(&[3, 0, 7, 0, 9, 0, 10, 0, 2, 2, 2, 2]), 0, "too many values");
        assert_eq!(at(&[2, 0, 7, 0, 7, 0, 1, 2, 2]), 4, "a duplicate");
        assert_eq!(at(&[2, 0, 7, 0, 9, 0, 1, 2, 1]), 8, "overlapping codewords");
        assert_eq!(at(&[2, 0, 7, 0, 9, 0, 1, 21, 21]), 7, "a codeword over the limit");
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut]).is_err(), "cut to {cut} bytes");
        }
    }
}
