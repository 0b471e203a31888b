//! What compression in a controller is configured with.

use crate::base::{CodecUnitSpec, PointSpec};
use crate::partition::controller::dram::config::DramConfig;
use crate::partition::controller::metadata_cache::MetadataSpec;
use crate::partition::controller::scheme::{
    ControllerPort, EarlierBlocks, LocalBlocks, MemoryScheme, PartialBlockWrites, SectorFetch,
};
use crate::partition::controller::stored_blocks::Layout;

/// What was configured.
#[derive(Clone, Debug)]
pub struct CompressionSpec {
    /// The codec and its cycles, which are DRAM cycles.
    pub codec: CodecUnitSpec,
    /// Which encodings are kept, and how many bursts they take.
    pub layout: Layout,
    /// The metadata cache.
    pub metadata: MetadataSpec,
    /// Compressors; 0 for one pipeline that takes a block in every cycle.
    pub compressors: usize,
    /// Decompressors, the same.
    pub decompressors: usize,
    /// Whether a write to a part of a block needs no read of the rest.
    pub merges_for_free: bool,
    /// Whether blocks of local memory are compressed.
    pub sees_local: bool,
    /// What a read of a sector fetches.
    pub fetch: SectorFetch,
    /// What passes the controller in a clock.
    pub port: ControllerPort,
    /// Whether the codec must be trained first, with the run's own blocks.
    pub is_sampled: bool,
    /// What becomes of blocks from before the end of the sample.
    pub earlier_blocks: EarlierBlocks,
}

impl CompressionSpec {
    /// What a scheme asks of the controllers of a GPU.
    pub fn of(point: PointSpec<'_, MemoryScheme>, dram: &DramConfig) -> Self {
        let PointSpec { keys: memory, codec } = point;
        let set_bytes = memory.metadata_cache_ways * memory.metadata_line_bytes;
        Self {
            codec: codec.clone(),
            layout: Layout {
                burst_bytes: dram.burst_bytes() as u32,
                threshold_bytes: memory.threshold_bytes,
            },
            metadata: MetadataSpec {
                sets: memory.metadata_cache_kib * 1024 / set_bytes,
                ways: memory.metadata_cache_ways,
                line_bytes: memory.metadata_line_bytes,
            },
            compressors: memory.compressors,
            decompressors: memory.decompressors,
            merges_for_free: memory.partial_writes == PartialBlockWrites::AsPaper,
            sees_local: memory.local_blocks == LocalBlocks::Compressed,
            fetch: memory.fetch,
            port: memory.port,
            is_sampled: memory.is_sampled(),
            earlier_blocks: memory.blocks_before_sample,
        }
    }
}
