//! From a bit stream to the next four values of a [`ValueCode`] over values of at most 8 bits, escapes included.
//!
//! Where the index of a table can hold two encodings, one look-up gives two values, otherwise one; raw values after an escape are part
//! of the index. Values are in lanes of 16 bits, as bf16 needs them, so that four are put in their places at once. Below each value, its
//! lane has the length of the encoding and whether that is longer than the index, so that four values are one question.

use crate::bits::Ahead;
use crate::huffman::{Decoder, ValueCode};

/// The most bits that index a table of pairs: 16 KiB, so that the tables of two fields share the first-level cache.
const MOST_PAIR_BITS: u32 = 12;

/// One pair in this many may be longer than the index, if the data is what the code was made for.
const LONG_PAIRS: f64 = 64.0;

/// The most bits that index a table of single values: 32 KiB, and four times as many are what a peek holds.
const MOST_SINGLE_BITS: u32 = 14;

/// The same as [`LONG_PAIRS`] for single values.
const LONG_SINGLES: f64 = 256.0;

/// The widest values that leave room for the length in a lane.
const LANE_BITS: u32 = 8;

/// Where a lane has its value.
const VALUE_SHIFT: u32 = 8;

/// The values of four lanes, when they are where the lanes begin.
const VALUES: u64 = 0x00ff_00ff_00ff_00ff;

/// Marks an encoding that is longer than the index.
const LONG: u16 = 0x80;

/// This mark in any of four lanes.
const LONGS: u64 = 0x0080_0080_0080_0080;

/// The table of a code; its length is fixed so that a masked index needs no check.
#[derive(Clone, Debug)]
pub struct LaneDecoder {
    table: Table,
    index_bits: u32,
}

#[derive(Clone, Debug)]
enum Table {
    /// Two lanes, of which the lower one has the length of both encodings.
    Pairs(Box<[u32; 1 << MOST_PAIR_BITS]>),
    /// A lane each.
    Singles(Box<[u16; 1 << MOST_SINGLE_BITS]>),
}

impl LaneDecoder {
    /// The table for a code; none if its values are too wide, or too many encodings would be longer than the index.
    pub fn new(code: &ValueCode) -> Option<Self> {
        if code.spec().value_bits > LANE_BITS {
            return None;
        }
        let shares = shares_by_length(code);
        let pair_bits =
            (1..=MOST_PAIR_BITS).find(|&bits| share_of_longer_pairs(&shares, bits) <= 1.0 / LONG_PAIRS);
        if let Some(index_bits) = pair_bits {
            return Some(Self { table: Table::Pairs(pairs(code, index_bits)), index_bits });
        }
        let is_enough = |&bits: &u32| share_of_longer(&shares, bits) <= 1.0 / LONG_SINGLES;
        let index_bits = (1..=MOST_SINGLE_BITS).find(is_enough)?;
        Some(Self { table: Table::Singles(singles(code, index_bits)), index_bits })
    }

    /// The values after `position` bits, which moves on, each in a lane of 16 bits; none, and no move, if an encoding is longer than the
    /// index.
    #[inline(always)]
    pub fn take_four(&self, ahead: Ahead<'_>, position: &mut usize) -> Option<u64> {
        const { assert!(2 * MOST_PAIR_BITS <= 57 && 4 * MOST_SINGLE_BITS <= 57) };
        let window = ahead.peek64(*position);
        let (lanes, sum) = match &self.table {
            Table::Pairs(pairs) => {
                let first = self.look_up(pairs, window);
                let second = self.look_up(pairs, window << (first % 64));
                (u64::from(second) << 32 | u64::from(first), first.wrapping_add(second))
            }
            Table::Singles(singles) => {
                let (mut window, mut lanes, mut sum) = (window, 0, 0);
                for lane in 0..4 {
                    let single = self.look_up(singles, window);
                    window <<= single % 64;
                    lanes |= u64::from(single) << (16 * lane);
                    sum += u32::from(single);
                }
                (lanes, sum)
            }
        };
        if lanes & LONGS != 0 {
            return None;
        }
        *position += (sum % 64) as usize;
        Some(lanes >> VALUE_SHIFT & VALUES)
    }

