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
        let group = match self.bytes.get(self.next_byte..self.next_byte + 8) {
            Some(group) => {
                let mut eight = [0; 8];
                eight.copy_from_slice(group);
                u64::from_be_bytes(eight)
            }
            None => self.group_at_end(),
        };
        self.window |= group >> self.window_bits;
        self.next_byte += ((63 - self.window_bits) / 8) as usize;
        self.window_bits |= REFILLED_BITS;
    }

    #[cold]
    fn group_at_end(&self) -> u64 {
        let mut eight = [0; 8];
        let rest = self.bytes.get(self.next_byte..).unwrap_or_default();
        let count = rest.len().min(8);
        eight[..count].copy_from_slice(&rest[..count]);
        u64::from_be_bytes(eight)
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

    /// The bit of the first byte slice that comes next.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.next_byte * 8 - self.window_bits as usize
    }
}
