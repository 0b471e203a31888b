//! Every counter of the machine, typed and documented.
//!
//! A station's folder has its struct, and the station counts into it; structs of the same sort add up with `+=`. They serialise
//! in the order they are written in, so two equal runs give byte-identical JSON.

mod compression;

use serde::Serialize;

pub use crate::base::cache_counters::{AccessOutcome, CacheCounters, CacheRow, FailReason};
pub use crate::base::codec_counters::CodecCounters;
pub use crate::compute::counters::{LoadStoreCounters, SmCounters};
pub use crate::compute::l1::counters::{L1CompressionCounters, L1ModeCounters};
pub use crate::fabric::counters::{CrossbarCounters, PacketCounters};
pub use crate::partition::controller::counters::{BlockTraffic, MemoryCompressionCounters};
pub use crate::partition::controller::dram::counters::DramCounters;
pub use crate::partition::l2::counters::{L2CompressionCounters, SliceCounters};
pub use crate::partition::link::counters::{LinkCounters, LinkTraffic};
pub use compression::CompressionCounters;

/// The whole machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MachineCounters {
    /// Core cycles.
    pub core_cycles: u64,
    /// Interconnect cycles.
    pub interconnect_cycles: u64,
    /// DRAM cycles.
    pub dram_cycles: u64,
    /// All SMs.
    pub sm: SmCounters,
    /// All load/store units.
    pub load_store: LoadStoreCounters,
    /// Registers read by the operand collectors, in warp registers.
    pub register_reads: u64,
    /// All instruction caches.
    pub instruction_cache: CacheCounters,
    /// All L1 data caches.
    pub l1: CacheCounters,
    /// All constant caches.
    pub constant_cache: CacheCounters,
    /// All texture caches.
    pub texture_cache: CacheCounters,
    /// Networks, slices and DRAM.
    pub memory: MemoryCounters,
    /// Compression points.
    pub compression: CompressionCounters,
}

/// Everything between the SMs and the DRAM devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoryCounters {
    /// SMs to slices.
    pub request_network: CrossbarCounters,
    /// Slices to SMs.
    pub reply_network: CrossbarCounters,
    /// All slices.
    pub l2: SliceCounters,
    /// All channels.
    pub dram: DramCounters,
}
