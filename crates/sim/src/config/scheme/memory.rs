//! The keys of `[memory]`.

use serde::{Deserialize, Serialize};

use super::Latency;
use crate::config::Impossible;

/// Compression in the memory controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryScheme {
    /// Codec, or `none`.
    pub codec: String,
    /// Where a trained codec's tables come from.
    pub tables: TableSource,
    /// Thread instructions after which online tables are made.
    pub sample_instructions: u64,
    /// DRAM cycles to compress a block.
    pub compress_cycles: Latency,
    /// DRAM cycles to decompress a block.
    pub decompress_cycles: Latency,
    /// Compressed blocks larger than this stay raw.
    pub threshold_bytes: u32,
    /// Metadata cache of a controller.
    pub metadata_cache_kib: usize,
    /// Its ways.
    pub metadata_cache_ways: usize,
}

/// Where the tables of a trained codec come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableSource {
    /// A profiling run of the same workload.
    Offline,
    /// The requests of the run's own beginning.
    Online,
}

impl MemoryScheme {
    /// Finds the first impossible value.
    pub(super) fn check(&self) -> Result<(), Impossible> {
        let fault = |key: &str, message: String, help: &str| {
            Err(Impossible { key: format!("memory.{key}"), message, help: help.to_owned() })
        };
        if self.threshold_bytes > 128 {
            return fault("threshold_bytes", format!("{} B", self.threshold_bytes), "a block has 128 bytes");
        }
        if self.metadata_cache_kib == 0 {
            return fault("metadata_cache_kib", "is 0".to_owned(), "at least 1");
        }
        if self.metadata_cache_ways == 0 {
            return fault("metadata_cache_ways", "is 0".to_owned(), "at least 1");
        }
        Ok(())
    }
}
