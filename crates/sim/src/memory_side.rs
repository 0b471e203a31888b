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
use crate::fabric::{Fabric, NodeSet, RequestQueue};
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
    sms: usize,
    /// Per slice: until when it sleeps, unless a packet arrives; apart from the slices, so that one that sleeps is not looked at.
    slices_asleep_until: Vec<Cycle>,
    /// Per channel: until when a DRAM cycle changes nothing, unless a slice has a request.
    channels_asleep_until: Vec<Cycle>,
    /// Slices with an answer for the network.
    answering: NodeSet,
    /// Per slice: the interconnect cycle before which the network has no room for its answer.
    no_room_until: Vec<u64>,
    /// Per slice: the flits of that answer; 0 if there is none, or if they are known only when it has been compressed.
    blocked_flits: Vec<u8>,
    /// Interconnect cycles so far.
    interconnect_cycles: u64,
    /// Cycles in which the network had no room for the answer of a slice, summed over slices and over channels.
    reply_stall_cycles: u64,
    channel_stall_cycles: u64,
    /// Slices of a channel, as a power of two.
    slices_per_channel_log2: u32,
    /// DRAM cycles that are over by the clock and have not been stepped.
    late_dram_cycles: Vec<Now>,
    /// Whether compression points look at device memory.
    reads_memory: bool,
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
        let has_sectors = gpu.l1.sector_bytes < gpu.l1.line_bytes;
        let fabric = Fabric::new(gpu.sm.count, gpu.slices(), &gpu.interconnect, packets, has_sectors);
        Self {
            fabric,
            slices_asleep_until: vec![Cycle(0); gpu.slices()],
            channels_asleep_until: vec![Cycle(0); partitions.len()],
            partitions,
            links,
            map: AddressMap::new(dram),
            sms: gpu.sm.count,
            answering: NodeSet::default(),
            no_room_until: vec![0; gpu.slices()],
            blocked_flits: vec![0; gpu.slices()],
            interconnect_cycles: 0,
            reply_stall_cycles: 0,
            channel_stall_cycles: 0,
            slices_per_channel_log2: dram.slices_per_channel.ilog2(),
            late_dram_cycles: Vec::new(),
            reads_memory: [Point::Packets, Point::L2, Point::Memory, Point::Link]
                .into_iter()
                .any(|point| scheme.unit(point).is_some()),
        }
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
            self.move_packets(edges, now, memory);
            sms.step(self, now.core)?;
            now.core += 1;
        } else {
            self.move_packets(edges, now, memory);
        }
        if edges.dram && edges.core {
            self.finish_core_cycle(now, memory);
        }
        Ok(())
    }

    /// Part 7 of [`MemorySide::tick`], one core cycle later, if DRAM has an edge.
    pub fn finish_core_cycle(&mut self, now: Now, memory: &Memory) {
        self.step_dram(now, memory);
    }

    /// Parts 2 to 5 of [`MemorySide::tick`].
    pub fn move_packets(&mut self, edges: Edges, now: Now, memory: &Memory) {
        self.catch_up(memory);
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
    }

    /// Leaves a DRAM cycle, in which no other part steps, for the next [`MemorySide::move_packets`]. No part looks at DRAM
    /// before.
    pub fn leave_dram_cycle(&mut self, now: Now) {
        self.late_dram_cycles.push(now);
    }

    fn catch_up(&mut self, memory: &Memory) {
        for index in 0..self.late_dram_cycles.len() {
            self.step_dram(self.late_dram_cycles[index], memory);
        }
        self.late_dram_cycles.clear();
    }

    /// Whether [`MemorySide::move_packets`] looks at device memory.
    pub fn reads_memory(&self) -> bool {
        self.reads_memory
    }

    /// Whether the SM's queue has room for a whole packet with `payload_bytes` of data.
    #[inline]
    pub fn has_room_for_request(&self, sm: usize, payload_bytes: u32) -> bool {
        self.fabric.has_room_for_request(sm, payload_bytes)
    }

    /// For how many cycles it is known what becomes of the SMs' queues and which replies the SMs get, before
    /// [`MemorySide::move_packets`] of a cycle and after its replies have been taken; 0 if not even for that one.
    pub fn known_cycles(&self) -> u64 {
        self.fabric.known_cycles(self.sms)
    }

    /// Whether it is known ahead of the next [`MemorySide::move_packets`] which packets will fit the queues of the SMs behind it;
    /// each sends up to `packets`.
    pub fn are_requests_known(&self, packets: usize) -> bool {
        self.fabric.are_requests_known(self.sms, packets)
    }

    /// The SM's queue ahead of the next [`MemorySide::move_packets`].
    #[inline]
    pub fn request_queue(&self, sm: usize) -> RequestQueue {
        self.fabric.request_queue(sm)
    }

    /// The replies that an SM takes in the cycles that follow this one, fewer than [`MemorySide::known_cycles`], if it takes one
    /// whenever it can: `take(cycles, reply)`.
    pub fn for_each_arrival(&self, sm: usize, cycles: u64, take: impl FnMut(u64, Packet)) {
        self.fabric.for_each_arrival(sm, cycles, take);
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

    /// The SMs at which a reply waits, or will.
    #[inline]
    pub fn sms_with_replies(&self) -> NodeSet {
        self.fabric.sms_with_replies()
    }

    /// Each slice hands its oldest reply to the network if that has room for all of it.
    fn take_replies(&mut self, now: Cycle, memory: &Memory) {
        self.interconnect_cycles += 1;
        let mut stalled_channel = usize::MAX;
        self.answering.for_each(|index| {
            if self.has_room_for_reply(index) && self.take_reply(index, now, memory) {
                return;
            }
            self.reply_stall_cycles += 1;
            let channel = index >> self.slices_per_channel_log2;
            self.channel_stall_cycles += u64::from(channel != stalled_channel);
            stalled_channel = channel;
        });
    }

    /// Whether the network may have room for a slice's answer. One that was refused is looked at again when there can be.
    #[inline]
    fn has_room_for_reply(&mut self, index: usize) -> bool {
        if self.no_room_until[index] > self.interconnect_cycles {
            return false;
        }
        let missing = self.fabric.cycles_until_room_for_reply(index, usize::from(self.blocked_flits[index]));
        self.no_room_until[index] = self.interconnect_cycles + missing;
        missing == 0
    }

    /// A slice hands its oldest reply to the network. Returns whether that has room for it.
    fn take_reply(&mut self, index: usize, now: Cycle, memory: &Memory) -> bool {
        let channel = index >> self.slices_per_channel_log2;
        let slice = &mut self.partitions[channel].slices[index - (channel << self.slices_per_channel_log2)];
        if self.fabric.take_reply(index, &mut slice.replies, now, memory) == Progress::Blocked {
            self.blocked_flits[index] = self.fabric.flits_of_reply(&slice.replies);
            return false;
        }
        self.blocked_flits[index] = 0;
        if slice.replies.is_empty() && !self.fabric.is_compressing_for(index) {
            self.answering.remove(index);
        }
        true
    }

    /// All controllers with their stations and channels.
    fn step_dram(&mut self, now: Now, memory: &Memory) {
        let first_slice_of = |channel: usize| channel << self.slices_per_channel_log2;
        let Some(links) = &mut self.links else {
            for (channel, partition) in self.partitions.iter_mut().enumerate() {
                if self.channels_asleep_until[channel] > now.core {
                    continue;
                }
                if let Some(slice) = partition.step_dram(now, memory) {
                    self.slices_asleep_until[first_slice_of(channel) + slice] = Cycle(0);
                }
                self.channels_asleep_until[channel] =
                    partition.dram_quiet_until(now.core).unwrap_or_default();
            }
            return;
        };
        let are_links_empty = links.is_empty();
        links.deliver(now.dram);
        for (vault, partition) in self.partitions.iter_mut().enumerate() {
            let is_quiet = are_links_empty && partition.dram_quiet_until(now.core).is_some();
            if !is_quiet && let Some(slice) = partition.step_dram_through(&mut links.end(vault), now, memory)
            {
                self.slices_asleep_until[first_slice_of(vault) + slice] = Cycle(0);
            }
        }
        links.transmit(now.dram);
    }

    /// Each slice takes a request from the network if it can, then steps.
    fn step_l2(&mut self, now: Cycle, memory: &Memory) {
        let requested = self.fabric.slices_with_requests();
        let awake = NodeSet::of(&self.slices_asleep_until, |until| *until <= now);
        requested
            .union(&awake)
            .for_each(|index| self.step_slice(index, requested.contains(index), now, memory));
    }

    #[inline]
    fn step_slice(&mut self, index: usize, has_request: bool, now: Cycle, memory: &Memory) {
        let channel = index >> self.slices_per_channel_log2;
        let partition = &mut self.partitions[channel];
        let local = index - (channel << self.slices_per_channel_log2);
        let slice = &mut partition.slices[local];
        // A slice that sleeps has room for a packet, so that there is no refusal to count.
        if !slice.can_accept() {
            slice.count_refusal();
        } else if has_request && let Some(packet) = self.fabric.receive_request(index) {
            slice.accept(packet, now);
        }
        self.slices_asleep_until[index] = slice.step(now, memory);
        if !slice.replies.is_empty() {
            self.answering.insert(index);
        }
        if !slice.misses.is_empty() {
            partition.note_miss(local);
            self.channels_asleep_until[channel] = Cycle(0);
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
        sum.l2.reply_stall_cycles += self.reply_stall_cycles;
        sum.l2.controller_reply_stall_cycles += self.channel_stall_cycles;
        sum
    }
}
