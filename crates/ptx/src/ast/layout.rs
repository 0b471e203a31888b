//! Variables one behind the other, each at its alignment.

use super::Variable;

/// Counting stops here: no memory is as large, and sums stay far from overflow.
const MOST_BYTES: u64 = 1 << 48;

/// Where the next variable goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    end_bytes: u64,
}

impl Layout {
    /// Places a variable; its offset in bytes.
    pub fn place(&mut self, variable: &Variable) -> u64 {
        self.align(variable.align_bytes);
        let offset = self.end_bytes;
        self.end_bytes = offset.saturating_add(variable.size_bytes).min(MOST_BYTES);
        offset
    }

    /// Moves the end to a multiple of `bytes`.
    pub fn align(&mut self, bytes: u32) {
        self.end_bytes = self.end_bytes.next_multiple_of(u64::from(bytes.max(1)));
    }

    /// Leaves room without a variable.
    pub fn skip(&mut self, bytes: u64) {
        self.end_bytes = self.end_bytes.saturating_add(bytes).min(MOST_BYTES);
    }

    /// Bytes taken so far.
    pub fn bytes(self) -> u64 {
        self.end_bytes
    }
}
