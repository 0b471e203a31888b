//! Everything behind the SMs' network ports: both crossbars and all memory partitions, connected.
//!
//! [`MemorySide::tick`] is the only order in which the parts of the machine step. Times are core cycles unless they say
//! otherwise.

use std::sync::Arc;

use shrinkwarp_codec::BlockCodec;
use shrinkwarp_emu::memory::Memory;

use crate::base::station::{Mismatch, Progress, Station};
use crate::base::{BlockAddress, Cycle, Edges, Now, Packet, Point};
use crate::config::GpuSpec;
use crate::counters::{
    CompressionCounters, L2CompressionCounters, MemoryCompressionCounters, MemoryCounters,
};
use crate::fabric::Fabric;
use crate::partition::Partition;
use crate::partition::controller::{AddressMap, CompressedMemory};
use crate::partition::l2::Slice;
use crate::partition::link::Links;
use crate::scheme::Scheme;

/// Fabric and partitions.
#[derive(Clone, Debug)]
pub struct MemorySide {
    fabric: Fabric,
    /// One for each channel.
    partitions: Vec<Partition>,
    /// What connects the controllers to memory, if that is not a bus for each channel.
    links: Option<Links>,
    map: AddressMap,
}

/// What the SMs do in a tick, as the memory side sees it.
pub trait Sms {
    /// Why an SM cannot go on.
    type Error;

    /// The SMs take replies with [`MemorySide::receive_reply`].
    fn receive(&mut self, side: &mut MemorySide, now: Cycle, memory: &Memory);

    /// The SMs step and send requests with [`MemorySide::send_request`].
    fn step(&mut self, side: &mut MemorySide, now: Cycle) -> Result<(), Self::Error>;
}

impl MemorySide {
    /// An idle memory side with empty caches.
    pub fn new(gpu: &GpuSpec, scheme: &Scheme) -> Self {
        let (dram, keys) = (&gpu.dram, &scheme.spec);
        let packets = scheme.point(Point::Packets, &keys.packets);
        let l2 = scheme.point(Point::L2, &keys.l2);
        let memory = scheme.point(Point::Memory, &keys.memory);
        let links = Links::new(dram, gpu.clocks.dram_mhz, &keys.link, scheme.unit(Point::Link));
        let partition = || Partition::new(&gpu.l2, l2, dram, memory);
        let mut partitions: Vec<_> = (0..dram.channels).map(|_| partition()).collect();
        if let Some(links) = &links {
            for partition in &mut partitions {
                partition.controller.put_behind_links(links.merge_cycles());
            }
        }
        let fabric = Fabric::new(gpu.sm.count, gpu.slices(), &gpu.interconnect, packets);
        Self { fabric, partitions, links, map: AddressMap::new(dram) }
    }

    /// One tick of the machine: every part whose clock has an edge steps, in the reference simulator's order.
    ///
    /// 1. core: replies from the network into the SMs
    /// 2. interconnect: replies from the slices into the network
    /// 3. DRAM, if the SMs have no edge: memory controllers
    /// 4. L2: requests from the network into the slices, slices
    /// 5. interconnect: both crossbars
    /// 6. core: SM pipelines, launches of thread blocks
    /// 7. DRAM, if the SMs have an edge: memory controllers, one core cycle later
    ///
    /// DRAM edges seldom coincide with the others (at 924 to 700 MHz every 25th core cycle). When they do, DRAM comes last: the
    /// reference adds up periods in floating point, and rounding puts its DRAM a hair late.
    #[inline]
    pub fn tick<S: Sms>(
        &mut self,
        edges: Edges,
        mut now: Now,
        memory: &Memory,
        sms: &mut S,
    ) -> Result<(), S::Error> {
        if edges.core {
            sms.receive(self, now.core, memory);
        }
        if edges.interconnect {
            self.take_replies(now.core, memory);
        }
        if edges.dram && !edges.core {
            self.step_dram(now, memory);
        }
        if edges.l2 {
            self.step_l2(now.core, memory);
        }
        if edges.interconnect {
            self.fabric.step();
        }
        if edges.core {
            sms.step(self, now.core)?;
            now.core += 1;
        }
        if edges.dram && edges.core {
            self.step_dram(now, memory);
        }
        Ok(())
    }

