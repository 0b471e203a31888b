//! The keys of `[packets]`.

use serde::{Deserialize, Serialize};

use crate::base::setting::{Impossible, Latency};

/// Compression of read replies between slices and SMs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketScheme {
    /// Codec, or `none`.
    pub codec: String,
    /// Whether C-PACK's dictionary lives on from block to block, kept in step by control packets.
    pub dictionary: DictionaryKind,
    /// Where replies are while they are compressed.
    pub compressor: CompressorPlace,
    /// Core cycles before a reply enters the network.
    pub compress_cycles: Latency,
    /// Core cycles more for a block of an approximable region.
    pub approximate_cycles: u32,
    /// Core cycles before the SM can use it.
    pub decompress_cycles: Latency,
}

/// How long C-PACK's dictionary lives; other codecs have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DictionaryKind {
    /// A block is coded by itself.
    PerBlock,
    /// From block to block, one copy at each end.
    Synchronised,
    /// From block to block, one for each slice, as in the DSM thesis's simulator.
    PerSlice,
}

/// Where a slice's compressor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompressorPlace {
    /// Replies keep their place in the reply queue while they are compressed.
    InQueue,
    /// A pipeline behind the reply queue, as in the DSM thesis's simulator.
    BehindQueue,
}

impl PacketScheme {
    /// Finds the first impossible value.
    pub(crate) fn check(&self) -> Result<(), Impossible> {
        let is_cpack = self.codec == "cpack" || self.codec.starts_with("cpack:");
        if self.dictionary != DictionaryKind::PerBlock && !is_cpack {
            return Err(Impossible {
                key: "packets.dictionary".to_owned(),
                message: format!("codec {} has no dictionary to synchronise", self.codec),
                help: "\"per_block\", or codec = \"cpack\"".to_owned(),
            });
        }
        Ok(())
    }
}
