//! A memory access on its way between stations.
//!
//! A packet carries no bytes: instructions execute when they issue, so a block's bytes are read from device
//! memory by [`Packet::address`] at whichever station wants them.
//!
//! | direction | kind            | bytes on the wire |
//! |-----------|-----------------|-------------------|
//! | request   | read            | 8 (control)       |
//! | request   | write, atomic   | 8 + data          |
//! | reply     | read, atomic    | 8 + data          |
//! | reply     | write           | 8 (acknowledge)   |

use serde::Serialize;

use super::Cycle;
use super::block::{BLOCK_BITS, BLOCK_BYTES};
use super::codec_unit::packet_flits;

/// One access to one block, or to a part of it; small and copied, never shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// First byte of the access.
    pub address: u64,
    /// Which bytes of the block are touched, bit 0 the block's first byte; says what a partial write changes.
    pub byte_mask: u128,
    /// When the SM made the access.
    pub born: Cycle,
    /// What the SM wants to find again when the reply arrives; no other station looks at it.
    pub handle: u32,
    /// Data bytes read or written.
    pub bytes: u16,
    /// The SM that waits for it; none waits for a write-back.
    pub sm: u16,
    /// The warp that waits for it.
    pub warp: u16,
    /// What sort of access.
    pub kind: AccessKind,
    /// Read–modify–write at the L2. Its kind is [`AccessKind::GlobalRead`].
    pub is_atomic: bool,
    /// Passes the L1 by on its way back.
    pub bypasses_l1: bool,
    /// Whether it travels towards the SM.
    pub is_reply: bool,
    /// What a compression point has noted for its other end.
    pub attachment: Attachment,
}

/// What one end of a compression point tells the other end about a packet. All other stations leave it alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attachment {
    /// Nothing.
    #[default]
    None,
    /// From the compressor at a slice to the decompressor at an SM.
    Reply {
        /// Data bytes that compression keeps off the wire.
        saved_bytes: u16,
        /// The slice that answered.
        slice: u16,
    },
    /// From where a request leaves for memory to where its block comes back.
    Stored {
        /// Bits of the block as memory stores it.
        bits: u16,
        /// Whether the block must be decompressed.
        is_compressed: bool,
    },
}

impl Attachment {
    /// A block that memory stores in `bits`.
    pub fn stored(bits: u32, is_compressed: bool) -> Self {
        Self::Stored { bits: bits.min(BLOCK_BITS) as u16, is_compressed }
    }
}

impl Packet {
    /// A request for `bytes` at `address`; the byte mask covers the whole access.
    pub fn new(kind: AccessKind, address: u64, bytes: u16, sm: u16, born: Cycle) -> Self {
        Self {
            address,
            byte_mask: mask_of(address, bytes),
            born,
            handle: 0,
            bytes,
            sm,
            warp: 0,
            kind,
            is_atomic: false,
            bypasses_l1: false,
            is_reply: false,
            attachment: Attachment::None,
        }
    }

    /// Whether data travels towards memory and nothing but an acknowledgement comes back.
    #[inline]
    pub fn is_write(&self) -> bool {
        self.kind.is_write()
    }

    /// Data bytes that the packet carries through the network in its current direction.
    #[inline]
    pub fn payload_bytes(&self) -> u32 {
        let carries_data = if self.is_reply { !self.is_write() } else { self.is_write() || self.is_atomic };
        if carries_data { u32::from(self.bytes - self.saved_bytes()) } else { 0 }
    }

    /// Flits of the packet in its current direction.
    #[inline]
    pub fn flits(&self, flit_bytes: u32) -> usize {
        packet_flits(self.payload_bytes(), flit_bytes) as usize
    }

    /// Data bytes that compression keeps off the wire.
    #[inline]
    pub fn saved_bytes(&self) -> u16 {
        if let Attachment::Reply { saved_bytes, .. } = self.attachment { saved_bytes } else { 0 }
    }

    /// Bits of its block as memory stores it; 0 until that is known.
    #[inline]
    pub fn stored_bits(&self) -> u32 {
        if let Attachment::Stored { bits, .. } = self.attachment { u32::from(bits) } else { 0 }
    }

    /// Whether its block must be decompressed when it comes from memory.
    #[inline]
    pub fn is_stored_compressed(&self) -> bool {
        matches!(self.attachment, Attachment::Stored { is_compressed: true, .. })
    }

    /// Whether memory has sent the whole block, although a part of it may have been asked for.
    #[inline]
    pub fn brings_whole_block(&self) -> bool {
        let Attachment::Stored { bits, is_compressed } = self.attachment else { return false };
        is_compressed || u32::from(bits) == BLOCK_BITS
    }

