//! The bits ahead of a reader, for decoders that look at many codes of one block before they move.
//!
//! [`BitReader::peek64`] asks at every peek whether the bytes end, and what it then does costs the caller its registers.
//! Here that is asked once for a block. The owner checks at the end how many bits were taken.

use super::{BitReader, MAX_ENCODING_BYTES};

const GROUP_BYTES: usize = 8;

/// The longest encoding and the eight bytes of a peek. The length is fixed so that a masked index needs no check.
const AHEAD_BYTES: usize = MAX_ENCODING_BYTES + GROUP_BYTES;

/// Where the bytes ahead go if the stream has fewer than a view has.
#[derive(Debug, Default)]
pub struct Spare(Option<[u8; AHEAD_BYTES]>);

/// The next bytes of a stream; zeros where it has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<'a> {
    bytes: &'a [u8; AHEAD_BYTES],
    /// The bits of the first byte that were read before.
    read_bits: usize,
}

impl Spare {
    /// An empty one.
    pub const fn new() -> Self {
        Self(None)
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, rest: &[u8]) -> &[u8; AHEAD_BYTES] {
        let mut copy = [0; AHEAD_BYTES];
        let count = rest.len().min(AHEAD_BYTES);
        copy[..count].copy_from_slice(&rest[..count]);
        self.0.insert(copy)
    }

    /// The last `BYTES` bytes before bit `end` of `bytes`, from bit `end` backward: every bit in opposite order. What follows them is
    /// unspecified: what was there before.
    #[inline(always)]
    pub fn backward<const BYTES: usize>(&mut self, bytes: &[u8], end: usize) -> Ahead<'_> {
        let last = &bytes[..end.div_ceil(8).min(bytes.len())];
        let copy = self.0.get_or_insert([0; AHEAD_BYTES]);
        if let Some(tail) = last.last_chunk::<BYTES>() {
            for (target, byte) in copy[..BYTES].iter_mut().zip(tail.iter().rev()) {
                *target = byte.reverse_bits();
            }
        } else {
            for (target, byte) in copy.iter_mut().zip(last.iter().rev()) {
                *target = byte.reverse_bits();
            }
        }
        Ahead { bytes: copy, read_bits: end.wrapping_neg() % 8 }
    }
}

impl<'a> BitReader<'a> {
    /// What lies past the end of this reader is unspecified, as with [`BitReader::peek64`].
    #[inline(always)]
    pub(crate) fn ahead<'s>(&self, spare: &'s mut Spare) -> Ahead<'s>
    where
        'a: 's,
    {
        match self.ahead_in_place() {
            Some(ahead) => ahead,
            None => Ahead {
                bytes: spare.fill(self.bytes.get(self.position / 8..).unwrap_or_default()),
                read_bits: self.position % 8,
            },
        }
    }

    /// The same if the stream has enough bytes.
    #[inline(always)]
    pub(crate) fn ahead_in_place(&self) -> Option<Ahead<'a>> {
        let bytes = self.bytes.get(self.position / 8..)?.first_chunk()?;
        Some(Ahead { bytes, read_bits: self.position % 8 })
    }
}

impl Ahead<'_> {
    /// 57 or more bits from `offset_bits` bits after the start, left-aligned in 64.
    #[inline(always)]
    pub fn peek64(self, offset_bits: usize) -> u64 {
        let position = self.read_bits + offset_bits;
        self.eight_bytes(position / 8) << (position % 8)
    }

    /// The view from the start of its first byte, and the bits from there to its own start.
    #[inline(always)]
    pub fn split(self) -> (Self, usize) {
        (Self { read_bits: 0, ..self }, self.read_bits)
    }

    /// The same view from `offset_bits` bits further on.
    #[inline(always)]
    pub fn after(self, offset_bits: usize) -> Self {
        Self { read_bits: self.read_bits + offset_bits, ..self }
    }

    /// Never out of range where it matters: for an encoding of the longest length.
    #[inline(always)]
    fn eight_bytes(self, byte: usize) -> u64 {
        let at = byte % MAX_ENCODING_BYTES;
        let mut group = [0; GROUP_BYTES];
        group.copy_from_slice(&self.bytes[at..at + GROUP_BYTES]);
        u64::from_be_bytes(group)
    }
}