    /// Whether the SM's queue has room for a whole packet with `payload_bytes` of data.
    #[inline]
    pub fn has_room_for_request(&self, sm: usize, payload_bytes: u32) -> bool {
        self.fabric.has_room_for_request(sm, payload_bytes)
    }

    /// Room in the SM's queue, and the bytes of a flit if the room is in flits; it is in packets otherwise.
    #[inline]
    pub fn request_room(&self, sm: usize) -> (usize, Option<u32>) {
        self.fabric.request_room(sm)
    }

    /// Sends a request to the slice that its address belongs to; the SM has asked [`MemorySide::has_room_for_request`].
    pub fn send_request(&mut self, sm: usize, packet: Packet) {
        self.fabric.send_request(sm, self.map.slice(packet.address), packet);
    }

    /// Takes a reply out at its SM, at most one in a core cycle.
    #[inline]
    pub fn receive_reply(&mut self, sm: usize, now: Cycle, memory: &Memory) -> Option<Packet> {
        self.fabric.receive_reply(sm, now, memory)
    }

    /// Whether a reply waits at the SM, or will.
    #[inline]
    pub fn has_reply(&self, sm: usize) -> bool {
        self.fabric.has_reply(sm)
    }

    /// Each slice hands its oldest reply to the network if that has room for all of it.
    fn take_replies(&mut self, now: Cycle, memory: &Memory) {
        let mut index = 0;
        for partition in &mut self.partitions {
            let mut is_stalled = false;
            for slice in &mut partition.slices {
                let is_busy = !slice.replies.is_empty() || self.fabric.is_compressing();
                if is_busy
                    && self.fabric.take_reply(index, &mut slice.replies, now, memory) == Progress::Blocked
                {
                    slice.count_reply_stall(!is_stalled);
                    is_stalled = true;
                }
                index += 1;
            }
        }
    }

    /// All controllers with their stations and channels.
    fn step_dram(&mut self, now: Now, memory: &Memory) {
        let Some(links) = &mut self.links else {
            let busy = self.partitions.iter_mut().filter(|partition| !partition.is_dram_quiet(now.core));
            busy.for_each(|partition| partition.step_dram(now, memory));
            return;
        };
        let are_links_empty = links.is_empty();
        links.deliver(now.dram);
        for (vault, partition) in self.partitions.iter_mut().enumerate() {
            if !(are_links_empty && partition.is_dram_quiet(now.core)) {
                partition.step_dram_through(&mut links.end(vault), now, memory);
            }
        }
        links.transmit(now.dram);
    }

    /// Each slice takes a request from the network if it can, then steps.
    fn step_l2(&mut self, now: Cycle, memory: &Memory) {
        let slices = self.partitions.iter_mut().flat_map(|partition| &mut partition.slices);
        for (index, slice) in slices.enumerate() {
            if !slice.can_accept() {
                slice.count_refusal();
            } else if let Some(packet) = self.fabric.receive_request(index) {
                slice.accept(packet, now);
            }
            slice.step(now, memory);
        }
    }

