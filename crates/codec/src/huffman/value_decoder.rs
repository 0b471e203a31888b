//! From a bit stream to the next value of a [`ValueCode`].
//!
//! A table over the next 13 bits gives value and length. Longer codewords go on in a second table, over the bits that the
//! longest codeword with the same first 13 bits has left. Canonical codewords of one length stand together, so that the
//! second table has about one entry for each long codeword.
//!
//! The time of decoding is that of waiting: the next look-up needs the length that this one gives. So the escape is a
//! branch: where data has escapes they come in patterns that the processor guesses, and then nothing waits.

use std::hint::select_unpredictable;

use crate::bits::Cursor;
use crate::huffman::{Decoder, ValueCode};

/// The bits that index the first table: 32 KiB of entries.
const DIRECT_BITS: u32 = 13;

/// The longest codeword that the cursors' arithmetic allows for.
pub const LONGEST_BITS: u32 = 20;

/// The decoding tables of one value code.
#[derive(Clone, Debug)]
pub struct ValueDecoder<const VALUE_BITS: u32> {
    direct: Box<[Entry; 1 << DIRECT_BITS]>,
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
        let mut decoder = Self {
            direct: Box::new([Entry(0); 1 << DIRECT_BITS]),
            long: Vec::new(),
            values: code.values().to_vec(),
            escape_bits,
        };
        for index in 0..decoder.direct.len() {
            let first = (index as u64) << (64 - DIRECT_BITS);
            let (_, longest_bits) = codewords.decode(first | u64::MAX >> DIRECT_BITS);
            decoder.direct[index] = if longest_bits <= DIRECT_BITS {
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

    /// The next value, from a cursor that was refilled; `IS_SECOND` after one value that was taken since.
    #[inline(always)]
    pub fn take<const IS_SECOND: bool>(&self, cursor: &mut Cursor<'_>) -> u32 {
        const { assert!(Cursor::REFILLED_BITS >= VALUE_BITS + 2 * LONGEST_BITS) };
        if let Some(entry) = self.look_up(cursor.window()) {
            cursor.consume(entry.count());
            return self.value(entry);
        }
        cursor.consume(self.escape_bits);
        // Everything but two escapes with long codewords is held by one window.
        if IS_SECOND && !self.holds_two() {
            cursor.refill();
        }
        take_raw::<VALUE_BITS>(cursor)
    }

    /// Whether a refilled cursor holds any two values, so that [`ValueDecoder::take_unguessed`] may take them. If not,
    /// the escape's codeword is so long that escapes are hardly ever met, and a branch guesses them well.
    #[inline(always)]
    pub fn holds_two(&self) -> bool {
        self.escape_bits + VALUE_BITS <= Cursor::REFILLED_BITS / 2
    }

    /// The next value, from a cursor that was refilled and has given one value since at most; only where
    /// [`ValueDecoder::holds_two`]. The escape is no branch: for decoders that have other streams to go on with while
    /// they wait for the table, and would lose those, too, to a wrong guess.
    #[inline(always)]
    pub fn take_unguessed(&self, cursor: &mut Cursor<'_>) -> u32 {
        let window = cursor.window();
        let mut entry = self.direct[(window >> (64 - DIRECT_BITS)) as usize];
        if entry.is(Entry::IS_LONG) {
            entry = self.look_up_long(window, entry);
        }
        cursor.consume(entry.0);
        let raw = window << self.escape_bits >> (64 - VALUE_BITS);
        select_unpredictable(entry.is(Entry::IS_ESCAPE), raw as u32, self.value(entry))
    }

    /// The entry of the value at the head of `window`, none if it is an escape.
    #[inline(always)]
    fn look_up(&self, window: u64) -> Option<Entry> {
        let mut entry = self.direct[(window >> (64 - DIRECT_BITS)) as usize];
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

    /// The entry of the second table to which `first` leads.
    #[inline(always)]
    fn look_up_long(&self, window: u64, first: Entry) -> Entry {
        let more = window << DIRECT_BITS >> (64 - first.count());
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
        let more_bits = longest_bits - DIRECT_BITS;
        let start = self.long.len() as u32;
        for more in 0..1u64 << more_bits {
            let entry = self.entry(codewords, first | more << (64 - longest_bits));
            self.long.push(entry);
        }
        Entry(start << 8 | Entry::IS_LONG | more_bits)
    }
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
    use crate::bits::{BitReader, Spare};
    use crate::huffman::FrequentValues;
    use crate::huffman::value_code::ValueCodeSpec;
    use proptest::prelude::*;

    /// What these bits, with others after them, are decoded to; all of them are consumed.
    fn taken(decoder: &ValueDecoder<16>, (bits, count): (u64, u32)) -> u32 {
        let bytes = (bits << (64 - count) | 5).to_be_bytes();
        let mut spare = Spare::new();
        let mut cursor = Cursor::new(BitReader::new(&bytes, 64).ahead(&mut spare));
        let value = decoder.take::<false>(&mut cursor);
        assert_eq!(cursor.position(), count as usize);
        value
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
            prop_assert_eq!(taken(&decoder, code.packed(code.escape()).bits(raw, 16)), raw);
        }
    }
}
