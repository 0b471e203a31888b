//! The keys of `[memory]`.

use serde::{Deserialize, Serialize};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;

use crate::base::setting::{Impossible, Latency};

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
    /// What becomes of the blocks that memory has when online tables are made. Runs from before there was this key had its default, so
    /// that is not written.
    #[serde(default, skip_serializing_if = "EarlierBlocks::are_raw")]
    pub blocks_before_sample: EarlierBlocks,
    /// DRAM cycles to compress a block.
    pub compress_cycles: Latency,
    /// DRAM cycles to decompress a block.
    pub decompress_cycles: Latency,
    /// Compressors of a controller; 0 for a pipeline that takes a block in every cycle.
    pub compressors: usize,
    /// Decompressors of a controller; 0 for a pipeline that takes a block in every cycle.
    pub decompressors: usize,
    /// Compressed blocks larger than this stay raw.
    pub threshold_bytes: u32,
    /// What a write to a part of a block costs.
    pub partial_writes: PartialBlockWrites,
    /// Whether blocks of local memory are compressed. Runs from before there was this key had its default, so that is not written.
    #[serde(default, skip_serializing_if = "LocalBlocks::are_compressed")]
    pub local_blocks: LocalBlocks,
    /// What a read of a sector fetches. Runs from before there was this key had its default, so that is not written.
    #[serde(default, skip_serializing_if = "SectorFetch::is_needed_atoms")]
    pub fetch: SectorFetch,
    /// What the L2 keeps of a block that was fetched for one of its sectors.
    #[serde(default, skip_serializing_if = "SectorFill::is_block")]
    pub fill: SectorFill,
    /// What the controller takes and gives back in a clock.
    pub port: ControllerPort,
    /// Metadata cache of a controller.
    pub metadata_cache_kib: usize,
    /// Its ways.
    pub metadata_cache_ways: usize,
    /// Bytes of its lines: what a miss fetches.
    pub metadata_line_bytes: usize,
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

/// What becomes of the blocks that were written before online tables are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EarlierBlocks {
    /// They stay raw until they are written again: nothing rewrites memory.
    #[default]
    Raw,
    /// They count as compressed from then on, as in a simulator that asks the codec for a block's size at each access.
    Compressed,
}

impl EarlierBlocks {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
    fn are_raw(&self) -> bool {
        *self == Self::Raw
    }
}

/// What happens to a write that changes a part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartialBlockWrites {
    /// The controller reads a compressed block, merges and writes it whole; a raw block stays raw.
    Merge,
    /// As E2MC's paper, which describes no read: the block takes the size that its new bytes have, and the write takes the
    /// bursts of its part, at most those of the block.
    AsPaper,
}

/// What a controller fetches when an L2 with sectors asks for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectorFetch {
    /// The whole encoding of a compressed block, and of a raw block the bursts of the sector.
    #[default]
    NeededAtoms,
    /// The whole block, compressed or raw.
    Block,
}

impl SectorFetch {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
    fn is_needed_atoms(&self) -> bool {
        *self == Self::NeededAtoms
    }
}

/// What an L2 with sectors keeps of a block that came whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectorFill {
    /// All sectors.
    #[default]
    Block,
    /// The one that was asked for.
    Sector,
}

impl SectorFill {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
    fn is_block(&self) -> bool {
        *self == Self::Block
    }
}

/// What passes between the slices and a controller in one DRAM clock, each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControllerPort {
    /// A block, in one access or in reads of its sectors that follow each other.
    Block,
    /// An access of any size, as in the reference.
    Access,
}

/// What the controllers do with blocks of local memory: spilled registers and indexed arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocalBlocks {
    /// They are compressed like all others: the controller knows addresses only.
    #[default]
    Compressed,
    /// They stay raw and have no metadata.
    Raw,
}

impl LocalBlocks {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
    fn are_compressed(&self) -> bool {
        *self == Self::Compressed
    }
}

impl MemoryScheme {
    /// Whether the codec is trained by the run's own beginning.
    pub fn is_sampled(&self) -> bool {
        let codec = CodecSpec::parse(&self.codec, BlockBytes::B128);
        self.tables == TableSource::Online && codec.is_ok_and(|spec| spec.is_trained())
    }

    /// Finds the first impossible value.
    pub(crate) fn check(&self) -> Result<(), Impossible> {
        let fault = |key: &str, message: String, help: &str| {
            Err(Impossible { key: format!("memory.{key}"), message, help: help.to_owned() })
        };
        if self.threshold_bytes > 128 {
            return fault("threshold_bytes", format!("{} B", self.threshold_bytes), "a block has 128 bytes");
        }
        if !self.metadata_line_bytes.is_power_of_two() || !(8..=128).contains(&self.metadata_line_bytes) {
            let message = format!("{} B", self.metadata_line_bytes);
            return fault("metadata_line_bytes", message, "a power of two from 8 to 128");
        }
        let set_bytes = self.metadata_cache_ways * self.metadata_line_bytes;
        let is_whole = set_bytes != 0 && (1024 * self.metadata_cache_kib).is_multiple_of(set_bytes);
        if self.metadata_cache_kib == 0 || !is_whole {
            let message = format!("{} KiB in {} ways", self.metadata_cache_kib, self.metadata_cache_ways);
            let help = "it must be a multiple of metadata_cache_ways x metadata_line_bytes";
            return fault("metadata_cache_kib", message, help);
        }
        Ok(())
    }
}
