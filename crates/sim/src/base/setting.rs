//! What the settings of all stations have in common: latencies, names of codecs, and values that cannot be.

use serde::{Deserialize, Serialize};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;

use crate::base::own_codec::own_name;

/// The codec of a point without one.
pub const NO_CODEC: &str = "none";

/// A well-formed key whose value cannot be, and what could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The key, with its section.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

/// A latency: what the literature gives for the codec, or a number of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Latency {
    /// As `configs/codecs.toml` has it.
    Published(Published),
    /// This number of cycles.
    Cycles(u32),
}

/// The word `published`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Published {
    /// The word itself.
    Published,
}

impl Latency {
    /// The cycles, given the published ones.
    pub fn or_published(self, published_cycles: u32) -> u32 {
        match self {
            Self::Published(_) => published_cycles,
            Self::Cycles(cycles) => cycles,
        }
    }
}

/// Finds a codec that does not exist.
pub(crate) fn check_codec(key: &str, codec: &str) -> Result<(), Impossible> {
    if codec == NO_CODEC || own_name(codec).is_some_and(|name| !name.is_empty()) {
        return Ok(());
    }
    CodecSpec::parse(codec, BlockBytes::B128).map(|_| ()).map_err(|error| Impossible {
        key: key.to_owned(),
        message: error.to_string(),
        help: format!("{NO_CODEC}, or a codec with its parameters as `shrinkwarp list codecs` shows them"),
    })
}
