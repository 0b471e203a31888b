//! The fields of a GPU file. The keys are the field names; `configs/gpus/gtx480.toml` explains each.

#![expect(
    missing_docs,
    reason = "the fields are explained next to their values, in configs/gpus/gtx480.toml"
)]

use serde::{Deserialize, Serialize};

use crate::base::{AccessKind, Allocate, CacheSpec, ClockSpec, SetIndex, WritePolicy};
use crate::compute::coalescer::Coalescing;
use crate::compute::load_store::TextureCacheSpec;
use crate::compute::occupancy::RegisterCounts;
use crate::compute::scheduler::SchedulerPolicy;
use crate::fabric::config::InterconnectConfig;
use crate::partition::controller::dram::config::DramConfig;
use crate::partition::l2::config::L2Config;

/// A whole GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuSpec {
    pub name: String,
    pub description: String,
    /// What the CUDA runtime tells programs: 10 x major + minor.
    pub compute_capability: u32,
    pub clocks: ClockSpec,
    pub sm: SmConfig,
    pub l1: L1Config,
    pub instruction_cache: CacheConfig,
    pub constant_cache: CacheConfig,
    pub texture_cache: TextureCacheConfig,
    pub interconnect: InterconnectConfig,
    pub l2: L2Config,
    pub dram: DramConfig,
}

/// A streaming multiprocessor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmConfig {
    pub count: usize,
    pub coalescing: Coalescing,
    pub threads: usize,
    pub blocks: usize,
    pub registers: usize,
    #[serde(default, skip_serializing_if = "RegisterCounts::is_compiled")]
    pub register_counts: RegisterCounts,
    pub shared_kib: usize,
    pub shared_banks: usize,
    pub shared_latency_cycles: u64,
    pub schedulers: usize,
    pub scheduler: SchedulerPolicy,
    pub two_level_active_warps: usize,
    pub issues_per_scheduler: usize,
    pub sub_cores: bool,
    pub instruction_buffer_entries: usize,
    pub fetches_per_cycle: usize,
    pub perfect_instruction_cache: bool,
    pub perfect_constant_cache: bool,
    pub register_banks: usize,
    pub operand_rounds_per_cycle: usize,
    pub pipeline: PipelineConfig,
    pub int: OpTimings,
    pub fp32: OpTimings,
    pub fp64: OpTimings,
    pub special: OpTiming,
    pub tensor: OpTiming,
    pub tensor_rates: TensorRateConfig,
    pub shuffle: OpTiming,
}

/// Multiply-adds that a tensor unit does in a cycle, by the type of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorRateConfig {
    pub f16: u32,
    pub bf16: u32,
    pub tf32: u32,
    pub f64: u32,
    pub int8: u32,
}

/// Widths between the stages of an SM, and how many units there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineConfig {
    pub sp_issue_width: usize,
    pub sfu_issue_width: usize,
    pub memory_issue_width: usize,
    pub sp_execute_width: usize,
    pub sfu_execute_width: usize,
    pub memory_execute_width: usize,
    pub writeback_width: usize,
    pub sp_units: usize,
    pub sfu_units: usize,
    pub int_units: usize,
    pub fp64_units: usize,
    pub tensor_units: usize,
    pub sp_collectors: usize,
    pub sfu_collectors: usize,
    pub memory_collectors: usize,
    pub shared_collectors: usize,
    pub shared_collector_ports: usize,
    pub memory_replies: usize,
}

/// Timing of the five classes of arithmetic in one number format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpTimings {
    pub add: OpTiming,
    pub max: OpTiming,
    pub mul: OpTiming,
    pub mad: OpTiming,
    pub div: OpTiming,
}

/// How long an instruction takes and how long it keeps its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpTiming {
    pub latency_cycles: u32,
    pub interval_cycles: u32,
}

/// What the L1 data cache does with writes to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum L1WritePolicy {
    /// They go on and evict their line; local ones stay.
    Evict,
    /// They go on and stay.
    Through,
    /// They stay until their line leaves.
    Back,
}

/// When a block that missed gets its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum L1Allocate {
    /// At the miss.
    Miss,
    /// When it arrives.
    Fill,
    /// At the miss in kernels without shared memory, otherwise when it arrives.
    Streaming,
}

