//! The keys of `[l2]` in a GPU file.

#![expect(
    missing_docs,
    reason = "the fields are explained next to their values, in configs/gpus/gtx480.toml"
)]

use serde::{Deserialize, Serialize};

use crate::base::{AccessKind, Allocate, CacheSpec, SetIndex, WritePolicy};

/// An L2 slice and its queues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2Config {
    pub size_kib: usize,
    pub ways: usize,
    pub line_bytes: usize,
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
            sets: self.size_kib * 1024 / (self.ways * self.line_bytes),
            ways: self.ways,
            line_bytes: self.line_bytes,
            set_index: SetIndex::Linear,
            allocate: Allocate::OnMiss,
            write_policy: WritePolicy::WriteBackAllocate,
            mshr_entries: self.mshr_entries,
            mshr_merges: self.mshr_merges,
            miss_queue_entries: self.miss_queue_entries,
            data_port_bytes: self.port_bytes,
            writeback_kind: AccessKind::L2Writeback,
        }
    }
}
