//! From a bit stream to the next value of a [`ValueCode`].
//!
//! A table over the next bits gives value and length. It has as many bits as nearly all codewords need, 15 at most: what follows a
//! short codeword spreads its look-ups over the whole table, and a codec has up to three that must share the first-level cache.
//! Longer codewords go on in a second table, over the bits that the longest codeword with the same first bits has left.
//! Canonical codewords of one length stand together, so that the second table has about one entry for each long codeword.
//!
//! The time of decoding is that of waiting: the next look-up needs the length that this one gives. So the escape is a
//! branch: where data has escapes they come in patterns that the processor guesses, and then nothing waits.

use std::hint::select_unpredictable;

use crate::bits::{Ahead, Cursor};
use crate::huffman::{CanonicalCode, Decoder, ValueCode};

/// The most bits that index the first table: 128 KiB of entries. Codes of few values need far fewer; in a code of 8,192 values
/// codewords of 13 bits and more are so frequent that guessing whether one is long costs more than a look-up in the second-level
/// cache.
const MOST_DIRECT_BITS: u32 = 15;

/// One codeword in this many may be longer than the bits that index the first table, if the data is what the code was made for.
const LONG_SHARE: u64 = 64;

/// An escape with a codeword of this many bits is met in one value of 256: a branch guesses that there is none.
const RARE_ESCAPE_BITS: u32 = 8;

/// The longest codeword that the cursors' arithmetic allows for.
pub const LONGEST_BITS: u32 = 20;

/// The decoding tables of one value code.
#[derive(Clone, Debug)]
pub struct ValueDecoder<const VALUE_BITS: u32> {
    /// Its length is fixed so that a masked index needs no check; what is not used never enters a cache.
    direct: Box<[Entry; 1 << MOST_DIRECT_BITS]>,
    direct_bits: u32,
    long: Vec<Entry>,
    /// By symbol; for values that are too wide for an entry.
    values: Vec<u32>,
    escape_bits: u32,
}

/// What some bits begin with. Bits 0..6 are the length of codeword and raw value, or how many bits index the second
/// table; bit 6 marks the escape and bit 7 the way to the second table; bits 8..32 are the value, its symbol, or a place in that table.
#[derive(Clone, Copy, Debug)]
struct Entry(u32);

impl Entry {
    const IS_ESCAPE: u32 = 0x40;
    const IS_LONG: u32 = 0x80;

    #[inline(always)]
    fn is(self, marks: u32) -> bool {
        self.0 & marks != 0
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.0 & 0x3f
    }

    #[inline(always)]
    fn payload(self) -> u32 {
        self.0 >> 8
    }
}

impl<const VALUE_BITS: u32> ValueDecoder<VALUE_BITS> {
    const IS_VALUE_IN_ENTRY: bool = VALUE_BITS <= 24;

