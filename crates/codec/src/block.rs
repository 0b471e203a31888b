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

    /// The size that is `BYTES` bytes, for codecs that know theirs when compiled.
    pub(crate) const fn of<const BYTES: usize>() -> Self {
        const { assert!(BYTES == 32 || BYTES == 64 || BYTES == 128) };
        match BYTES {
            32 => Self::B32,
            64 => Self::B64,
            _ => Self::B128,
        }
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

/// The block as an array of its length. Blocks are exactly as long as the codec says; others are a caller's bug.
#[inline(always)]
pub(crate) fn exact<const BYTES: usize>(block: &[u8]) -> &[u8; BYTES] {
    &block.as_chunks().0[0]
}

/// The same for a block that is written.
#[inline(always)]
pub(crate) fn exact_mut<const BYTES: usize>(block: &mut [u8]) -> &mut [u8; BYTES] {
    &mut block.as_chunks_mut().0[0]
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
