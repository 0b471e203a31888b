//! The keys of `[l2]` in a GPU file.

#![expect(
    missing_docs,
    reason = "the fields are explained next to their values, in configs/gpus/gtx480.toml"
)]

use serde::{Deserialize, Serialize};

use crate::base::{AccessKind, Allocate, CacheSpec, SetIndex, WritePolicy};

/// What a write that misses does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum L2WritePolicy {
    /// Goes to DRAM, and its line is fetched.
    Fetch,
    /// Claims its sector; unwritten bytes are fetched when they are read.
    Lazy,
}

/// An L2 slice and its queues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2Config {
    pub size_kib: usize,
    pub ways: usize,
    pub line_bytes: usize,
    pub sector_bytes: usize,
    pub set_index: SetIndex,
    pub write_policy: L2WritePolicy,
    pub mshr_entries: usize,
    pub mshr_merges: usize,
    pub miss_queue_entries: usize,
    pub port_bytes: usize,
    pub request_queue_packets: usize,
    pub reply_queue_packets: usize,
    pub miss_queue_packets: usize,
    pub fill_queue_packets: usize,
    pub rop_delay_cycles: u64,
}

impl L2Config {
    /// The cache core's view of one slice.
    pub fn cache_spec(&self) -> CacheSpec {
        CacheSpec {
            sets: CacheSpec::sets_of(self.size_kib, self.ways, self.line_bytes),
            ways: self.ways,
            line_bytes: self.line_bytes,
            sector_bytes: self.sector_bytes,
            set_index: self.set_index,
            allocate: Allocate::OnMiss,
            write_policy: match self.write_policy {
                L2WritePolicy::Fetch => WritePolicy::WriteBackAllocate,
                L2WritePolicy::Lazy => WritePolicy::WriteBackLazily,
            },
            modified_percent: 0,
            mshr_entries: self.mshr_entries,
            mshr_merges: self.mshr_merges,
            miss_queue_entries: self.miss_queue_entries,
            data_port_bytes: self.port_bytes,
            writeback_kind: AccessKind::L2Writeback,
        }
    }
}
