//! A decoding cursor that keeps the next bits in a register.

/// A power of two above the longest encoding of a block, 64 symbols of 16 bits with a 20-bit escape each.
const MOST_BYTES: usize = 512;

const GROUP_BYTES: usize = 8;

/// The bytes from where an encoding starts. The length is fixed so that a masked index needs no check.
pub type Ahead = [u8; MOST_BYTES + GROUP_BYTES];

/// The rest of a stream that is shorter than [`Ahead`], and zeros.
#[cold]
#[inline(never)]
pub fn ahead_at_end(rest: &[u8]) -> Ahead {
    let mut ahead = [0; MOST_BYTES + GROUP_BYTES];
    let count = rest.len().min(ahead.len());
    ahead[..count].copy_from_slice(&rest[..count]);
    ahead
}

/// Reads ahead of what is consumed, no more than one block. The owner checks [`Cursor::position`] at the end.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    ahead: &'a Ahead,
    next_byte: usize,
    /// The next bits, left-aligned. Bits after the first `window_bits` are either zero or already right.
    window: u64,
    /// In the low six bits; those above are arbitrary.
    window_bits: u32,
}

impl<'a> Cursor<'a> {
    /// A refilled window holds this many bits, and up to 7 more: a multiple of 8, so that whole bytes are added.
    pub const REFILLED_BITS: u32 = 0b11_1000;

    /// A cursor at bit `position` of `ahead`.
    #[inline(always)]
    pub fn new(ahead: &'a Ahead, position: usize) -> Self {
        let mut cursor = Self { ahead, next_byte: position / 8, window: 0, window_bits: 0 };
        cursor.refill();
        cursor.consume((position % 8) as u32);
        cursor
    }

    /// Brings the window to 56 bits or more.
    #[inline(always)]
    pub fn refill(&mut self) {
        let at = self.next_byte % MOST_BYTES;
        let mut group = [0; GROUP_BYTES];
        group.copy_from_slice(&self.ahead[at..at + GROUP_BYTES]);
        self.window |= u64::from_be_bytes(group) >> (self.window_bits % 64);
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

    /// The bit of `ahead` that comes next; it may lie after the end of the stream.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.next_byte * 8 - (self.window_bits % 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_seen_once_and_zeros_follow() {
        let bytes: Vec<u8> = (0..23).map(|byte| byte * 11 + 1).collect();
        let bit = |position: usize| bytes.get(position / 8).map_or(0, |byte| byte >> (7 - position % 8) & 1);
        let ahead = ahead_at_end(&bytes);
        for start in 0..bytes.len() * 8 {
            for step in [1, 7, 20, 36, 56] {
                let mut cursor = Cursor::new(&ahead, start);
                for position in (start..bytes.len() * 8 + 200).step_by(step) {
                    cursor.refill();
                    assert_eq!(cursor.position(), position);
                    for ahead in 0..56 {
                        let seen = cursor.window() << ahead >> 63;
                        assert_eq!(seen, u64::from(bit(position + ahead)), "bit {ahead} after {position}");
                    }
                    cursor.consume(step as u32);
                }
            }
        }
    }
}
