//! The events that cost energy, counted.

use serde::Serialize;

use crate::base::AccessKind;
use crate::config::GpuSpec;
use crate::counters::MachineCounters;

/// Lanes of a warp: what a collector reads at a time.
const WARP_LANES: u64 = 32;

/// Accesses of an L1D or L2 that return data.
const READS: [AccessKind; 5] = [
    AccessKind::GlobalRead,
    AccessKind::LocalRead,
    AccessKind::ConstantRead,
    AccessKind::TextureRead,
    AccessKind::InstructionRead,
];

/// Accesses of an L1D or L2 that bring data in.
const WRITES: [AccessKind; 3] = [AccessKind::GlobalWrite, AccessKind::LocalWrite, AccessKind::L1Writeback];

/// What happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Events {
    /// How long it took.
    pub seconds: f64,
    /// Share of scheduler cycles that issued, 0 to 1.
    pub issue_duty: f64,
    /// Time that SMs had no thread block, summed over SMs.
    pub idle_sm_seconds: f64,
    /// Time that SMs had one, summed over SMs.
    pub active_sm_seconds: f64,
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
    /// Bits between the controllers and DRAM: those of packets where there are links, of bursts where there is a bus.
    pub link_bits: u64,
    /// Rows that DRAM closed.
    pub dram_precharges: u64,
    /// Picojoules of compressors and decompressors.
    pub compression_pj: u64,
}

impl Events {
    /// What the counters of a machine say.
    pub fn of(counters: &MachineCounters, gpu: &GpuSpec) -> Self {
        let (sm, memory) = (&counters.sm, &counters.memory);
        let seconds_per_cycle = 1e-6 / f64::from(gpu.clocks.core_mhz);
        // A scheduler of an SM with blocks is counted once in every cycle, whatever it did.
        let scheduler_cycles =
            sm.issued_cycles + sm.no_instruction_cycles + sm.register_wait_cycles + sm.pipe_full_cycles;
        let active_sm_cycles = scheduler_cycles / gpu.sm.schedulers as u64;
        let all_sm_cycles = counters.core_cycles * gpu.sm.count as u64;
        let all_scheduler_cycles = (all_sm_cycles * gpu.sm.schedulers as u64).max(1);
        let (l1_reads, l2_reads) = (counters.l1.sum(&READS), memory.l2.cache.sum(&READS));
        let l2_writes = memory.l2.cache.sum(&WRITES);
        let burst_bytes = gpu.dram.burst_bytes() as u64;
        let dram_read_bytes = memory.dram.all_read_commands() * burst_bytes;
        let dram_write_bytes = memory.dram.all_write_commands() * burst_bytes;
        let link_bits = match counters.compression.link.sent_bits() {
            0 => 8 * (dram_read_bytes + dram_write_bytes),
            packet_bits => packet_bits,
        };
        Self {
            seconds: counters.core_cycles as f64 * seconds_per_cycle,
            issue_duty: sm.issued_cycles as f64 / all_scheduler_cycles as f64,
            idle_sm_seconds: all_sm_cycles.saturating_sub(active_sm_cycles) as f64 * seconds_per_cycle,
            active_sm_seconds: active_sm_cycles as f64 * seconds_per_cycle,
            warp_instructions: sm.warp_instructions,
            register_lane_accesses: counters.register_reads * WARP_LANES + sm.register_lane_writes,
            integer_lane_operations: sm.integer_lane_operations,
            float_lane_operations: sm.float_lane_operations,
            special_lane_operations: sm.special_lane_operations,
            instruction_cache_hits: counters.instruction_cache.total().hits,
            constant_cache_hits: counters.constant_cache.total().hits,
            l1_read_hits: l1_reads.hits,
            l1_read_misses: l1_reads.misses + l1_reads.hits_reserved,
            l1_writes: counters.l1.sum(&WRITES).accesses(),
            l2_read_hits: l2_reads.hits,
            l2_read_misses: l2_reads.misses + l2_reads.hits_reserved,
            l2_write_hits: l2_writes.hits,
            l2_write_misses: l2_writes.misses + l2_writes.hits_reserved,
            flits: memory.request_network.flits_out + memory.reply_network.flits_out,
            dram_read_bytes,
            dram_write_bytes,
            link_bits,
            dram_precharges: memory.dram.precharges,
            compression_pj: counters.compression.energy_pj(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load;

    #[test]
    fn counters_become_events_in_bytes_lanes_and_seconds() {
        let gpu = load("gtx480", &[]).unwrap();
        let mut counters =
            MachineCounters { core_cycles: 700, register_reads: 3, ..MachineCounters::default() };
        counters.memory.dram.read_commands = 2;
        counters.memory.dram.write_allocate_read_commands = 1;
        counters.memory.dram.writeback_commands = 5;
        counters.memory.reply_network.flits_out = 7;
        counters.sm.issued_cycles = 300;
        counters.sm.no_instruction_cycles = 1100;
        let events = Events::of(&counters, &gpu);
        assert!((events.seconds - 1e-6).abs() < 1e-15);
        assert_eq!((events.dram_read_bytes, events.dram_write_bytes, events.flits), (3 * 64, 5 * 64, 7));
        assert_eq!(events.link_bits, 8 * 64 * 8);
        counters.compression.link.towards_gpu.sent_bits = 384;
        assert_eq!(Events::of(&counters, &gpu).link_bits, 384);
        assert_eq!(events.register_lane_accesses, 96);
        // Both schedulers of one SM ran all the time; the other fourteen SMs were idle.
        assert!((events.idle_sm_seconds - 14e-6).abs() < 1e-12);
        assert!((events.active_sm_seconds - 1e-6).abs() < 1e-12);
        assert!((events.issue_duty - 300.0 / 21_000.0).abs() < 1e-9);
    }
}
