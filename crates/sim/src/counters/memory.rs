//! Counters of the memory side: networks, slices, DRAM channels.

use std::ops::AddAssign;

use serde::Serialize;

use super::CacheCounters;

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

/// One crossbar's statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CrossbarCounters {
    /// Packets put into input queues.
    pub packets_in: u64,
    /// Their flits.
    pub flits_in: u64,
    /// Flits that crossed the switch.
    pub flits_out: u64,
    /// Packets taken out at their outputs.
    pub packets_out: u64,
    /// Interconnect cycles from a packet's entry until it was whole at its output, summed over packets.
    pub latency_cycles: u64,
}

/// One L2 slice's statistics.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SliceCounters {
    /// Packets taken from the network.
    pub packets_in: u64,
    /// Packets handed to the network.
    pub packets_out: u64,
    /// Core cycles from the making of an access until its packet was here, summed over packets.
    pub request_latency_cycles: u64,
    /// L2 cycles in which the slice would have taken no packet.
    pub admission_refused_cycles: u64,
    /// Interconnect cycles in which a reply waited at the head and the network had no room for it.
    pub reply_stall_cycles: u64,
    /// The same cycles counted once for a controller, whichever of its slices was refused.
    pub controller_reply_stall_cycles: u64,
    /// The cache itself.
    pub cache: CacheCounters,
}

impl AddAssign<&SliceCounters> for SliceCounters {
    fn add_assign(&mut self, other: &SliceCounters) {
        self.packets_in += other.packets_in;
        self.packets_out += other.packets_out;
        self.request_latency_cycles += other.request_latency_cycles;
        self.admission_refused_cycles += other.admission_refused_cycles;
        self.reply_stall_cycles += other.reply_stall_cycles;
        self.controller_reply_stall_cycles += other.controller_reply_stall_cycles;
        self.cache += &other.cache;
    }
}

/// One DRAM channel's statistics. A command moves one burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DramCounters {
    /// Requests that came into the queue.
    pub requests: u64,
    /// Read commands for lines that a read asked for.
    pub read_commands: u64,
    /// Read commands for lines that a write miss fetches.
    pub write_allocate_read_commands: u64,
    /// Write commands of writes that missed the L2.
    pub write_commands: u64,
    /// Write commands of dirty lines that left the L2.
    pub writeback_commands: u64,
    /// Read commands for metadata of compressed blocks.
    pub metadata_read_commands: u64,
    /// Write commands for metadata of compressed blocks.
    pub metadata_write_commands: u64,
    /// Read commands for compressed blocks that a write changes in part.
    pub merge_read_commands: u64,
    /// Rows opened.
    pub activates: u64,
    /// Rows closed.
    pub precharges: u64,
    /// DRAM cycles in which the data bus was taken.
    pub data_bus_cycles: u64,
    /// DRAM cycles in which some bank had a request and no command was possible.
    pub blocked_cycles: u64,
    /// Requests in the queue, summed over DRAM cycles in which the channel was not empty.
    pub queue_occupancy: u64,
}

impl DramCounters {
    /// All read commands.
    pub fn all_read_commands(&self) -> u64 {
        self.read_commands
            + self.write_allocate_read_commands
            + self.metadata_read_commands
            + self.merge_read_commands
    }

    /// All write commands.
    pub fn all_write_commands(&self) -> u64 {
        self.write_commands + self.writeback_commands + self.metadata_write_commands
    }
}

impl AddAssign<&DramCounters> for DramCounters {
    fn add_assign(&mut self, other: &DramCounters) {
        self.requests += other.requests;
        self.read_commands += other.read_commands;
        self.write_allocate_read_commands += other.write_allocate_read_commands;
        self.write_commands += other.write_commands;
        self.writeback_commands += other.writeback_commands;
        self.metadata_read_commands += other.metadata_read_commands;
        self.metadata_write_commands += other.metadata_write_commands;
        self.merge_read_commands += other.merge_read_commands;
        self.activates += other.activates;
        self.precharges += other.precharges;
        self.data_bus_cycles += other.data_bus_cycles;
        self.blocked_cycles += other.blocked_cycles;
        self.queue_occupancy += other.queue_occupancy;
    }
}
