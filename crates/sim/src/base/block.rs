//! A memory block: 128 bytes that a codec compresses as one.
//!
//! Packets carry no bytes, so a station that wants a block's bytes reads them from device memory. [`Block::read`] is the
//! only place that does, and [`super::Point::may_see`] the only place that says whether it may.

use std::ops::{Deref, DerefMut};

use shrinkwarp_emu::memory::{GLOBAL_START, LOCAL_END, LOCAL_START, Memory};

use super::Packet;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 128;

/// Bytes of a sector of a block, where a GPU has them.
pub const SECTOR_BYTES: usize = 32;

/// Bits of a block.
pub const BLOCK_BITS: u32 = 8 * BLOCK_BYTES as u32;

/// The address of a block's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockAddress(u64);

impl BlockAddress {
    /// The block that holds the byte at `address`.
    #[inline]
    pub fn of(address: u64) -> Self {
        Self(address & !(BLOCK_BYTES as u64 - 1))
    }

    /// The address of its first byte.
    #[inline]
    pub fn first_byte(self) -> u64 {
        self.0
    }

    /// The blocks that hold `bytes` from `address` on.
    pub fn covering(address: u64, bytes: u64) -> impl Iterator<Item = Self> {
        let end = if bytes == 0 { 0 } else { address + bytes };
        (Self::of(address).0..end).step_by(BLOCK_BYTES).map(Self)
    }

    /// Whether the block is one of local memory.
    #[inline]
    pub fn is_local(self) -> bool {
        (LOCAL_START..LOCAL_END).contains(&self.0)
    }

    /// Whether the block lies at or above the first global address.
    #[inline]
    pub fn is_global(self) -> bool {
        self.0 >= GLOBAL_START
    }
}

/// The bytes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block(pub [u8; BLOCK_BYTES]);

impl Block {
    /// A block of zeros.
    pub const ZEROS: Self = Self([0; BLOCK_BYTES]);

    /// The bytes that device memory holds now; those outside of allocations are zero.
    pub fn read(memory: &Memory, address: BlockAddress) -> Self {
        let mut block = Self::ZEROS;
        memory.read_line(address.0, &mut block.0);
        block
    }
}

impl Deref for Block {
    type Target = [u8; BLOCK_BYTES];

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Block {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Packet {
    /// The block that the access touches.
    #[inline]
    pub fn block(&self) -> BlockAddress {
        BlockAddress::of(self.address)
    }

    /// Whether the access is to all bytes of its block; a write that leaves some out is not.
    #[inline]
    pub fn is_whole_block(&self) -> bool {
        usize::from(self.bytes) == BLOCK_BYTES && (!self.is_write() || self.byte_mask == u128::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AccessKind, Cycle};

    fn packet(kind: AccessKind, address: u64, bytes: u16) -> Packet {
        Packet::new(kind, address, bytes, 0, Cycle(0))
    }

    #[test]
    fn a_range_covers_the_blocks_of_its_first_and_last_byte() {
        let blocks = |address, bytes| -> Vec<u64> {
            BlockAddress::covering(address, bytes).map(BlockAddress::first_byte).collect()
        };
        assert_eq!(blocks(0x17f, 2), [0x100, 0x180]);
        assert_eq!(blocks(0x100, 128), [0x100]);
        assert_eq!(blocks(0x100, 0), []);
    }

    #[test]
    fn a_write_with_a_gap_is_not_of_a_whole_block() {
        let write = packet(AccessKind::GlobalWrite, 0x1000, 128);
        assert!(write.is_whole_block());
        assert!(!Packet { byte_mask: u128::MAX - 1, ..write }.is_whole_block());
        assert!(Packet { byte_mask: 1, ..packet(AccessKind::GlobalRead, 0x1000, 128) }.is_whole_block());
        assert!(!packet(AccessKind::GlobalRead, 0x1020, 32).is_whole_block());
    }
}
