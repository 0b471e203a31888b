//! The keys of `[link]`.

use serde::{Deserialize, Serialize};

use crate::base::setting::{Impossible, Latency, NO_CODEC};

/// Bounds within which a link's account of bits cannot overflow.
const MOST_GIB_PER_SECOND: u32 = 100_000;
const MOST_DIVIDER: u32 = 1000;

/// The link between controllers and memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkScheme {
    /// What sort of link.
    pub kind: LinkKind,
    /// Codec of the blocks on it, or `none`.
    pub codec: String,
    /// DRAM cycles to compress a block.
    pub compress_cycles: Latency,
    /// DRAM cycles to decompress a block.
    pub decompress_cycles: Latency,
    /// DRAM cycles until the memory's side knows how long a compressed block is.
    pub partial_decode_cycles: u64,
    /// What a write to a part of a compressed block costs.
    pub partial_writes: PartialWrites,
    /// Bandwidth, each way.
    pub gib_per_second: u32,
    /// The bandwidth is divided by this: what a sweep changes.
    pub bandwidth_divider: u32,
    /// DRAM cycles to make a packet and to serialise it, each way.
    pub latency_cycles: u64,
    /// Places in each queue that a vault has at either end of a link.
    pub queue_packets: usize,
}

/// What lies between controller and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// The GPU's own DRAM channels.
    Gddr5,
    /// HMC-like links, one block in a packet.
    Unpacked,
    /// HMC-like links, blocks share packets.
    Packed,
}

/// What happens to a write that changes a part of a compressed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartialWrites {
    /// The vault reads the block, merges and writes it whole.
    Merge,
    /// It costs what it costs without compression.
    Masked,
}

impl LinkScheme {
    /// Finds the first impossible value.
    pub(crate) fn check(&self) -> Result<(), Impossible> {
        let fault = |key: &str, message: String, help: &str| {
            Err(Impossible { key: format!("link.{key}"), message, help: help.to_owned() })
        };
        if self.kind == LinkKind::Gddr5 && self.codec != NO_CODEC {
            let help = "a compressed link is kind = \"unpacked\" or \"packed\"";
            return fault("codec", format!("{} on a GDDR5 bus", self.codec), help);
        }
        if !(1..=MOST_GIB_PER_SECOND).contains(&self.gib_per_second) {
            let help = format!("1 to {MOST_GIB_PER_SECOND}");
            return fault("gib_per_second", format!("{} GiB/s", self.gib_per_second), &help);
        }
        if !(1..=MOST_DIVIDER).contains(&self.bandwidth_divider) {
            let help = format!("1 to {MOST_DIVIDER}");
            return fault("bandwidth_divider", self.bandwidth_divider.to_string(), &help);
        }
        if self.queue_packets == 0 {
            return fault("queue_packets", "is 0".to_owned(), "at least 1");
        }
        Ok(())
    }

    /// Whether HMC-like links take the place of the GPU's own DRAM channels.
    pub fn is_packetised(&self) -> bool {
        self.kind != LinkKind::Gddr5
    }
}
