//! One block's bits on their way into a [`BitWriter`], written without branches.

use crate::bits::BitWriter;

/// Room for the longest encoding of a block: 64 symbols of 16 bits, each with a 20-bit escape, and 7 pointers.
const STAGING_BYTES: usize = 320;

/// A bit buffer for one block. Every `put` stores eight bytes whether or not they are full.
#[derive(Clone, Debug)]
pub struct Staging {
    bytes: [u8; STAGING_BYTES],
    full_bytes: usize,
    /// Bits after the last full byte, left-aligned.
    pending: u64,
    pending_bits: u32,
}

impl Staging {
    /// An empty buffer.
    #[inline(always)]
    pub fn new() -> Self {
        Self { bytes: [0; STAGING_BYTES], full_bytes: 0, pending: 0, pending_bits: 0 }
    }

    /// Appends the low `count` bits of `bits`, `count` at most 56. What does not fit is dropped, which no caller does.
    #[inline(always)]
    pub fn put(&mut self, bits: u64, count: u32) {
        self.pending |= (bits << 1) << (63 - self.pending_bits - count);
        self.pending_bits += count;
        if let Some(place) = self.bytes.get_mut(self.full_bytes..self.full_bytes + 8) {
            place.copy_from_slice(&self.pending.to_be_bytes());
        }
        let whole_bits = self.pending_bits & !7;
        self.pending <<= whole_bits;
        self.pending_bits &= 7;
        self.full_bytes += (whole_bits / 8) as usize;
    }

    /// Fills the last byte with zeros.
    #[inline(always)]
    pub fn align_to_byte(&mut self) {
        self.put(0, (8 - self.pending_bits) % 8);
    }

    /// The length so far, in bits.
    #[inline(always)]
    pub fn len_bits(&self) -> usize {
        self.full_bytes * 8 + self.pending_bits as usize
    }

    /// Appends everything to `out`.
    #[inline(always)]
    pub fn append_to(&self, out: &mut BitWriter) {
        out.put_bytes(self.bytes.get(..self.full_bytes).unwrap_or_default());
        out.put(self.pending >> 56 >> (8 - self.pending_bits), self.pending_bits);
    }
}

impl Default for Staging {
    fn default() -> Self {
        Self::new()
    }
}