    /// The tables for a code.
    #[expect(
        clippy::large_stack_arrays,
        reason = "boxed at once; a fixed length spares each look-up its bounds check"
    )]
    pub fn new(code: &ValueCode) -> Self {
        let codewords = Decoder::new(code.code());
        let escape_bits = code.code().length_bits(code.escape());
        let direct_bits = direct_bits(code.code());
        let mut decoder = Self {
            direct: Box::new([Entry(0); 1 << MOST_DIRECT_BITS]),
            direct_bits,
            long: Vec::new(),
            values: code.values().to_vec(),
            escape_bits,
        };
        for index in 0..1 << direct_bits {
            let first = (index as u64) << (64 - direct_bits);
            let (_, longest_bits) = codewords.decode(first | u64::MAX >> direct_bits);
            decoder.direct[index] = if longest_bits <= direct_bits {
                decoder.entry(&codewords, first)
            } else {
                decoder.add_long(&codewords, first, longest_bits)
            };
        }
        decoder
    }

    /// The next value, from a cursor that holds the longest codeword or more, before and after. The window is refilled
    /// while the table is read.
    #[inline(always)]
    pub fn take_and_refill(&self, cursor: &mut Cursor<'_>) -> u32 {
        const { assert!(Cursor::REFILLED_BITS - VALUE_BITS >= LONGEST_BITS) };
        if let Some(entry) = self.look_up(cursor.window()) {
            cursor.refill();
            cursor.consume(entry.count());
            return self.value(entry);
        }
        cursor.consume(self.escape_bits);
        cursor.refill();
        take_raw::<VALUE_BITS>(cursor)
    }

    /// Two values after `position` bits, which moves on. A position is all that a stream keeps, so that several stay in registers.
    #[inline(always)]
    pub fn take_two(&self, ahead: Ahead<'_>, position: &mut usize) -> [u32; 2] {
        const { assert!(2 * LONGEST_BITS <= Cursor::REFILLED_BITS) };
        let window = ahead.peek64(*position);
        if !self.holds_two() {
            if self.escape_bits >= RARE_ESCAPE_BITS
                && let Some(first) = self.look_up(window)
                && let Some(second) = self.look_up(window << first.count())
            {
                *position += (first.count() + second.count()) as usize;
                return [self.value(first), self.value(second)];
            }
            return [self.take_one(ahead, position), self.take_one(ahead, position)];
        }
        let (first, first_bits) = self.read_unguessed(window);
        let (second, second_bits) = self.read_unguessed(window << first_bits);
        *position += (first_bits + second_bits) as usize;
        [first, second]
    }

    #[inline(always)]
    fn take_one(&self, ahead: Ahead<'_>, position: &mut usize) -> u32 {
        const { assert!(LONGEST_BITS + VALUE_BITS <= Cursor::REFILLED_BITS) };
        let (value, bits) = self.read_unguessed(ahead.peek64(*position));
        *position += bits as usize;
        value
    }

    /// The value at the head of `window`, and its bits.
    #[inline(always)]
    fn read_unguessed(&self, window: u64) -> (u32, u32) {
        let mut entry = self.look_up_direct(window);
        if entry.is(Entry::IS_LONG) {
            entry = self.look_up_long(window, entry);
        }
        let raw = window << self.escape_bits >> (64 - VALUE_BITS);
        (select_unpredictable(entry.is(Entry::IS_ESCAPE), raw as u32, self.value(entry)), entry.count())
    }

    /// Whether one peek holds any two values. If not, the escape's codeword is so long that escapes are hardly ever met, and a branch
    /// guesses them well.
    #[inline(always)]
    fn holds_two(&self) -> bool {
        self.escape_bits + VALUE_BITS <= Cursor::REFILLED_BITS / 2
    }

    /// The entry of the value at the head of `window`, none if it is an escape.
    #[inline(always)]
    fn look_up(&self, window: u64) -> Option<Entry> {
        let mut entry = self.look_up_direct(window);
        if entry.is(Entry::IS_ESCAPE | Entry::IS_LONG) {
            if entry.is(Entry::IS_LONG) {
                entry = self.look_up_long(window, entry);
            }
            if entry.is(Entry::IS_ESCAPE) {
                return None;
            }
        }
        Some(entry)
    }

    /// The entry of the first table.
    #[inline(always)]
    fn look_up_direct(&self, window: u64) -> Entry {
        self.direct[(window >> (64 - self.direct_bits)) as usize % (1 << MOST_DIRECT_BITS)]
    }

    /// The entry of the second table to which `first` leads.
    #[inline(always)]
    fn look_up_long(&self, window: u64, first: Entry) -> Entry {
        let more = window << self.direct_bits >> (64 - first.count());
        // In range by construction; the default is never seen.
        self.long.get(first.payload() as usize + more as usize).copied().unwrap_or(Entry(0))
    }

    #[inline(always)]
    fn value(&self, entry: Entry) -> u32 {
        if Self::IS_VALUE_IN_ENTRY {
            return entry.payload();
        }
        self.values.get(entry.payload() as usize).copied().unwrap_or(0)
    }

    /// The entry for bits that begin like `window`.
    fn entry(&self, codewords: &Decoder, window: u64) -> Entry {
        let (symbol, codeword_bits) = codewords.decode(window);
        match self.values.get(symbol as usize) {
            Some(&value) if Self::IS_VALUE_IN_ENTRY => Entry(value << 8 | codeword_bits),
            Some(_) => Entry(symbol << 8 | codeword_bits),
            None => Entry(Entry::IS_ESCAPE | (codeword_bits + VALUE_BITS)),
        }
    }

    /// Adds the entries of the codewords that begin with the first bits of `first` to the second table.
    fn add_long(&mut self, codewords: &Decoder, first: u64, longest_bits: u32) -> Entry {
        let more_bits = longest_bits - self.direct_bits;
        let start = self.long.len() as u32;
        for more in 0..1u64 << more_bits {
            let entry = self.entry(codewords, first | more << (64 - longest_bits));
            self.long.push(entry);
        }
        Entry(start << 8 | Entry::IS_LONG | more_bits)
    }
}

