//! The bits ahead of a reader, for decoders that look at many codes of one block before they move.
//!
//! [`BitReader::peek64_after`] asks at every peek whether the bytes end, and what it then does costs the caller its
//! registers. Here that is asked once for a block.

use super::BitReader;

/// The longest encoding (32 codes of 35 bits), the bits before it in its first byte, and the eight bytes of a peek.
const AHEAD_BYTES: usize = 160;

/// Where the bytes ahead go if fewer than [`AHEAD_BYTES`] are left.
pub(crate) struct Spare([u8; AHEAD_BYTES]);

/// The next bytes of a stream; zeros where it has ended.
#[derive(Clone, Copy)]
pub(crate) struct Ahead<'a> {
    bytes: &'a [u8; AHEAD_BYTES],
    /// The bits of the first byte that were read before.
    read_bits: usize,
}

impl Spare {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([0; AHEAD_BYTES])
    }
}

impl BitReader<'_> {
    /// What lies past the end of this reader is unspecified, as with [`BitReader::peek64`].
    #[inline(always)]
    pub(crate) fn ahead<'s>(&'s self, spare: &'s mut Spare) -> Ahead<'s> {
        let rest = self.bytes.get(self.position / 8..).unwrap_or_default();
        let read_bits = self.position % 8;
        match rest.first_chunk() {
            Some(bytes) => Ahead { bytes, read_bits },
            None => Ahead { bytes: spare.fill(rest), read_bits },
        }
    }
}

impl Spare {
    #[cold]
    #[inline(never)]
    fn fill(&mut self, rest: &[u8]) -> &[u8; AHEAD_BYTES] {
        let count = rest.len().min(AHEAD_BYTES);
        self.0[..count].copy_from_slice(&rest[..count]);
        &self.0
    }
}

/// A window over the bits ahead that a decoder keeps in registers.
///
/// The bytes of a refill are at a place known since the refill before, so no code waits for their load.
pub(crate) struct Window<'a> {
    ahead: Ahead<'a>,
    /// The next bits, left-aligned.
    held: u64,
    /// How many of them count. Those after them are right, too, but are loaded again.
    held_bits: u32,
    next_byte: usize,
}

impl<'a> Window<'a> {
    /// The bits that are held at least after a refill.
    pub(crate) const REFILLED_BITS: u32 = 56;

    #[inline(always)]
    pub(crate) fn new(ahead: Ahead<'a>) -> Self {
        let mut window = Self { ahead, held: 0, held_bits: 0, next_byte: 0 };
        window.refill();
        window.drop_bits(ahead.read_bits as u32);
        window.refill();
        window
    }

    /// The next bits, left-aligned.
    #[inline(always)]
    pub(crate) fn bits(&self) -> u64 {
        self.held
    }

    /// Moves on by `count` bits, which are held. More than 64 count modulo 64.
    #[inline(always)]
    pub(crate) fn drop_bits(&mut self, count: u32) {
        self.held = self.held.wrapping_shl(count);
        self.held_bits = self.held_bits.wrapping_sub(count % 64);
    }

    #[inline(always)]
    pub(crate) fn refill(&mut self) {
        self.held |= self.ahead.eight_bytes(self.next_byte) >> (self.held_bits % 64);
        self.next_byte += (63 - self.held_bits as usize % 64) / 8;
        self.held_bits |= Self::REFILLED_BITS;
    }

    /// The bits that were dropped.
    #[inline(always)]
    pub(crate) fn position(&self) -> usize {
        (8 * self.next_byte).wrapping_sub(self.held_bits as usize).wrapping_sub(self.ahead.read_bits)
    }
}

impl Ahead<'_> {
    /// 57 or more bits from `offset_bits` bits after the reader's position, left-aligned in 64.
    #[inline(always)]
    pub(crate) fn peek64(self, offset_bits: usize) -> u64 {
        let position = self.read_bits + offset_bits;
        self.eight_bytes(position / 8) << (position % 8)
    }

    /// Never out of range where it matters: for an encoding of the longest length.
    #[inline(always)]
    fn eight_bytes(self, byte: usize) -> u64 {
        let Some(group) = self.bytes.get(byte..byte + 8) else { return 0 };
        let mut eight = [0; 8];
        eight.copy_from_slice(group);
        u64::from_be_bytes(eight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peek_ahead_sees_what_the_reader_sees() {
        let bytes: Vec<u8> = (0..200u32).map(|index| (index * 37 + 11) as u8).collect();
        for start in [0, 5, 160, 384, 385, 1000, 1600] {
            let reader = BitReader::at(&bytes, start, 1127);
            let mut spare = Spare::new();
            let ahead = reader.ahead(&mut spare);
            for offset in 0..1120 {
                assert_eq!(ahead.peek64(offset), reader.peek64_after(offset), "{start} {offset}");
            }
        }
    }

    #[test]
    fn a_window_follows_the_reader() {
        let bytes: Vec<u8> = (0..200u32).map(|index| (index * 37 + 11) as u8).collect();
        for start in [0, 3, 7, 384, 391, 900] {
            let reader = BitReader::at(&bytes, start, 1127);
            let mut spare = Spare::new();
            let mut window = Window::new(reader.ahead(&mut spare));
            for count in (0..1120).map(|index| index % 36).take(60) {
                let position = window.position();
                assert_eq!(window.bits() >> 28, reader.peek64_after(position) >> 28, "{start} {position}");
                window.drop_bits(count);
                assert_eq!(window.position(), position + count as usize);
                window.refill();
            }
        }
    }
}
