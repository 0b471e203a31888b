//! From a bit stream to the next value of a [`ValueCode`], escape and raw value in one step.
//!
//! The table over the next [`DIRECT_BITS`] bits holds the whole length (codeword and raw value), so that the next
//! look-up can start before this one knows its value.

use crate::huffman::{Decoder, ValueCode};

/// The bits that index the table: 32 KiB of entries.
const DIRECT_BITS: u32 = 12;

/// The decoding table of one value code.
#[derive(Clone, Debug)]
pub struct ValueDecoder {
    entries: Vec<Entry>,
    /// The hardware's way, for codewords longer than the table's index.
    long: Decoder,
    values: Vec<u32>,
    escape: Entry,
    value_bits: u32,
}

/// Bits 0..6 whole length, bit 6 "longer than the index", bit 7 "escape", bits 8..14 codeword length, 32..64 value.
#[derive(Clone, Copy, Debug)]
struct Entry(u64);

impl Entry {
    const IS_LONG: Self = Self(1 << 6);

    fn value(value: u32, codeword_bits: u32) -> Self {
        Self(u64::from(value) << 32 | u64::from(codeword_bits) << 8 | u64::from(codeword_bits))
    }

    fn escape(codeword_bits: u32, value_bits: u32) -> Self {
        Self(1 << 7 | u64::from(codeword_bits) << 8 | u64::from(codeword_bits + value_bits))
    }

    #[inline(always)]
    fn is_long(self) -> bool {
        self.0 & Self::IS_LONG.0 != 0
    }
}

impl ValueDecoder {
    /// The table for a code.
    pub fn new(code: &ValueCode) -> Self {
        let value_bits = code.spec().value_bits;
        let escape = Entry::escape(code.code().length_bits(code.escape()), value_bits);
        let long = Decoder::new(code.code());
        let mut decoder =
            Self { entries: Vec::new(), long, values: code.values().to_vec(), escape, value_bits };
        let windows = (0..1u64 << DIRECT_BITS).map(|index| index << (64 - DIRECT_BITS));
        decoder.entries = windows
            .map(|window| {
                let (_, codeword_bits) = decoder.long.compare_first_codewords(window);
                if codeword_bits <= DIRECT_BITS { decoder.compare(window) } else { Entry::IS_LONG }
            })
            .collect();
        decoder
    }

    /// The value at the head of `window` (left-aligned) and how many bits it takes.
    #[inline(always)]
    pub fn decode(&self, window: u64) -> (u32, u32) {
        let index = (window >> (64 - DIRECT_BITS)) as usize;
        let mut entry = self.entries.get(index).copied().unwrap_or(Entry::IS_LONG);
        if entry.is_long() {
            entry = self.compare(window);
        }
        let codeword_bits = (entry.0 >> 8) & 63;
        // Both are computed and one is masked: escapes come unpredictably.
        let is_escape = ((entry.0 >> 7) & 1).wrapping_neg();
        let raw = (window << codeword_bits) >> (64 - self.value_bits) & is_escape;
        ((entry.0 >> 32 | raw) as u32, (entry.0 & 63) as u32)
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
