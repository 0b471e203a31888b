//! From a bit stream to the next value of a [`ValueCode`], escape and raw value in one step.
//!
//! The table over the next 12 bits holds the whole length (codeword and raw value), so that the next
//! look-up can start before this one knows its value.

use crate::huffman::{Decoder, ValueCode};

/// The bits that index the table: 32 KiB of entries.
const DIRECT_BITS: u32 = 12;

/// The decoding table of one value code.
#[derive(Clone, Debug)]
pub struct ValueDecoder<const VALUE_BITS: u32> {
    entries: Box<[Entry; 1 << DIRECT_BITS]>,
    /// The hardware's way, for codewords longer than the table's index.
    long: Decoder,
    values: Vec<u32>,
    escape: Entry,
}

/// Bits 0..8 whole length, 8..16 codeword length, 16..24 shift that leaves the raw value (or nothing), 24..31 zero, bit 31
/// "longer than the index", 32..64 value. The fields are bytes because a byte is read in one instruction.
#[derive(Clone, Copy, Debug)]
struct Entry(u64);

impl Entry {
    const IS_LONG: Self = Self(1 << 31);

    fn value(value: u32, codeword_bits: u32) -> Self {
        Self(u64::from(value) << 32 | 63 << 16 | u64::from(codeword_bits) << 8 | u64::from(codeword_bits))
    }

    fn escape(codeword_bits: u32, value_bits: u32) -> Self {
        let shift = u64::from(63 - value_bits);
        Self(shift << 16 | u64::from(codeword_bits) << 8 | u64::from(codeword_bits + value_bits))
    }

    #[inline(always)]
    fn is_long(self) -> bool {
        self.0 & Self::IS_LONG.0 != 0
    }
}

impl<const VALUE_BITS: u32> ValueDecoder<VALUE_BITS> {
    /// The table for a code.
    #[expect(
        clippy::large_stack_arrays,
        reason = "boxed at once; a fixed length spares each look-up its bounds check"
    )]
    pub fn new(code: &ValueCode) -> Self {
        let escape = Entry::escape(code.code().length_bits(code.escape()), VALUE_BITS);
        let long = Decoder::new(code.code());
        let entries = Box::new([Entry::IS_LONG; 1 << DIRECT_BITS]);
        let mut decoder = Self { entries, long, values: code.values().to_vec(), escape };
        for index in 0..decoder.entries.len() {
            let window = (index as u64) << (64 - DIRECT_BITS);
            if decoder.long.compare_first_codewords(window).1 <= DIRECT_BITS {
                decoder.entries[index] = decoder.compare(window);
            }
        }
        decoder
    }

    /// The value at the head of `window` (left-aligned) and how many bits it takes.
    #[inline(always)]
    pub fn decode(&self, window: u64) -> (u32, u32) {
        let mut entry = self.entries[(window >> (64 - DIRECT_BITS)) as usize];
        if entry.is_long() {
            entry = self.compare(window);
        }
        // No branch, because escapes come unpredictably: without an escape the shifts leave nothing.
        let raw = (window << (entry.0 >> 8 & 63)) >> 1 >> (entry.0 >> 16 & 63);
        ((entry.0 >> 32 | raw) as u32, u32::from(entry.0 as u8))
    }

    #[cold]
    fn compare(&self, window: u64) -> Entry {
        let (symbol, codeword_bits) = self.long.compare_first_codewords(window);
        match self.values.get(symbol as usize) {
            Some(&value) => Entry::value(value, codeword_bits),
            None => self.escape,
        }
    }
}