    /// What `window` begins with.
    #[inline(always)]
    fn look_up<T: Copy, const ENTRIES: usize>(&self, table: &[T; ENTRIES], window: u64) -> T {
        table[(window >> (64 - self.index_bits)) as usize % ENTRIES]
    }
}

fn pairs(code: &ValueCode, index_bits: u32) -> Box<[u32; 1 << MOST_PAIR_BITS]> {
    let codewords = Decoder::new(code.code());
    let mut pairs = Box::new([u32::from(LONG); 1 << MOST_PAIR_BITS]);
    for (index, pair) in pairs.iter_mut().enumerate().take(1 << index_bits) {
        let window = (index as u64) << (64 - index_bits);
        let (first, first_bits) = value_at(code, &codewords, window);
        let (second, second_bits) = value_at(code, &codewords, window << first_bits);
        let bits = first_bits + second_bits;
        if bits <= index_bits {
            *pair = (second << 16 | first) << VALUE_SHIFT | bits;
        }
    }
    pairs
}

#[expect(
    clippy::large_stack_arrays,
    reason = "boxed at once; a fixed length spares each look-up its bounds check"
)]
fn singles(code: &ValueCode, index_bits: u32) -> Box<[u16; 1 << MOST_SINGLE_BITS]> {
    let codewords = Decoder::new(code.code());
    let mut singles = Box::new([LONG; 1 << MOST_SINGLE_BITS]);
    for (index, single) in singles.iter_mut().enumerate().take(1 << index_bits) {
        let (value, bits) = value_at(code, &codewords, (index as u64) << (64 - index_bits));
        if bits <= index_bits {
            *single = (value << VALUE_SHIFT | bits) as u16;
        }
    }
    singles
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

/// The shares of values by the bits of their encodings: a codeword of *n* bits is one in 2ⁿ of the data that the code was made for.
fn shares_by_length(code: &ValueCode) -> [f64; MOST_SINGLE_BITS as usize + 1] {
    let mut shares = [0.0; MOST_SINGLE_BITS as usize + 1];
    for symbol in 0..=code.escape() {
        let codeword_bits = code.code().length_bits(symbol);
        let raw_bits = if symbol == code.escape() { code.spec().value_bits } else { 0 };
        if let Some(share) = shares.get_mut((codeword_bits + raw_bits) as usize) {
            *share += 0.5f64.powi(codeword_bits as i32);
        }
    }
    shares
}

/// The share of values whose encodings have more than `bits` bits.
fn share_of_longer(shares: &[f64], bits: u32) -> f64 {
    1.0 - shares.iter().take(bits as usize + 1).sum::<f64>()
}

/// The share of pairs whose encodings have more than `bits` bits together.
fn share_of_longer_pairs(shares: &[f64], bits: u32) -> f64 {
    let share_of_second = |first: usize| 1.0 - share_of_longer(shares, bits - first as u32);
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
        // Pairs, pairs with escapes, long codewords, single values, and a code with empty codewords.
        for (value_bits, values, others) in [(3, 3, 1), (4, 2, 60), (8, 12, 0), (8, 1, 1000), (8, 0, 1)] {
            let code = code(value_bits, values, others);
            let decoder = LaneDecoder::new(&code).unwrap();
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
    fn pairs_are_too_long_where_nearly_every_value_is_an_escape() {
        let table =
            |value_bits, values, others| LaneDecoder::new(&code(value_bits, values, others)).unwrap().table;
        assert!(matches!(table(3, 3, 1), Table::Pairs(_)));
        assert!(matches!(table(8, 1, 1000), Table::Singles(_)));
    }

    #[test]
    fn codes_of_long_encodings_and_of_wide_values_have_no_table() {
        // An escape of seven bits that is no rare case, and eight raw ones.
        let mut sample = FrequentValues::with_capacity(256);
        (0..120).for_each(|value| sample.add(value, 1));
        let spec = ValueCodeSpec { value_bits: 8, most_values: 1024, limit_bits: 12 };
        assert!(LaneDecoder::new(&ValueCode::from_frequent(spec, sample.top(1024), 121)).is_none());
        assert!(LaneDecoder::new(&code(11, 3, 0)).is_none());
    }
}
