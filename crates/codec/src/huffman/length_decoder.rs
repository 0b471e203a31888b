//! From a bit stream to the next value of a [`ValueCode`] over 16-bit values: one table gives lengths, another gives values.
//!
//! A decoder waits for the length of a codeword before it can look up the next one, and for nothing else. So the table that it waits
//! for holds lengths alone: 4 KiB, which stay in the first-level cache however many values the code has. Codewords of one length are
//! consecutive numbers in symbol order, so a sum of codeword and an offset of that length is the place of the value.
//!
//! Where two lengths meet inside an index, the table has no length. Each length that occurs has one such index at most, so few values
//! in a thousand are decoded by comparisons with the first codewords of all lengths.

use std::hint::select_unpredictable;

use crate::bits::{Ahead, Cursor};
use crate::huffman::value_decoder::LONGEST_BITS;
use crate::huffman::{Decoder, ValueCode};

/// The bits that index the table of lengths.
const INDEX_BITS: u32 = 12;

/// The most values of a code.
const MOST_VALUES: usize = 8192;

const VALUE_BITS: u32 = 16;

/// Marks the length of an escape; the six bits below it are the length of its codeword and the raw value together.
const ESCAPE: u8 = 0x40;

/// Marks a length that the next bits do not tell.
const UNKNOWN: u8 = 0x80;

/// The tables of one code.
#[derive(Clone, Debug)]
pub struct LengthDecoder {
    tables: Box<Tables>,
    codewords: Decoder,
    /// By symbol.
    coded_values: Vec<u32>,
}

/// Array lengths are fixed so that masked indices need no check.
#[derive(Clone, Debug)]
struct Tables {
    /// By the next bits: how many bits the encoding has.
    lens_bits: [u8; 1 << INDEX_BITS],
    /// By that number: what a codeword is less than the place of its value.
    offsets: [u32; 2 * ESCAPE as usize],
    /// In the order of their codewords.
    values: [u16; MOST_VALUES],
}

impl LengthDecoder {
    /// The tables for a code over at most 8,192 values.
    pub fn new(code: &ValueCode) -> Self {
        let tables = Box::new(Tables {
            lens_bits: [UNKNOWN; 1 << INDEX_BITS],
            offsets: [0; 2 * ESCAPE as usize],
            values: [0; MOST_VALUES],
        });
        let mut decoder =
            Self { tables, codewords: Decoder::new(code.code()), coded_values: code.values().to_vec() };
        decoder.fill_lens_bits();
        decoder.fill_values(code);
        decoder
    }

    /// A length goes to every index whose codewords all have it.
    fn fill_lens_bits(&mut self) {
        for index in 0..1 << INDEX_BITS {
            let first = (index as u64) << (64 - INDEX_BITS);
            let last = first | u64::MAX >> INDEX_BITS;
            let ((_, first_bits), (_, last_bits)) = (self.compare(first), self.compare(last));
            if first_bits == last_bits {
                self.tables.lens_bits[index] = first_bits;
            }
        }
    }

    /// The escape has no place among the values. It is the last codeword of its length, so that the others of that length stay
    /// consecutive.
    fn fill_values(&mut self, code: &ValueCode) {
        let order = code.code().symbols_in_code_order().iter().map(|&symbol| symbol as usize);
        let with_value = order.filter(|&symbol| symbol != code.escape());
        for (place, (slot, symbol)) in self.tables.values.iter_mut().zip(with_value).enumerate() {
            let offset = (place as u32).wrapping_sub(code.code().codeword(symbol));
            self.tables.offsets[code.code().length_bits(symbol) as usize] = offset;
            *slot = code.values()[symbol] as u16;
        }
    }

    /// The next value, from a cursor that was refilled and has given one value since at most.
    #[inline(always)]
    pub fn take(&self, cursor: &mut Cursor<'_>) -> u32 {
        let window = cursor.window();
        let len_bits = self.len_bits(window);
        if len_bits & UNKNOWN == 0 {
            cursor.consume(len_bits.into());
            return self.value(window, len_bits);
        }
        const { assert!(LONGEST_BITS + VALUE_BITS <= Cursor::REFILLED_BITS) };
        cursor.refill();
        let (value, len_bits) = self.compare(cursor.window());
        cursor.consume(len_bits.into());
        cursor.refill();
        value
    }

    /// Two values after `position` bits, which moves on. A position is all that a stream keeps, so that several stay in registers.
    #[inline(always)]
    pub fn peek_two(&self, ahead: Ahead<'_>, position: &mut usize) -> [u32; 2] {
        // An escape whose length is in the table has a codeword of `INDEX_BITS` at most.
        const { assert!(2 * (INDEX_BITS + VALUE_BITS) <= Cursor::REFILLED_BITS) };
        const { assert!(LONGEST_BITS <= INDEX_BITS + VALUE_BITS) };
        let first = ahead.peek64(*position);
        let first_bits = self.len_bits(first);
        let second = first << (first_bits % 64);
        let second_bits = self.len_bits(second);
        if (first_bits | second_bits) & UNKNOWN != 0 {
            // By value: a position whose address is known elsewhere would not stay in a register.
            let (values, next_position) = self.compare_two(ahead, *position);
            *position = next_position;
            return values;
        }
        *position += (u32::from(first_bits) + u32::from(second_bits)) as usize % 64;
        [self.value(first, first_bits), self.value(second, second_bits)]
    }