    /// The same access, turned around.
    pub fn into_reply(mut self) -> Self {
        self.is_reply = true;
        self
    }
}

/// The bits of a block's mask that `bytes` at `address` cover.
fn mask_of(address: u64, bytes: u16) -> u128 {
    let ones = if usize::from(bytes) >= BLOCK_BYTES { u128::MAX } else { (1 << bytes) - 1 };
    ones << (address % BLOCK_BYTES as u64)
}

/// What sort of access; the rows of every cache statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum AccessKind {
    /// Load from global memory, atomics included.
    GlobalRead,
    /// Load from a thread's own memory.
    LocalRead,
    /// Load through the constant cache; kernel parameters too.
    ConstantRead,
    /// Texture fetch.
    TextureRead,
    /// Store to global memory.
    GlobalWrite,
    /// Store to a thread's own memory.
    LocalWrite,
    /// Dirty line leaving an L1.
    L1Writeback,
    /// Dirty line leaving an L2 slice.
    L2Writeback,
    /// Instruction fetch.
    InstructionRead,
    /// The line that an L2 write miss asks DRAM for.
    L2WriteAllocateRead,
    /// Words for a dictionary at the SM's end of the network; goes no further.
    DictionaryUpdate,
    /// A line of metadata that a compressing controller asks DRAM for.
    MetadataRead,
    /// A changed line of metadata on its way to DRAM.
    MetadataWriteback,
    /// A compressed block that a controller reads because a write changes a part of it.
    MergeRead,
}

impl AccessKind {
    /// How many kinds there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Every kind, in the order of the statistics.
    pub const ALL: [Self; 14] = [
        Self::GlobalRead,
        Self::LocalRead,
        Self::ConstantRead,
        Self::TextureRead,
        Self::GlobalWrite,
        Self::LocalWrite,
        Self::L1Writeback,
        Self::L2Writeback,
        Self::InstructionRead,
        Self::L2WriteAllocateRead,
        Self::DictionaryUpdate,
        Self::MetadataRead,
        Self::MetadataWriteback,
        Self::MergeRead,
    ];

    /// Whether the access carries data towards memory.
    #[inline]
    pub fn is_write(self) -> bool {
        matches!(self, Self::GlobalWrite | Self::LocalWrite) || self.is_writeback()
    }

    /// Whether no access waits for it: a dirty line on its way down.
    #[inline]
    pub fn is_writeback(self) -> bool {
        matches!(self, Self::L1Writeback | Self::L2Writeback | Self::MetadataWriteback)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::GlobalRead => "global_read",
            Self::LocalRead => "local_read",
            Self::ConstantRead => "constant_read",
            Self::TextureRead => "texture_read",
            Self::GlobalWrite => "global_write",
            Self::LocalWrite => "local_write",
            Self::L1Writeback => "l1_writeback",
            Self::L2Writeback => "l2_writeback",
            Self::InstructionRead => "instruction_read",
            Self::L2WriteAllocateRead => "l2_write_allocate_read",
            Self::DictionaryUpdate => "dictionary_update",
            Self::MetadataRead => "metadata_read",
            Self::MetadataWriteback => "metadata_writeback",
            Self::MergeRead => "merge_read",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(kind: AccessKind) -> Packet {
        Packet::new(kind, 0x1000, 128, 0, Cycle(0))
    }

    #[test]
    fn each_row_of_the_table_costs_its_bytes() {
        let read = packet(AccessKind::GlobalRead);
        assert_eq!(read.payload_bytes(), 0);
        assert_eq!(read.into_reply().payload_bytes(), 128);
        let write = packet(AccessKind::GlobalWrite);
        assert_eq!(write.payload_bytes(), 128);
        assert_eq!(write.into_reply().payload_bytes(), 0);
        let atomic = Packet { is_atomic: true, ..read };
        assert_eq!(atomic.payload_bytes(), 128);
        assert_eq!(atomic.into_reply().payload_bytes(), 128);
        let flits = [read, read.into_reply()].map(|packet| packet.flits(32));
        assert_eq!(flits, [1, (8 + 128usize).div_ceil(32)]);
    }

    #[test]
    fn the_mask_covers_the_access_within_its_line() {
        let quarter = Packet::new(AccessKind::GlobalWrite, 0x1020, 32, 0, Cycle(0));
        assert_eq!(quarter.byte_mask, u128::from(u32::MAX) << 32);
        assert_eq!(packet(AccessKind::GlobalWrite).byte_mask, u128::MAX);
    }

    #[test]
    fn a_packet_fits_in_a_cache_line() {
        assert!(size_of::<Packet>() <= 64);
    }
}
