//! One block's bits on their way into a [`BitWriter`], written without branches.

use crate::bits::BitWriter;

/// Room for the longest encoding of a block: 64 symbols of 16 bits, each with a 20-bit escape, and 7 pointers.
const STAGING_BYTES: usize = 320;

/// Where a [`Staging`] puts its bits. It is apart from the counters so that these stay in registers.
pub type StagingBytes = [u8; STAGING_BYTES];

/// An empty place for bits.
pub const EMPTY: StagingBytes = [0; STAGING_BYTES];

/// Appends bits to the place of one block. Every `put` stores eight bytes whether or not they are full.
#[derive(Debug)]
pub struct Staging<'a> {
    bytes: &'a mut StagingBytes,
    full_bytes: usize,
    /// Bits after the last full byte, left-aligned.
    pending: u64,
    pending_bits: u32,
}

impl<'a> Staging<'a> {
    /// Starts with no bits.
    #[inline(always)]
    pub fn new(bytes: &'a mut StagingBytes) -> Self {
        Self { bytes, full_bytes: 0, pending: 0, pending_bits: 0 }
    }

    /// Appends the low `count` bits of `bits`, `count` at most 56. What does not fit is dropped, which no caller does.
    #[inline(always)]
    pub fn put(&mut self, bits: u64, count: u32) {
        // Without bits the shift may be by 64, which wraps and does no harm.
        self.pending |= bits.wrapping_shl(64 - self.pending_bits - count);
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

    /// Appends everything to `out`.
    #[inline(always)]
    pub fn append_to(&self, out: &mut BitWriter) {
        out.put_bytes(self.bytes.get(..self.full_bytes).unwrap_or_default());
        out.put(self.pending >> 56 >> (8 - self.pending_bits), self.pending_bits);
    }
}
