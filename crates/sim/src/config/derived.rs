//! What follows from a GPU's fields and is easier to compare with a data sheet.

use serde::Serialize;

use super::GpuSpec;
use crate::base::codec_unit::packet_flits;

/// Sizes and peak rates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Derived {
    /// Sets of an L1D.
    pub l1_sets: usize,
    /// L1D of all SMs.
    pub l1_total_kib: usize,
    /// L2 slices.
    pub slices: usize,
    /// Sets of a slice.
    pub l2_sets: usize,
    /// L2 of all slices.
    pub l2_total_kib: usize,
    /// Ports of each crossbar.
    pub network_ports: usize,
    /// Flits of a reply with a whole line.
    pub line_reply_flits: u32,
    /// What the slices could send, in GB/s.
    pub reply_network_peak_gb_per_s: f64,
    /// Bytes that one DRAM command moves.
    pub dram_burst_bytes: usize,
    /// Width of the whole memory bus.
    pub dram_bus_bits: usize,
    /// What DRAM could deliver, in GB/s.
    pub dram_peak_gb_per_s: f64,
    /// Billions of warp instructions per second if every scheduler issued in every cycle.
    pub peak_warp_gips: f64,
    /// Billions of thread instructions per second, the same.
    pub peak_thread_gips: f64,
    /// Threads the whole GPU holds.
    pub resident_threads: usize,
    /// DRAM clocks from a read to a write.
    pub dram_read_to_write_clocks: u64,
    /// DRAM clocks from a write to a read.
    pub dram_write_to_read_clocks: u64,
    /// DRAM clocks from a write to a precharge of its bank.
    pub dram_write_to_precharge_clocks: u64,
}

impl Derived {
    /// Works them out.
    pub fn of(spec: &GpuSpec) -> Self {
        let (dram, clocks) = (&spec.dram, &spec.clocks);
        let turnaround = dram.turnaround();
        let dram_bus_bits = dram.channels * dram.chips_per_channel * dram.chip_bus_bits;
        let issues = spec.sm.count * spec.sm.schedulers * spec.sm.issues_per_scheduler;
        let peak_warp_gips = issues as f64 * f64::from(clocks.core_mhz) / 1e3;
        let reply_bytes = (spec.slices() * spec.interconnect.flit_bytes as usize) as f64;
        Self {
            l1_sets: spec.l1.cache_spec().sets,
            l1_total_kib: spec.sm.count * spec.l1.size_kib,
            slices: spec.slices(),
            l2_sets: spec.l2.cache_spec().sets,
            l2_total_kib: spec.slices() * spec.l2.size_kib,
            network_ports: spec.sm.count + spec.slices(),
            line_reply_flits: packet_flits(spec.l1.line_bytes as u32, spec.interconnect.flit_bytes),
            reply_network_peak_gb_per_s: reply_bytes * f64::from(clocks.interconnect_mhz) / 1e3,
            dram_burst_bytes: dram.burst_bytes(),
            dram_bus_bits,
            dram_peak_gb_per_s: (dram_bus_bits / 8 * dram.transfers_per_clock) as f64
                * f64::from(clocks.dram_mhz)
                / 1e3,
            peak_warp_gips,
            peak_thread_gips: peak_warp_gips * 32.0,
            resident_threads: spec.sm.count * spec.sm.threads,
            dram_read_to_write_clocks: turnaround.read_to_write,
            dram_write_to_read_clocks: turnaround.write_to_read,
            dram_write_to_precharge_clocks: turnaround.write_to_precharge,
        }
    }
}
