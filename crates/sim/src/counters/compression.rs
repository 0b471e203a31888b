//! Counters of the compression points.

use serde::Serialize;

use super::{
    L1CompressionCounters, L2CompressionCounters, LinkCounters, MemoryCompressionCounters, PacketCounters,
};
use crate::base::Point;
use crate::base::codec_counters::CodecCounters;

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
        if point == Point::Memory {
            let asked = self.memory.asked();
            return (asked.encoded_bits > 0).then(|| asked.ratio());
        }
        let codec = self.codec(point);
        (codec.bits_out > 0).then(|| codec.ratio())
    }

    /// What the codecs at a point did.
    pub fn codec(&self, point: Point) -> CodecCounters {
        match point {
            Point::L1 => self.l1.codec(),
            Point::Packets => self.packets.codec,
            Point::L2 => self.l2.codec,
            Point::Memory => self.memory.codec,
            Point::Link => self.link.codec,
        }
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