/// The bits for the first table of a code: a codeword of *n* bits is one in 2ⁿ of the data that the code was made for.
fn direct_bits(code: &CanonicalCode) -> u32 {
    const ALL: u64 = 1 << 32;
    let share_of_longer = |bits: u32| -> u64 {
        code.lengths().iter().filter(|&&length| u32::from(length) > bits).map(|&length| ALL >> length).sum()
    };
    (1..MOST_DIRECT_BITS).find(|&bits| share_of_longer(bits) <= ALL / LONG_SHARE).unwrap_or(MOST_DIRECT_BITS)
}

/// The raw value after an escape. Its length does not come from the table: what follows need not wait for that.
#[inline(always)]
fn take_raw<const VALUE_BITS: u32>(cursor: &mut Cursor<'_>) -> u32 {
    let raw = cursor.window() >> (64 - VALUE_BITS);
    cursor.consume(VALUE_BITS);
    raw as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitReader, BitWriter, Spare};
    use crate::huffman::FrequentValues;
    use crate::huffman::value_code::ValueCodeSpec;
    use proptest::prelude::*;

    /// What these bits, with others after them, are decoded to; all of them are consumed.
    fn taken(decoder: &ValueDecoder<16>, (bits, count): (u64, u32)) -> u32 {
        let bytes = (bits << (64 - count) | 5).to_be_bytes();
        let mut spare = Spare::new();
        let mut cursor = Cursor::new(BitReader::new(&bytes, 64).ahead(&mut spare));
        let value = decoder.take_and_refill(&mut cursor);
        assert_eq!(cursor.position(), count as usize);
        value
    }

    /// What two values, one after the other, are decoded to; all of their bits are consumed.
    fn two_taken(decoder: &ValueDecoder<16>, encodings: [(u64, u32); 2]) -> [u32; 2] {
        let mut out = BitWriter::new();
        for (bits, count) in encodings {
            out.put(bits, count);
        }
        let len_bits = out.len_bits();
        let mut spare = Spare::new();
        let ahead = BitReader::new(out.pad_to_bytes(), len_bits).ahead(&mut spare);
        let mut position = 0;
        let values = decoder.take_two(ahead, &mut position);
        assert_eq!(position, len_bits);
        values
    }

    proptest! {
        #[test]
        fn every_codeword_short_or_long_gives_its_value(
            // Counts that fall by halves make codewords up to the limit.
            shifts in prop::collection::vec(0u32..24, 0..400),
            raw in any::<u16>(),
        ) {
            let mut sample = FrequentValues::with_capacity(1 << 16);
            (0u32..).zip(&shifts).for_each(|(value, &shift)| sample.add(value * 7, 1 << shift));
            let spec = ValueCodeSpec { value_bits: 16, most_values: 300, limit_bits: 20 };
            let code = ValueCode::train(spec, &sample);
            let decoder = ValueDecoder::<16>::new(&code);
            for (symbol, value) in (0..).zip(code.values()) {
                prop_assert_eq!(taken(&decoder, code.packed(symbol).bits(*value, 16)), *value);
            }
            let raw = u32::from(raw);
            let escape = code.packed(code.escape()).bits(raw, 16);
            prop_assert_eq!(taken(&decoder, escape), raw);
            for (symbol, value) in (0..).zip(code.values()) {
                let codeword = code.packed(symbol).bits(*value, 16);
                prop_assert_eq!(two_taken(&decoder, [codeword, escape]), [*value, raw]);
                prop_assert_eq!(two_taken(&decoder, [escape, codeword]), [raw, *value]);
            }
            prop_assert_eq!(two_taken(&decoder, [escape, escape]), [raw, raw]);
        }
    }
}
