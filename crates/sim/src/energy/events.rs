//! The events that cost energy, counted.

use serde::Serialize;

/// What happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Events {
    /// How long it took.
    pub seconds: f64,
    /// Share of scheduler cycles that issued, 0 to 1.
    pub issue_duty: f64,
    /// Time that SMs had no block, summed over SMs.
    pub idle_sm_seconds: f64,
    /// Warp instructions.
    pub warp_instructions: u64,
    /// Register reads and writes, times lanes.
    pub register_lane_accesses: u64,
    /// Integer operations, times lanes.
    pub integer_lane_operations: u64,
    /// Floating-point operations, times lanes.
    pub float_lane_operations: u64,
    /// Special functions and divisions, times lanes.
    pub special_lane_operations: u64,
    /// Instruction cache hits.
    pub instruction_cache_hits: u64,
    /// Constant cache hits.
    pub constant_cache_hits: u64,
    /// L1D reads that found their line.
    pub l1_read_hits: u64,
    /// L1D reads that did not, or found it on its way.
    pub l1_read_misses: u64,
    /// L1D writes.
    pub l1_writes: u64,
    /// L2 reads that found their line.
    pub l2_read_hits: u64,
    /// L2 reads that did not, or found it on its way.
    pub l2_read_misses: u64,
    /// L2 writes that found their line.
    pub l2_write_hits: u64,
    /// L2 writes that did not.
    pub l2_write_misses: u64,
    /// Flits through either crossbar.
    pub flits: u64,
    /// Bytes that DRAM read.
    pub dram_read_bytes: u64,
    /// Bytes that DRAM wrote.
    pub dram_write_bytes: u64,
    /// Rows that DRAM closed.
    pub dram_precharges: u64,
}