/// The L1 data cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L1Config {
    pub size_kib: usize,
    pub ways: usize,
    pub line_bytes: usize,
    pub sector_bytes: usize,
    pub set_index: SetIndex,
    pub allocate: L1Allocate,
    pub write_policy: L1WritePolicy,
    pub modified_percent: usize,
    pub banks: usize,
    pub shared_carve_out_kib: Vec<usize>,
    pub empty_after_kernel: bool,
    pub latency_cycles: u64,
    pub mshr_entries: usize,
    pub mshr_merges: usize,
    pub miss_queue_entries: usize,
    pub port_bytes: usize,
}

/// A read-only cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheConfig {
    pub size_kib: usize,
    pub ways: usize,
    pub line_bytes: usize,
    pub mshr_entries: usize,
    pub mshr_merges: usize,
    pub miss_queue_entries: usize,
}

/// The texture cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureCacheConfig {
    pub size_kib: usize,
    pub ways: usize,
    pub line_bytes: usize,
    pub fragment_entries: usize,
    pub request_entries: usize,
    pub result_entries: usize,
}

impl GpuSpec {
    /// L2 slices of all channels.
    pub fn slices(&self) -> usize {
        self.dram.channels * self.dram.slices_per_channel
    }
}

impl L1Config {
    /// The cache core's view of it.
    pub fn cache_spec(&self) -> CacheSpec {
        CacheSpec {
            sets: CacheSpec::sets_of(self.size_kib, self.ways, self.line_bytes),
            ways: self.ways,
            line_bytes: self.line_bytes,
            sector_bytes: self.sector_bytes,
            set_index: self.set_index,
            allocate: if self.allocate == L1Allocate::Fill { Allocate::OnFill } else { Allocate::OnMiss },
            write_policy: match self.write_policy {
                L1WritePolicy::Evict => WritePolicy::EvictGlobalKeepLocal,
                L1WritePolicy::Through => WritePolicy::WriteThroughLazily,
                L1WritePolicy::Back => WritePolicy::WriteBackLazily,
            },
            modified_percent: self.modified_percent,
            mshr_entries: self.mshr_entries,
            mshr_merges: self.mshr_merges,
            miss_queue_entries: self.miss_queue_entries,
            data_port_bytes: self.port_bytes,
            writeback_kind: AccessKind::L1Writeback,
        }
    }
}

impl L1Config {
    /// Lines in a set when thread blocks that live at once have `shared_bytes` of shared memory: the data cache has what the
    /// smallest carve-out for it leaves.
    pub fn ways_beside(&self, shared_bytes: u64) -> usize {
        let carve_out = self.shared_carve_out_kib.iter().find(|&&kib| kib as u64 * 1024 >= shared_bytes);
        let taken_kib = carve_out.or(self.shared_carve_out_kib.last()).copied().unwrap_or(0);
        let left_kib = self.size_kib.saturating_sub(taken_kib);
        ((self.ways * left_kib * 2 + self.size_kib) / (2 * self.size_kib)).max(1)
    }

    /// Whether a block that missed gets its line when it arrives, in a kernel that uses shared memory or none.
    pub fn allocates_on_fill(&self, uses_shared: bool) -> bool {
        match self.allocate {
            L1Allocate::Miss => false,
            L1Allocate::Fill => true,
            L1Allocate::Streaming => uses_shared,
        }
    }
}

impl CacheConfig {
    /// The cache core's view of it: lines are claimed when they arrive, a whole line moves in a cycle.
    pub fn cache_spec(&self) -> CacheSpec {
        CacheSpec {
            sets: CacheSpec::sets_of(self.size_kib, self.ways, self.line_bytes),
            ways: self.ways,
            line_bytes: self.line_bytes,
            sector_bytes: self.line_bytes,
            set_index: SetIndex::Linear,
            allocate: Allocate::OnFill,
            write_policy: WritePolicy::ReadOnly,
            modified_percent: 0,
            mshr_entries: self.mshr_entries,
            mshr_merges: self.mshr_merges,
            miss_queue_entries: self.miss_queue_entries,
            data_port_bytes: self.line_bytes,
            writeback_kind: AccessKind::L1Writeback,
        }
    }
}

impl TextureCacheConfig {
    /// The texture cache's view of it.
    pub fn spec(&self) -> TextureCacheSpec {
        TextureCacheSpec {
            sets: CacheSpec::sets_of(self.size_kib, self.ways, self.line_bytes),
            ways: self.ways,
            line_bytes: self.line_bytes,
            fragment_entries: self.fragment_entries,
            request_entries: self.request_entries,
            result_entries: self.result_entries,
        }
    }
}
