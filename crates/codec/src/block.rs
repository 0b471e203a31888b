//! The size of a block, and its bytes seen as words.

use std::fmt;

/// How many bytes a block has: the line sizes that caches and memory controllers use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockBytes {
    /// One DRAM burst.
    B32 = 32,
    /// A CPU cache line.
    B64 = 64,
    /// A GPU memory line; what the papers of this field compress.
    B128 = 128,
}

impl BlockBytes {
    /// Every size, smallest first.
    pub const ALL: [Self; 3] = [Self::B32, Self::B64, Self::B128];

    /// The size for a byte count, if it is one of ours.
    pub fn from_bytes(bytes: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.bytes() == bytes)
    }

    /// The size in bytes.
    pub const fn bytes(self) -> usize {
        self as usize
    }

    /// The size in bits.
    pub const fn bits(self) -> u32 {
        self as u32 * 8
    }
}

impl fmt::Display for BlockBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.bytes())
    }
}

/// Word `index` of a block: `N` little-endian bytes.
#[inline(always)]
pub(crate) fn le_bytes<const N: usize>(block: &[u8], index: usize) -> [u8; N] {
    let mut word = [0; N];
    word.copy_from_slice(&block[index * N..(index + 1) * N]);
    word
}

/// 32-bit word `index` of a block.
#[inline(always)]
pub(crate) fn word32(block: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(le_bytes(block, index))
}

/// 64-bit word `index` of a block.
#[inline(always)]
pub(crate) fn word64(block: &[u8], index: usize) -> u64 {
    u64::from_le_bytes(le_bytes(block, index))
}

/// Stores 32-bit word `index` of a block.
#[inline(always)]
pub(crate) fn set_word32(block: &mut [u8], index: usize, word: u32) {
    block[index * 4..index * 4 + 4].copy_from_slice(&word.to_le_bytes());
}

/// Stores 64-bit word `index` of a block.
#[inline(always)]
pub(crate) fn set_word64(block: &mut [u8], index: usize, word: u64) {
    block[index * 8..index * 8 + 8].copy_from_slice(&word.to_le_bytes());
}
