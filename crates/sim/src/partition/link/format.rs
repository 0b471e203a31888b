//! What a packet on the memory link is made of, to the bit.
//!
//! Kim et al., "Bit-Plane Compression", ISCA 2016, section V-C; field widths are those of the HMC specification, 1.0.
//!
//! | part    | bits             | what it holds                                                                       |
//! |---------|------------------|-------------------------------------------------------------------------------------|
//! | head    | 64               | command, tag and (requests) address of the first block; whether that block goes on from the packet before, how many blocks end here, which of them are raw |
//! | data    | 0 to 8 x 128     | blocks, each after the first with its tag in front of it                            |
//! | padding | up to a whole flit | nothing                                                                           |
//! | tail    | 64               | checksum and flow control                                                           |
//!
//! | transfer                   | towards | data bits                                          | tag bits of a later block      |
//! |----------------------------|---------|----------------------------------------------------|--------------------------------|
//! | read request, write answer | both    | 0: head and tail, a packet of its own              |                                |
//! | whole block of 128 bytes   | memory  | as compressed; 1,024 where that is not smaller     | 34 address + 9 tag + 6 command + 1 raw |
//! | part of a block            | memory  | 8 per byte; 1 more per byte where some are left out | the same                       |
//! | answer to a read           | GPU     | as stored                                          | 9 tag + 1 raw                  |
//!
//! **Unpacked**: one block in a packet, rounded up to flits. **Packed**: up to 8 flits of data, filled with what waits.
//!
//! | a block that                            | costs in this packet | costs in the next                     |
//! |-----------------------------------------|----------------------|---------------------------------------|
//! | comes first                             | its bits             |                                       |
//! | follows and fits with its tag           | tag + its bits       |                                       |
//! | is longer than what is left             | what is left         | its rest, first; its tag is in that head |
//! | fits, but not with its tag              | (padding)            | its bits, first                       |

use crate::base::Packet;
use crate::base::codec_unit::bursts;

/// The unit of transfer.
pub const FLIT_BITS: u32 = 128;

/// In front of every packet.
pub const HEAD_BITS: u32 = 64;

/// Behind every packet.
pub const TAIL_BITS: u32 = 64;

/// Most data in a packed packet.
pub const PACKED_DATA_BITS: u32 = 8 * FLIT_BITS;

const ADDRESS_BITS: u32 = 34;
const REQUEST_TAG_BITS: u32 = 9;
const COMMAND_BITS: u32 = 6;
const RAW_BITS: u32 = 1;

/// Which way a link goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Towards {
    /// Requests.
    Memory,
    /// Answers.
    Gpu,
}

impl Towards {
    /// Bits that name a block which is not the first of its packet.
    pub fn tag_bits(self) -> u32 {
        match self {
            Self::Memory => ADDRESS_BITS + REQUEST_TAG_BITS + COMMAND_BITS + RAW_BITS,
            Self::Gpu => REQUEST_TAG_BITS + RAW_BITS,
        }
    }

    /// Whether data travel with the packet on this link.
    pub fn carries_data(self, packet: &Packet) -> bool {
        packet.is_write() == (self == Self::Memory)
    }

    /// Bits of those data.
    pub fn data_bits(self, packet: &Packet) -> u32 {
        if !self.carries_data(packet) {
            0
        } else if packet.is_write() && !packet.is_whole_block() {
            partial_write_bits(packet)
        } else {
            packet.stored_bits()
        }
    }
}

/// Flits of data, the last one filled up.
pub fn data_flits(data_bits: u32) -> u32 {
    if data_bits == 0 { 0 } else { bursts(data_bits, FLIT_BITS / 8) }
}

fn partial_write_bits(packet: &Packet) -> u32 {
    let bytes = u32::from(packet.bytes);
    let mask_bits = if packet.byte_mask.count_ones() == bytes { 0 } else { bytes };
    8 * bytes + mask_bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AccessKind, Attachment, Cycle};

    fn packet(kind: AccessKind, bytes: u16, stored_bits: u32) -> Packet {
        let attachment = Attachment::stored(stored_bits, true);
        Packet { attachment, ..Packet::new(kind, 0, bytes, 0, Cycle(0)) }
    }

    #[test]
    fn data_travel_towards_memory_with_writes_and_towards_the_gpu_with_reads() {
        let (read, write) =
            (packet(AccessKind::GlobalRead, 128, 300), packet(AccessKind::L2Writeback, 128, 300));
        assert_eq!((Towards::Memory.data_bits(&read), Towards::Gpu.data_bits(&read)), (0, 300));
        assert_eq!((Towards::Memory.data_bits(&write), Towards::Gpu.data_bits(&write)), (300, 0));
    }

    #[test]
    fn a_part_of_a_block_travels_raw_and_with_a_mask_only_where_bytes_are_left_out() {
        let part = packet(AccessKind::GlobalWrite, 32, 300);
        assert_eq!(Towards::Memory.data_bits(&part), 256);
        let gappy = Packet { byte_mask: 0xff00_ffff, ..part };
        assert_eq!(Towards::Memory.data_bits(&gappy), 256 + 32);
        let gappy_block = Packet { byte_mask: u128::MAX - 1, ..packet(AccessKind::GlobalWrite, 128, 300) };
        assert_eq!(Towards::Memory.data_bits(&gappy_block), 1024 + 128);
    }

    #[test]
    fn a_later_block_is_named_by_address_and_command_only_towards_memory() {
        assert_eq!((Towards::Memory.tag_bits(), Towards::Gpu.tag_bits()), (50, 10));
    }
}