/// A window over the bits ahead that a decoder keeps in registers.
///
/// The bytes of a refill are at a place known since the refill before, so no code waits for their load.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    ahead: Ahead<'a>,
    next_byte: usize,
    /// The next bits, left-aligned. Bits after the first `window_bits` are either zero or already right.
    window: u64,
    /// In the low six bits; those above are arbitrary.
    window_bits: u32,
}

impl<'a> Cursor<'a> {
    /// A refilled window holds this many bits, and up to 7 more: a multiple of 8, so that whole bytes are added.
    pub const REFILLED_BITS: u32 = 0b11_1000;

    /// A cursor at the first bit of a view, refilled.
    #[inline(always)]
    pub fn new(ahead: Ahead<'a>) -> Self {
        let mut cursor = Self { ahead, next_byte: ahead.read_bits / 8, window: 0, window_bits: 0 };
        cursor.refill();
        cursor.consume((ahead.read_bits % 8) as u32);
        cursor.refill();
        cursor
    }

    /// Brings the window to 56 bits or more.
    #[inline(always)]
    pub fn refill(&mut self) {
        self.window |= self.ahead.eight_bytes(self.next_byte) >> (self.window_bits % 64);
        self.next_byte += (!self.window_bits % 64 / 8) as usize;
        self.window_bits |= Self::REFILLED_BITS;
    }

    /// The next bits, left-aligned.
    #[inline(always)]
    pub fn window(&self) -> u64 {
        self.window
    }

    /// Moves on by as many bits as the low six bits of `count` say, no more than the window holds. Other bits of it do
    /// not matter, so that an entry of a table is a count as it is.
    #[inline(always)]
    pub fn consume(&mut self, count: u32) {
        self.window <<= count % 64;
        self.window_bits = self.window_bits.wrapping_sub(count);
    }

    /// The bits consumed; more than the stream has if the cursor went past its end.
    #[inline(always)]
    pub fn position(&self) -> usize {
        (self.next_byte * 8).wrapping_sub((self.window_bits % 64) as usize).wrapping_sub(self.ahead.read_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_bytes(count: u32) -> Vec<u8> {
        (0..count).map(|index| (index * 37 + 11) as u8).collect()
    }

    #[test]
    fn a_peek_ahead_sees_what_the_reader_sees() {
        let bytes = some_bytes(700);
        for start in [0, 5, 160, 384, 385, 1000, 5000] {
            let reader = BitReader::at(&bytes, start, 4096);
            let mut spare = Spare::new();
            let ahead = reader.ahead(&mut spare);
            for offset in 0..4080 {
                let mut other = reader.fork_at(offset);
                other.skip(0).unwrap();
                assert_eq!(ahead.peek64(offset) >> 7, other.peek64() >> 7, "{start} {offset}");
                if offset > 500 {
                    continue;
                }
                assert_eq!(ahead.after(offset).peek64(3) >> 7, ahead.peek64(offset + 3) >> 7);
            }
        }
    }

    #[test]
    fn a_cursor_sees_every_bit_once_and_zeros_follow() {
        let bytes = some_bytes(23);
        let bit = |position: usize| bytes.get(position / 8).map_or(0, |byte| byte >> (7 - position % 8) & 1);
        for start in 0..bytes.len() * 8 {
            let mut spare = Spare::new();
            let ahead = BitReader::at(&bytes, start, usize::MAX).ahead(&mut spare);
            for step in [1, 7, 20, 36, 56] {
                let mut cursor = Cursor::new(ahead);
                for position in (start..bytes.len() * 8 + 200).step_by(step) {
                    cursor.refill();
                    assert_eq!(cursor.position(), position - start);
                    for ahead in 0..56 {
                        let seen = cursor.window() << ahead >> 63;
                        assert_eq!(seen, u64::from(bit(position + ahead)), "bit {ahead} after {position}");
                    }
                    cursor.consume(step as u32);
                }
            }
        }
    }

    #[test]
    fn backward_every_bit_comes_in_opposite_order() {
        let bytes = some_bytes(90);
        let bit = |position: usize| u64::from(bytes[position / 8] >> (7 - position % 8) & 1);
        for end in [1, 7, 8, 77, 400, 511, 512, 513, 720] {
            let mut spare = Spare::new();
            let ahead = spare.backward::<64>(&bytes, end);
            for offset in 0..end.min(64 * 8 - 7) {
                assert_eq!(ahead.peek64(offset) >> 63, bit(end - 1 - offset), "{offset} before {end}");
            }
        }
    }
}
