//! The keys of `[dram]` in a GPU file.

#![expect(
    missing_docs,
    reason = "the fields are explained next to their values, in configs/gpus/gtx480.toml"
)]

use serde::{Deserialize, Serialize};

use super::row_policy::DramRowPolicy;
use super::scheduler::DramScheduler;

/// Memory controllers and the DRAM behind them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramConfig {
    pub channels: usize,
    pub slices_per_channel: usize,
    pub chips_per_channel: usize,
    pub chip_bus_bits: usize,
    pub burst_length: usize,
    pub transfers_per_clock: usize,
    pub banks: usize,
    pub bank_groups: usize,
    pub bank_group_bits: BankGroupBits,
    pub queue_requests: usize,
    pub admission: Admission,
    pub scheduler: DramScheduler,
    pub row_policy: DramRowPolicy,
    pub return_queue_packets: usize,
    pub delay_cycles: u64,
    pub command_buses: usize,
    pub channel_interleave_bytes: u64,
    pub slice_index: SliceIndex,
    pub address_map: String,
    pub timing: DramTiming,
}

/// Which bits of a bank's number name its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BankGroupBits {
    /// Neighbouring banks are in different groups, as in GPGPU-Sim 4.
    Low,
    /// Neighbouring banks are in the same group, as in GPGPU-Sim 3.
    High,
}

impl BankGroupBits {
    /// How far a bank's number is shifted before the low bits of what is left name its group.
    pub fn shift(self, banks: usize, groups: usize) -> u32 {
        match self {
            Self::Low => 0,
            Self::High => (banks / groups).trailing_zeros(),
        }
    }
}

/// Which slice an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SliceIndex {
    /// As the address map says.
    Linear,
    /// That slice's number with the address bits above it hashed in.
    Ipoly,
}

/// When a controller takes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Admission {
    /// The scheduler's queue has room, and fewer requests are under way than that queue and the return queue hold: one for each slice
    /// for certain, the rest shared. GPGPU-Sim 3.2.2.
    Credits,
    /// The scheduler's queue has room, however many requests are on their way to it. GPGPU-Sim 3.2.1.
    Queue,
}

/// Times between DRAM commands, in DRAM clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramTiming {
    pub ccd: u64,
    pub ccdl: u64,
    pub rrd: u64,
    pub rcd: u64,
    pub ras: u64,
    pub rp: u64,
    pub rc: u64,
    pub cl: u64,
    pub wl: u64,
    pub cdlr: u64,
    pub wr: u64,
    pub rtpl: u64,
    pub refi: u64,
    pub rfc: u64,
}

/// Waits that follow from the data sheet's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turnaround {
    /// Read command to write command, any bank.
    pub read_to_write: u64,
    /// Write command to read command, any bank.
    pub write_to_read: u64,
    /// Write command to precharge, same bank.
    pub write_to_precharge: u64,
    /// Activate to write command, same bank: the row must be open only when the data come.
    pub activate_to_write: u64,
}

impl DramConfig {
    /// Bytes that one command moves: the memory access granularity.
    pub fn burst_bytes(&self) -> usize {
        self.burst_length * self.chips_per_channel * self.chip_bus_bits / 8
    }

    /// DRAM clocks that one command keeps the data bus.
    pub fn burst_cycles(&self) -> u64 {
        (self.burst_length / self.transfers_per_clock) as u64
    }

    /// Works them out.
    pub fn turnaround(&self) -> Turnaround {
        let (timing, burst) = (&self.timing, self.burst_cycles());
        Turnaround {
            read_to_write: (timing.cl + burst + 2).saturating_sub(timing.wl),
            write_to_read: timing.wl + burst + timing.cdlr,
            write_to_precharge: timing.wl + burst + timing.wr,
            activate_to_write: timing.rcd.saturating_sub(timing.wl + 1),
        }
    }
}