    /// When something happens next without the SMs' help, at the earliest in the next cycle; `None` if nothing will.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        if !self.fabric.is_empty() || !self.are_links_empty() {
            return Some(now + 1);
        }
        self.partitions.iter().filter_map(|partition| partition.next_event(now)).min()
    }

    /// Whether no packet is anywhere.
    pub fn is_empty(&self) -> bool {
        self.fabric.is_empty() && self.are_links_empty() && self.partitions.iter().all(Partition::is_empty)
    }

    /// Whether every access that an SM waits for has been answered.
    pub fn is_served(&self) -> bool {
        self.fabric.is_empty() && self.slices().all(Slice::is_served)
    }

    fn slices(&self) -> impl Iterator<Item = &Slice> {
        self.partitions.iter().flat_map(|partition| &partition.slices)
    }

    fn are_links_empty(&self) -> bool {
        self.links.as_ref().is_none_or(Links::is_empty)
    }

    /// What waits for what, one line each.
    pub fn describe_waits(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let busy = self.partitions.iter().enumerate().filter(|(_, partition)| !partition.is_empty());
        for (channel, partition) in busy {
            lines.extend(partition.describe_waits().iter().map(|line| format!("channel {channel} {line}")));
        }
        lines.extend(self.fabric.describe_waits());
        lines.extend(self.links.as_ref().and_then(Links::describe_wait));
        lines
    }

    /// What the compression points counted so far.
    pub fn compression_counters(&self) -> CompressionCounters {
        let mut memory = MemoryCompressionCounters::default();
        self.compressed_memories().for_each(|point| memory += &point.counters());
        let mut l2 = L2CompressionCounters::default();
        self.slices().for_each(|slice| l2 += &slice.compression_counters());
        CompressionCounters {
            packets: self.fabric.compression_counters(),
            l2,
            memory,
            link: self.links.as_ref().map(Links::counters).unwrap_or_default(),
            ..CompressionCounters::default()
        }
    }

    /// The first block that verification found changed.
    pub fn mismatch(&self) -> Option<Mismatch> {
        let in_l2 = || self.slices().find_map(Slice::mismatch);
        let in_memory = || self.compressed_memories().find_map(Station::mismatch);
        let on_links = || self.links.as_ref().and_then(Links::mismatch);
        self.fabric.mismatch().or_else(in_l2).or_else(in_memory).or_else(on_links)
    }

    /// The host has written `bytes` at `address`: controllers that compress do so at once.
    pub fn store_from_host(&mut self, address: u64, bytes: u64, memory: &Memory) {
        self.for_each_compressed(address, bytes, |point, block| point.store_from_host(block, memory));
    }

    /// `bytes` at `address` have been allocated, and are zero.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        self.for_each_compressed(address, bytes, CompressedMemory::clear);
    }

    /// Shows each block of `bytes` at `address` to the controller that stores it, if the controllers compress.
    fn for_each_compressed(
        &mut self,
        address: u64,
        bytes: u64,
        mut show: impl FnMut(&mut CompressedMemory, BlockAddress),
    ) {
        if self.compressed_memories().next().is_none() {
            return;
        }
        for block in BlockAddress::covering(address, bytes) {
            let channel = self.map.channel(block.first_byte());
            if let Some(point) = self.partitions[channel].compression_mut() {
                show(point, block);
            }
        }
    }

    /// The controllers' codec is trained: they compress from now on.
    pub fn finish_sampling(&mut self, codec: &Arc<dyn BlockCodec>) {
        for point in self.partitions.iter_mut().filter_map(Partition::compression_mut) {
            point.finish_sampling(codec);
        }
    }

    /// Starts or stops keeping the requests that controllers accept, for [`MemorySide::take_accepted`].
    pub fn keep_accepted(&mut self, is_kept: bool) {
        for partition in &mut self.partitions {
            partition.controller.keep_accepted(is_kept);
        }
    }

    /// The requests that controllers have accepted since the last call.
    pub fn take_accepted(&mut self) -> impl Iterator<Item = Packet> {
        self.partitions.iter_mut().flat_map(|partition| partition.controller.take_accepted())
    }

    /// Takes over what lies in memory from another memory side of the same machine.
    pub fn inherit_memory(&mut self, other: &Self) {
        for (mine, others) in self.partitions.iter_mut().zip(&other.partitions) {
            if let (Some(mine), Some(others)) = (mine.compression_mut(), others.compression()) {
                mine.inherit_blocks(others);
            }
        }
    }

    /// The compression points in the controllers, if there are any.
    fn compressed_memories(&self) -> impl Iterator<Item = &CompressedMemory> {
        self.partitions.iter().filter_map(Partition::compression)
    }

    /// Everything counted so far, summed.
    pub fn counters(&self) -> MemoryCounters {
        let [request_network, reply_network] = self.fabric.crossbar_counters();
        let mut sum = MemoryCounters { request_network, reply_network, ..MemoryCounters::default() };
        for partition in &self.partitions {
            for slice in &partition.slices {
                sum.l2 += &slice.counters();
            }
            sum.dram += partition.controller.counters();
        }
        sum
    }
}
