//! From a bit stream to the next four values of a [`ValueCode`] over narrow values, escapes included.
//!
//! A table over the next bits gives a value and the length of its encoding: where the escape is short, the raw value after it is
//! part of the index. So a value costs one look-up and no question but whether its encoding is longer than the index, and four
//! are one peek.

use crate::bits::Ahead;
use crate::huffman::direct_index::WIDEST_BITS;
use crate::huffman::{Decoder, ValueCode};

/// The most bits that index the table: 32 KiB, and four times as many are what a peek holds.
const MOST_INDEX_BITS: u32 = 14;

/// One encoding in this many may be longer than the index, if the data is what the code was made for.
const LONG_SHARE: u64 = 256;

/// The table of one code.
#[derive(Clone, Debug)]
pub struct NarrowDecoder {
    /// Value x 16 + length of its encoding; 0 for a longer encoding. Its length is fixed so that a masked index needs no check.
    entries: Box<[u16; 1 << MOST_INDEX_BITS]>,
    index_bits: u32,
}

impl NarrowDecoder {
    /// The values that are read together.
    pub const VALUES: usize = 4;

    /// The table for a code over values of at most [`WIDEST_BITS`]; none if too many encodings would be longer than its index.
    #[expect(
        clippy::large_stack_arrays,
        reason = "boxed at once; a fixed length spares each look-up its bounds check"
    )]
    pub fn new(code: &ValueCode) -> Option<Self> {
        let value_bits = code.spec().value_bits;
        if value_bits > WIDEST_BITS {
            return None;
        }
        let index_bits = (1..=MOST_INDEX_BITS).find(|&bits| is_rarely_longer(code, bits))?;
        let codewords = Decoder::new(code.code());
        let mut entries = Box::new([0; 1 << MOST_INDEX_BITS]);
        for (index, entry) in entries.iter_mut().enumerate().take(1 << index_bits) {
            let window = (index as u64) << (64 - index_bits);
            let (symbol, codeword_bits) = codewords.decode(window);
            let (value, bits) = match code.values().get(symbol as usize) {
                Some(&value) => (value, codeword_bits),
                None => ((window << codeword_bits >> (64 - value_bits)) as u32, codeword_bits + value_bits),
            };
            if bits <= index_bits {
                *entry = (value << 4 | bits) as u16;
            }
        }
        Some(Self { entries, index_bits })
    }

    /// The values after `position` bits, which moves on; none, and no move, if one of them has a longer encoding.
    #[inline(always)]
    pub fn take_four(&self, ahead: Ahead<'_>, position: &mut usize) -> Option<[u32; Self::VALUES]> {
        const { assert!(Self::VALUES as u32 * MOST_INDEX_BITS <= 57) };
        let mut window = ahead.peek64(*position);
        let mut values = [0; Self::VALUES];
        let mut taken_bits = 0;
        for value in &mut values {
            let entry = self.entries[(window >> (64 - self.index_bits)) as usize % (1 << MOST_INDEX_BITS)];
            let bits = u32::from(entry) & 0xf;
            if bits == 0 {
                return None;
            }
            *value = u32::from(entry >> 4);
            window <<= bits;
            taken_bits += bits as usize;
        }
        *position += taken_bits;
        Some(values)
    }
}

/// Whether few encodings have more than `bits` bits: a codeword of *n* bits is one in 2ⁿ of the data that the code was made for.
fn is_rarely_longer(code: &ValueCode, bits: u32) -> bool {
    const ALL: u64 = 1 << 32;
    let share = |symbol: usize| ALL >> code.code().length_bits(symbol);
    let encoding_bits = |symbol: usize| {
        let raw_bits = if symbol == code.escape() { code.spec().value_bits } else { 0 };
        code.code().length_bits(symbol) + raw_bits
    };
    let longer = (0..=code.escape()).filter(|&symbol| encoding_bits(symbol) > bits);
    longer.map(share).sum::<u64>() <= ALL / LONG_SHARE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitReader, BitWriter, Spare};
    use crate::huffman::FrequentValues;
    use crate::huffman::value_code::ValueCodeSpec;

    /// A code for values that each occur as often, and one that only the escape has.
    fn code(values: u32, others: u64) -> ValueCode {
        let mut sample = FrequentValues::with_capacity(1 << 12);
        (0..values).for_each(|value| sample.add(3 * value, 2));
        let spec = ValueCodeSpec { value_bits: 12, most_values: 1024, limit_bits: 18 };
        let total = sample.total() + others;
        ValueCode::from_frequent(spec, sample.top(1024), total)
    }

    #[test]
    fn four_values_come_back_escapes_and_all() {
        for (values, others) in [(0, 1), (3, 9), (100, 300), (1000, 2000)] {
            let code = code(values, others);
            let decoder = NarrowDecoder::new(&code).unwrap();
            let mut out = BitWriter::new();
            let sent = [0, 4095, 3 * (values / 2), 7].map(|value| {
                let symbol = code.values().binary_search(&value).unwrap_or(code.escape());
                let (bits, count) = code.packed(symbol).bits(value, 12);
                out.put(bits, count);
                value
            });
            let len_bits = out.len_bits();
            let mut spare = Spare::new();
            let ahead = BitReader::new(out.pad_to_bytes(), len_bits).ahead(&mut spare);
            let mut position = 0;
            assert_eq!(decoder.take_four(ahead, &mut position), Some(sent));
            assert_eq!(position, len_bits);
        }
    }

    #[test]
    fn a_code_with_long_escapes_has_no_table() {
        // An escape of three bits, and twelve raw ones.
        assert!(NarrowDecoder::new(&code(100, 30)).is_none());
    }
}
