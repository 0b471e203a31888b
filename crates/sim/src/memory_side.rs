//! Everything behind the SMs' network ports: both crossbars and all memory partitions, connected.
//!
//! The machine calls the steps of a tick in the order of [`crate::base::clock`]: [`MemorySide::send_replies`] with an
//! interconnect edge, [`MemorySide::step_dram`] with a DRAM edge, [`MemorySide::step_l2`] with an L2 edge,
//! [`MemorySide::step_network`] with an interconnect edge. Times are core cycles unless they say otherwise.

use crate::base::{Cycle, Packet};
use crate::config::GpuSpec;
use crate::counters::MemoryCounters;
use crate::fabric::Fabric;
use crate::partition::Partition;
use crate::partition::controller::AddressMap;
use crate::partition::l2::Slice;

/// Fabric and partitions.
#[derive(Clone, Debug)]
pub struct MemorySide {
    /// Both crossbars.
    pub fabric: Fabric,
    /// One for each channel.
    pub partitions: Vec<Partition>,
    map: AddressMap,
    slices_per_channel: usize,
}

impl MemorySide {
    /// An idle memory side with empty caches.
    pub fn new(gpu: &GpuSpec) -> Self {
        Self {
            fabric: Fabric::new(gpu),
            partitions: (0..gpu.dram.channels).map(|_| Partition::new(gpu)).collect(),
            map: AddressMap::new(&gpu.dram),
            slices_per_channel: gpu.dram.slices_per_channel,
        }
    }

    /// Whether the SM's queue has room for the whole packet.
    #[inline]
    pub fn can_send_request(&self, sm: usize, packet: &Packet) -> bool {
        self.fabric.can_send_request(sm, packet)
    }

    /// Sends a request to the slice that its address belongs to; the SM has asked [`MemorySide::can_send_request`].
    pub fn send_request(&mut self, sm: usize, packet: Packet) {
        self.fabric.send_request(sm, self.map.slice(packet.address), packet);
    }

    /// Takes a reply out at its SM.
    #[inline]
    pub fn receive_reply(&mut self, sm: usize) -> Option<Packet> {
        self.fabric.receive_reply(sm)
    }

    /// Interconnect edge, first half: each slice hands its oldest reply to the network if that has room for all of it.
    pub fn send_replies(&mut self) {
        let slices = self.partitions.iter_mut().flat_map(|partition| &mut partition.slices);
        for (index, slice) in slices.enumerate() {
            let Some(reply) = slice.replies.front() else { continue };
            if !self.fabric.can_send_reply(index, reply) {
                slice.count_reply_stall();
                continue;
            }
            if let Some(reply) = slice.replies.pop() {
                self.fabric.send_reply(index, reply);
            }
        }
    }

    /// DRAM edge: `dram_now` counts DRAM cycles.
    pub fn step_dram(&mut self, now: Cycle, dram_now: Cycle) {
        for partition in &mut self.partitions {
            if !partition.is_dram_quiet(now) {
                partition.step_dram(now, dram_now);
            }
        }
    }

    /// L2 edge: each slice takes a request from the network if it can, then steps.
    pub fn step_l2(&mut self, now: Cycle) {
        let slices = self.partitions.iter_mut().flat_map(|partition| &mut partition.slices);
        for (index, slice) in slices.enumerate() {
            if !slice.can_accept() {
                slice.count_refusal();
            } else if let Some(packet) = self.fabric.receive_request(index) {
                slice.accept(packet, now);
            }
            slice.step(now);
        }
    }

    /// Interconnect edge, second half: both crossbars move.
    pub fn step_network(&mut self) {
        self.fabric.step();
    }

    /// When something happens next without the SMs' help, at the earliest in the next cycle; `None` if nothing will.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        if !self.fabric.is_empty() {
            return Some(now + 1);
        }
        self.partitions.iter().filter_map(|partition| partition.next_event(now)).min()
    }

    /// Whether no packet is anywhere.
    pub fn is_empty(&self) -> bool {
        self.fabric.is_empty() && self.partitions.iter().all(Partition::is_empty)
    }

    /// Whether everybody who waits for an answer has got it.
    pub fn is_served(&self) -> bool {
        let slices = self.partitions.iter().flat_map(|partition| &partition.slices);
        self.fabric.is_empty() && slices.into_iter().all(Slice::is_served)
    }

    /// Everything counted so far, summed.
    pub fn counters(&self) -> MemoryCounters {
        let mut sum = MemoryCounters {
            request_network: self.fabric.requests.counters,
            reply_network: self.fabric.replies.counters,
            ..MemoryCounters::default()
        };
        for partition in &self.partitions {
            for slice in &partition.slices {
                sum.l2 += &slice.counters();
            }
            sum.dram += partition.controller.counters();
        }
        sum
    }

    /// The slice of an address, counted over all channels.
    pub fn slice_of(&self, address: u64) -> usize {
        self.map.slice(address)
    }

    /// Reply stalls of one slice, in interconnect cycles.
    pub fn reply_stall_cycles(&self, slice: usize) -> u64 {
        let partition = &self.partitions[slice / self.slices_per_channel];
        partition.slices[slice % self.slices_per_channel].counters().reply_stall_cycles
    }
}
