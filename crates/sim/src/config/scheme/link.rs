//! The keys of `[link]`.

use serde::{Deserialize, Serialize};

use super::Latency;
use crate::config::Impossible;

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

impl LinkScheme {
    /// Finds the first impossible value.
    pub(super) fn check(&self) -> Result<(), Impossible> {
        if self.kind == LinkKind::Gddr5 && self.codec != super::NO_CODEC {
            return Err(Impossible {
                key: "link.codec".to_owned(),
                message: format!("{} on a GDDR5 bus", self.codec),
                help: "a compressed link is kind = \"unpacked\" or \"packed\"".to_owned(),
            });
        }
        Ok(())
    }
}
