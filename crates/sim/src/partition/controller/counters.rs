//! Counters of compression in the memory controllers.

use serde::Serialize;

use crate::base::BLOCK_BITS;
use crate::base::codec_counters::CodecCounters;
use crate::base::counting::counters;

counters! {
    /// What all controllers did.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    pub struct MemoryCompressionCounters {
        /// The codec's, for blocks that kernels wrote or read.
        pub codec: CodecCounters,
        /// The codec's, for blocks that the host copied in.
        pub host_copies: CodecCounters,
        /// Global blocks that were read.
        pub reads: BlockTraffic,
        /// Global blocks that were written whole.
        pub writes: BlockTraffic,
        /// Compressed blocks that were read because a write changes a part of them; the whole block is written afterwards.
        pub merge_reads: BlockTraffic,
        /// Writes of parts of blocks.
        pub partial_writes: u64,
        /// Commands of those that went to raw blocks.
        pub partial_write_bursts: u64,
        /// Commands for code, constants and local memory, which are never compressed.
        pub other_bursts: u64,
        /// Look-ups in the metadata cache that found their line.
        pub metadata_hits: u64,
        /// Look-ups whose line an earlier one had already requested.
        pub metadata_hits_on_the_way: u64,
        /// Look-ups whose line had to be fetched.
        pub metadata_misses: u64,
        /// Commands that fetched metadata.
        pub metadata_read_bursts: u64,
        /// Commands that wrote metadata back.
        pub metadata_write_bursts: u64,
        /// Accesses that waited for a write to their block.
        pub waits_for_write: u64,
        /// Reads of sectors that fetched only their own commands, from raw blocks. Only an L2 with sectors has such reads; a machine
        /// without them does not write these three counters.
        #[serde(skip_serializing_if = "is_zero")]
        pub sector_reads: u64,
        /// Their commands.
        #[serde(skip_serializing_if = "is_zero")]
        pub sector_read_bursts: u64,
        /// Reads of sectors that waited for a fetch of their block for another sector.
        #[serde(skip_serializing_if = "is_zero")]
        pub joined_reads: u64,
    }
}

counters! {
    /// Whole blocks between controller and DRAM.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    pub struct BlockTraffic {
        /// Blocks.
        pub blocks: u64,
        /// Of these: stored compressed.
        pub compressed_blocks: u64,
        /// Bits of their encodings, those of the block where an encoding is no shorter.
        pub encoded_bits: u64,
        /// Commands that moved them.
        pub bursts: u64,
        /// Commands that would move them raw.
        pub raw_bursts: u64,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl MemoryCompressionCounters {
    /// Blocks of requests, read or written.
    pub fn asked(&self) -> BlockTraffic {
        let mut sum = self.reads;
        sum += &self.writes;
        sum
    }

    /// Every command that these counters account for.
    pub fn all_bursts(&self) -> u64 {
        self.asked().bursts
            + self.merge_reads.bursts
            + self.partial_write_bursts
            + self.sector_read_bursts
            + self.other_bursts
            + self.metadata_read_bursts
            + self.metadata_write_bursts
    }

    /// Share of look-ups that found their line in the metadata cache, 0 to 1.
    pub fn metadata_hit_rate(&self) -> f64 {
        let look_ups = self.metadata_hits + self.metadata_hits_on_the_way + self.metadata_misses;
        if look_ups == 0 { 1.0 } else { self.metadata_hits as f64 / look_ups as f64 }
    }
}

impl BlockTraffic {
    /// Compression ratio by bits of the encodings; 1 where nothing moved.
    pub fn ratio(&self) -> f64 {
        let raw_bits = self.blocks * u64::from(BLOCK_BITS);
        if self.blocks == 0 { 1.0 } else { raw_bits as f64 / self.encoded_bits.max(1) as f64 }
    }

    /// Compression ratio by commands: what is left of it at the granularity of memory accesses.
    pub fn ratio_in_bursts(&self) -> f64 {
        if self.bursts == 0 { 1.0 } else { self.raw_bursts as f64 / self.bursts as f64 }
    }
}
