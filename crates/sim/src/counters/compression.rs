//! Counters of the compression points.

use std::ops::AddAssign;

use serde::Serialize;

use super::{CodecCounters, L1CompressionCounters, LinkCounters, MemoryCompressionCounters};
use crate::base::Point;

/// Every point; one without a codec counts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CompressionCounters {
    /// Lines of the L1 data caches.
    pub l1: L1CompressionCounters,
    /// Read replies.
    pub packets: PacketCounters,
    /// Lines of the L2 slices.
    pub l2: L2CompressionCounters,
    /// Memory controllers.
    pub memory: MemoryCompressionCounters,
    /// The memory links.
    pub link: LinkCounters,
}

impl CompressionCounters {
    /// Raw over encoded bits at a point; `None` where nothing was compressed. In memory it is that of the blocks that were asked
    /// for, elsewhere that of the blocks that a codec saw.
    pub fn ratio(&self, point: Point) -> Option<f64> {
        let codec = match point {
            Point::L1 => self.l1.codec(),
            Point::Packets => self.packets.codec,
            Point::L2 => self.l2.codec,
            Point::Memory => {
                let asked = self.memory.asked();
                return (asked.encoded_bits > 0).then(|| asked.ratio());
            }
            Point::Link => self.link.codec,
        };
        (codec.bits_out > 0).then(|| codec.ratio())
    }

    /// Energy of all compressors and decompressors, in picojoules.
    pub fn energy_pj(&self) -> u64 {
        self.l1.energy_pj()
            + self.packets.codec.energy_pj
            + self.l2.codec.energy_pj
            + self.memory.codec.energy_pj
            + self.link.codec.energy_pj
    }
}

/// Compressed read replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PacketCounters {
    /// The codec's.
    pub codec: CodecCounters,
    /// Flits that the replies would have without compression.
    pub flits_without: u64,
    /// Flits that they have, control packets included.
    pub flits_with: u64,
    /// Packets that keep dictionaries in step.
    pub control_packets: u64,
    /// Blocks whose low bits were zeroed because their region allows it.
    pub approximated_blocks: u64,
}

impl PacketCounters {
    /// Flits saved as a share of the flits without compression: the compression ratio of the thesis.
    pub fn saved_share(&self) -> f64 {
        if self.flits_without == 0 { 0.0 } else { 1.0 - self.flits_with as f64 / self.flits_without as f64 }
    }
}

impl AddAssign<&PacketCounters> for PacketCounters {
    fn add_assign(&mut self, other: &PacketCounters) {
        self.codec += &other.codec;
        self.flits_without += other.flits_without;
        self.flits_with += other.flits_with;
        self.control_packets += other.control_packets;
        self.approximated_blocks += other.approximated_blocks;
    }
}

/// Compressed L2 slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct L2CompressionCounters {
    /// The codec's.
    pub codec: CodecCounters,
    /// Reads and atomics that hit.
    pub read_hits: u64,
    /// Of these: hits of compressed lines.
    pub decompressed_hits: u64,
    /// Cycles that hits waited for the decompressor, its work included.
    pub decompression_wait_cycles: u64,
    /// Lines compressed again because of a write or an atomic.
    pub rewritten_lines: u64,
    /// Of these: lines that then took more data.
    pub grown_lines: u64,
    /// Lines that left to make room for others.
    pub evicted_lines: u64,
    /// Misses and writes that more than one line had to leave for.
    pub multiple_evictions: u64,
    /// Lines that left because they grew and no other could leave.
    pub unkept_blocks: u64,
    /// Lines held at the end.
    pub held_lines: u64,
    /// Lines that the slices would hold at most without compression.
    pub capacity_lines: u64,
}

impl AddAssign<&L2CompressionCounters> for L2CompressionCounters {
    fn add_assign(&mut self, other: &L2CompressionCounters) {
        self.codec += &other.codec;
        self.read_hits += other.read_hits;
        self.decompressed_hits += other.decompressed_hits;
        self.decompression_wait_cycles += other.decompression_wait_cycles;
        self.rewritten_lines += other.rewritten_lines;
        self.grown_lines += other.grown_lines;
        self.evicted_lines += other.evicted_lines;
        self.multiple_evictions += other.multiple_evictions;
        self.unkept_blocks += other.unkept_blocks;
        self.held_lines += other.held_lines;
        self.capacity_lines += other.capacity_lines;
    }
}
