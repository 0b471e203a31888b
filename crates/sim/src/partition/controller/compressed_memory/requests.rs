//! What the compression asks of DRAM: which bursts, and how they are counted.

use super::CompressedMemory;
use crate::base::codec_unit::bursts;
use crate::base::{AccessKind, Attachment, BLOCK_BITS, Cycle, Packet};
use crate::partition::controller::address_map::Location;
use crate::partition::controller::counters::BlockTraffic;
use crate::partition::controller::dram::Request;
use crate::partition::controller::metadata_cache::MetadataLine;
use crate::partition::controller::stored_blocks::EncodedBits;

impl CompressedMemory {
    pub(super) fn request_block(&mut self, packet: Packet, encoded: EncodedBits) {
        let is_compressed = self.layout.is_compressed(encoded);
        let attachment =
            Attachment::stored(if is_compressed { encoded.0 } else { BLOCK_BITS }, is_compressed);
        let packet = Packet { attachment, ..packet };
        let location = self.map.location(packet.address);
        self.request(packet, location, self.layout.bursts(encoded));
    }

    /// A write of a part of a block that now takes `encoded`: the bursts of the part, at most those of the block.
    pub(super) fn request_part(&mut self, packet: Packet, encoded: EncodedBits) {
        let part = bursts(8 * u32::from(packet.bytes), self.layout.burst_bytes);
        let bursts = part.min(self.layout.bursts(encoded));
        self.counters.partial_write_bursts += u64::from(bursts);
        self.request(packet, self.map.location(packet.address), bursts);
    }

    /// An access to bytes outside of global memory, or a write of a part of a raw block.
    pub(super) fn request_as_is(&mut self, packet: Packet) {
        let bursts = bursts(8 * u32::from(packet.bytes), self.layout.burst_bytes);
        let counter = if self.sees(&packet) {
            &mut self.counters.partial_write_bursts
        } else {
            &mut self.counters.other_bursts
        };
        *counter += u64::from(bursts);
        self.request(packet, self.map.location(packet.address), bursts);
    }

    pub(super) fn request_metadata(&mut self, kind: AccessKind, line: MetadataLine) {
        let spec = *self.metadata.spec();
        let bursts = bursts(8 * spec.line_bytes as u32, self.layout.burst_bytes);
        let counter = if kind == AccessKind::MetadataRead {
            &mut self.counters.metadata_read_bursts
        } else {
            &mut self.counters.metadata_write_bursts
        };
        *counter += u64::from(bursts);
        let packet = Packet::new(kind, line.0, spec.line_bytes as u16, 0, Cycle(0));
        self.request(packet, spec.location(&self.map, line), bursts);
    }

    pub(super) fn request(&mut self, packet: Packet, Location { bank, row }: Location, bursts: u32) {
        self.requests.push_back(Request { packet, bank, row, bursts: bursts as u8, merge_bursts: 0 });
    }

    pub(super) fn traffic_of(&self, encoded: EncodedBits) -> BlockTraffic {
        BlockTraffic {
            blocks: 1,
            compressed_blocks: u64::from(self.layout.is_compressed(encoded)),
            encoded_bits: u64::from(encoded.0),
            bursts: u64::from(self.layout.bursts(encoded)),
            raw_bursts: u64::from(self.layout.raw_bursts()),
        }
    }
}
