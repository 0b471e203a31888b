//! From a bit stream to the next four values of a [`ValueCode`] over very narrow values: one look-up gives two of them.
//!
//! A table over the next bits gives two values and the length of their encodings together, if the index holds both; raw values
//! after an escape are part of the index. Values are in lanes of 16 bits, as bf16 needs them, so that four are put in their places
//! at once.

use crate::bits::Ahead;
use crate::huffman::{Decoder, ValueCode};

/// The most bits that index the table: 16 KiB, so that the tables of two fields share the first-level cache.
const MOST_INDEX_BITS: u32 = 12;

/// One pair in this many may be longer than the index, if the data is what the code was made for.
const LONG_SHARE: f64 = 64.0;

/// The widest values that leave room for the length in a lane.
const WIDEST_BITS: u32 = 8;

/// Where the first lane has the length.
const LENGTH_SHIFT: u32 = WIDEST_BITS;

/// The values of four lanes.
const VALUES: u64 = 0x00ff_00ff_00ff_00ff;

/// The table of a code.
#[derive(Clone, Debug)]
pub struct PairDecoder {
    /// Two lanes, and the length of both encodings above the first value; 0 if that is longer than the index. Its length is fixed
    /// so that a masked index needs no check.
    entries: Box<[u32; 1 << MOST_INDEX_BITS]>,
    index_bits: u32,
}

impl PairDecoder {
    /// The table for a code; none if its values are too wide, or too many pairs would be longer than the index.
    pub fn new(code: &ValueCode) -> Option<Self> {
        if code.spec().value_bits > WIDEST_BITS {
            return None;
        }
        let is_enough = |&bits: &u32| share_of_longer_pairs(code, bits) <= 1.0 / LONG_SHARE;
        let index_bits = (1..=MOST_INDEX_BITS).find(is_enough)?;
        let codewords = Decoder::new(code.code());
        let mut entries = Box::new([0; 1 << MOST_INDEX_BITS]);
        for (index, entry) in entries.iter_mut().enumerate().take(1 << index_bits) {
            let window = (index as u64) << (64 - index_bits);
            let (first, first_bits) = value_at(code, &codewords, window);
            let (second, second_bits) = value_at(code, &codewords, window << first_bits);
            let bits = first_bits + second_bits;
            if bits <= index_bits {
                *entry = first | second << 16 | bits << LENGTH_SHIFT;
            }
        }
        Some(Self { entries, index_bits })
    }

    /// The values after `position` bits, which moves on, each in a lane of 16 bits; none, and no move, if a pair of them is longer
    /// than the index. A code of one value has empty encodings, and so has no pairs here.
    #[inline(always)]
    pub fn take_four(&self, ahead: Ahead<'_>, position: &mut usize) -> Option<u64> {
        const { assert!(2 * MOST_INDEX_BITS <= 57) };
        let window = ahead.peek64(*position);
        let (first, first_bits) = self.look_up(window);
        let (second, second_bits) = self.look_up(window << first_bits);
        if first_bits == 0 || second_bits == 0 {
            return None;
        }
        *position += (first_bits + second_bits) as usize;
        Some((u64::from(second) << 32 | u64::from(first)) & VALUES)
    }

    #[inline(always)]
    fn look_up(&self, window: u64) -> (u32, u32) {
        let entry = self.entries[(window >> (64 - self.index_bits)) as usize % (1 << MOST_INDEX_BITS)];
        (entry, entry >> LENGTH_SHIFT & 0xf)
    }
}

/// Four values in lanes of 16 bits.
#[inline(always)]
pub fn lanes(values: [u64; 4]) -> u64 {
    let [a, b, c, d] = values;
    d << 48 | c << 32 | b << 16 | a
}

/// The value at the head of `window`, and the bits of its encoding.
fn value_at(code: &ValueCode, codewords: &Decoder, window: u64) -> (u32, u32) {
    let value_bits = code.spec().value_bits;
    let (symbol, codeword_bits) = codewords.decode(window);
    match code.values().get(symbol as usize) {
        Some(&value) => (value, codeword_bits),
        None => ((window << codeword_bits >> (64 - value_bits)) as u32, codeword_bits + value_bits),
    }
}

/// The share of pairs whose encodings have more than `bits` bits together: a codeword of *n* bits is one in 2ⁿ of the data that the
/// code was made for.
fn share_of_longer_pairs(code: &ValueCode, bits: u32) -> f64 {
    let mut shares = [0.0; MOST_INDEX_BITS as usize + 1];
    for symbol in 0..=code.escape() {
        let codeword_bits = code.code().length_bits(symbol);
        let raw_bits = if symbol == code.escape() { code.spec().value_bits } else { 0 };
        if let Some(share) = shares.get_mut((codeword_bits + raw_bits) as usize) {
            *share += 0.5f64.powi(codeword_bits as i32);
        }
    }
    let share_of_second = |first: usize| shares.iter().take(bits as usize + 1 - first).sum::<f64>();
    let shorter = shares.iter().enumerate().take(bits as usize + 1);
    1.0 - shorter.map(|(first, share)| share * share_of_second(first)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitReader, BitWriter, Spare};
    use crate::huffman::FrequentValues;
    use crate::huffman::value_code::ValueCodeSpec;

    /// A code for values that each occur half as often as the one before, and for others that occur this often.
    fn code(value_bits: u32, values: u32, others: u64) -> ValueCode {
        let mut sample = FrequentValues::with_capacity(256);
        (0..values).for_each(|value| sample.add(value, 1 << (values - value)));
        let spec = ValueCodeSpec { value_bits, most_values: 1024, limit_bits: 12 };
        let total = sample.total() + others;
        ValueCode::from_frequent(spec, sample.top(1024), total)
    }

    #[test]
    fn four_values_come_back_escapes_and_all() {
        for (value_bits, values, others) in [(3, 3, 1), (4, 2, 60), (8, 12, 0)] {
            let code = code(value_bits, values, others);
            let decoder = PairDecoder::new(&code).unwrap();
            let mut come_back = 0;
            for seed in 0..200u32 {
                let mut out = BitWriter::new();
                let sent = [0, 3, 5, 8].map(|shift| {
                    let value = (seed >> shift) % (1 << value_bits);
                    let symbol = code.values().binary_search(&value).unwrap_or(code.escape());
                    let (bits, count) = code.packed(symbol).bits(value, value_bits);
                    out.put(bits, count);
                    u64::from(value)
                });
                let len_bits = out.len_bits();
                let mut spare = Spare::new();
                let ahead = BitReader::new(out.pad_to_bytes(), len_bits).ahead(&mut spare);
                let mut position = 0;
                if let Some(values) = decoder.take_four(ahead, &mut position) {
                    assert_eq!((values, position), (lanes(sent), len_bits));
                    come_back += 1;
                } else {
                    assert_eq!(position, 0);
                    assert!(len_bits > decoder.index_bits as usize, "{sent:?}");
                }
            }
            assert!(come_back > 0);
        }
    }

    #[test]
    fn codes_of_long_encodings_and_of_wide_values_have_no_table() {
        // An escape of few bits and eight raw ones for nearly every value.
        assert!(PairDecoder::new(&code(8, 1, 1000)).is_none());
        assert!(PairDecoder::new(&code(11, 3, 0)).is_none());
    }
}
