//! A decoding cursor that keeps the next bits in a register.

/// A refilled window holds this many bits, and up to 7 more: a multiple of 8, so that whole bytes are added.
const REFILLED_BITS: u32 = 0b11_1000;

/// Reads ahead of what is consumed; past the last byte it reads zeros. The owner checks [`Cursor::position`] at the end.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    next_byte: usize,
    /// The next bits, left-aligned. Bits after the first `window_bits` are either zero or already right.
    window: u64,
    window_bits: u32,
}

impl<'a> Cursor<'a> {
    /// A cursor at bit `position` of `bytes`.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], position: usize) -> Self {
        let mut cursor = Self { bytes, next_byte: position / 8, window: 0, window_bits: 0 };
        cursor.refill();
        cursor.consume((position % 8) as u32);
        cursor
    }

    /// Brings the window to 56 bits or more.
    #[inline(always)]
    pub fn refill(&mut self) {
        let group = match self.bytes.get(self.next_byte..).and_then(<[u8]>::first_chunk) {
            Some(group) => u64::from_be_bytes(*group),
            None => group_at_end(self.bytes, self.next_byte),
        };
        self.window |= group >> self.window_bits;
        self.next_byte += ((63 - self.window_bits) / 8) as usize;
        self.window_bits |= REFILLED_BITS;
    }

    /// Brings the window to `least_bits` or more, at most 56.
    #[inline(always)]
    pub fn refill_below(&mut self, least_bits: u32) {
        if self.window_bits < least_bits {
            self.refill();
        }
    }

    /// The next bits, left-aligned.
    #[inline(always)]
    pub fn window(&self) -> u64 {
        self.window
    }

    /// Moves on by `count` bits, no more than the window holds.
    #[inline(always)]
    pub fn consume(&mut self, count: u32) {
        self.window <<= count;
        self.window_bits -= count;
    }

    /// The bit of the byte slice that comes next; it may lie after the last one.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.next_byte * 8 - self.window_bits as usize
    }
}

/// The last bytes and zeros. It takes values, not the cursor, so that the cursor can live in registers.
#[cold]
#[inline(never)]
fn group_at_end(bytes: &[u8], next_byte: usize) -> u64 {
    let mut eight = [0; 8];
    let rest = bytes.get(next_byte..).unwrap_or_default();
    let count = rest.len().min(8);
    eight[..count].copy_from_slice(&rest[..count]);
    u64::from_be_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_seen_once_and_zeros_follow() {
        let bytes: Vec<u8> = (0..23).map(|byte| byte * 11 + 1).collect();
        let bit = |position: usize| bytes.get(position / 8).map_or(0, |byte| byte >> (7 - position % 8) & 1);
        for start in 0..bytes.len() * 8 {
            for step in [1, 7, 20, 36, 56] {
                let mut cursor = Cursor::new(&bytes, start);
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