    /// The same by comparisons.
    #[cold]
    #[inline(never)]
    fn compare_two(&self, ahead: Ahead<'_>, mut position: usize) -> ([u32; 2], usize) {
        let values = [(); 2].map(|()| {
            let (value, len_bits) = self.compare(ahead.peek64(position));
            position += usize::from(len_bits % ESCAPE);
            value
        });
        (values, position)
    }

    #[inline(always)]
    fn len_bits(&self, window: u64) -> u8 {
        self.tables.lens_bits[(window >> (64 - INDEX_BITS)) as usize]
    }

    /// The value whose encoding of known length `window` begins with.
    #[inline(always)]
    fn value(&self, window: u64, len_bits: u8) -> u32 {
        let encoding = window >> (len_bits.wrapping_neg() % 64);
        let offset = self.tables.offsets[(len_bits % (2 * ESCAPE)) as usize];
        let value = self.tables.values[offset.wrapping_add(encoding as u32) as usize % MOST_VALUES];
        select_unpredictable(len_bits & ESCAPE != 0, encoding as u16, value).into()
    }

    /// The value that `window` begins with, and the bits of its encoding as `lens_bits` has them.
    #[cold]
    #[inline(never)]
    fn compare(&self, window: u64) -> (u32, u8) {
        let (symbol, codeword_bits) = self.codewords.decode(window);
        if let Some(&value) = self.coded_values.get(symbol as usize) {
            return (value, codeword_bits as u8);
        }
        let raw = window << codeword_bits >> (64 - VALUE_BITS);
        (raw as u32, (codeword_bits + VALUE_BITS) as u8 | ESCAPE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitReader, BitWriter, Spare};
    use crate::huffman::FrequentValues;
    use crate::huffman::value_code::ValueCodeSpec;
    use proptest::prelude::*;

    /// A code over these values and counts, and an escape that occurs `others` times.
    fn code(counts: &[(u32, u64)], others: u64) -> ValueCode {
        let mut sample = FrequentValues::with_capacity(1 << 16);
        for &(value, count) in counts {
            sample.add(value, count);
        }
        let spec = ValueCodeSpec { value_bits: 16, most_values: MOST_VALUES, limit_bits: LONGEST_BITS };
        ValueCode::from_frequent(spec, sample.top(MOST_VALUES), sample.total() + others)
    }

    /// Checks that these values come back, two after each refill.
    fn check(code: &ValueCode, values: &[u32]) {
        let decoder = LengthDecoder::new(code);
        let mut out = BitWriter::new();
        for &value in values {
            let symbol = code.values().binary_search(&value).unwrap_or(code.escape());
            let (bits, count) = code.packed(symbol).bits(value, VALUE_BITS);
            out.put(bits, count);
        }
        let len_bits = out.len_bits();
        let mut spare = Spare::new();
        let mut cursor = Cursor::new(BitReader::new(out.pad_to_bytes(), len_bits).ahead(&mut spare));
        for pair in values.chunks(2) {
            cursor.refill();
            for &value in pair {
                assert_eq!(decoder.take(&mut cursor), value);
            }
        }
        assert_eq!(cursor.position(), len_bits);
    }

    proptest! {
        #[test]
        fn every_value_comes_back_with_codewords_of_all_lengths(
            // Counts that fall by halves make codewords up to the limit.
            shifts in prop::collection::vec(0u32..24, 0..400),
            others in prop_oneof![Just(0), Just(1), 0u64..1 << 26],
            picks in prop::collection::vec((any::<u16>(), any::<bool>()), 64),
        ) {
            let counts: Vec<(u32, u64)> = (0u32..).map(|value| value * 7).zip(shifts.iter().map(|shift| 1 << shift)).collect();
            let of_sample = |pick: u16| counts.get(pick as usize % counts.len().max(1)).map_or(0, |&(value, _)| value);
            let values: Vec<u32> =
                picks.iter().map(|&(pick, is_raw)| if is_raw { pick.into() } else { of_sample(pick) }).collect();
            check(&code(&counts, others), &values);
        }
    }

    #[test]
    fn as_many_values_as_a_code_can_have_come_back() {
        let counts: Vec<(u32, u64)> =
            (0..MOST_VALUES as u32).map(|value| (8 * value, 1 + u64::from(value % 900))).collect();
        let values: Vec<u32> = (0..u32::from(u16::MAX)).collect();
        for others in [0, 100, 1 << 20] {
            let code = code(&counts, others);
            values.chunks(64).for_each(|values| check(&code, values));
        }
    }

    #[test]
    fn few_indices_have_no_length() {
        let counts: Vec<(u32, u64)> =
            (0..MOST_VALUES as u32).map(|value| (value, 1 + (1 << 20) / (1 + u64::from(value)))).collect();
        let decoder = LengthDecoder::new(&code(&counts, 0));
        let unknown = decoder.tables.lens_bits.iter().filter(|&&len_bits| len_bits == UNKNOWN);
        assert!(unknown.count() <= (LONGEST_BITS - INDEX_BITS) as usize);
    }
}
