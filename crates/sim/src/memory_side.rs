//! Everything behind the SMs' network ports: both crossbars and all memory partitions, connected.
//!
//! The machine calls the steps of a tick in the order of [`crate::base::clock`]: [`MemorySide::send_replies`] with an
//! interconnect edge, [`MemorySide::step_dram`] with a DRAM edge, [`MemorySide::step_l2`] with an L2 edge,
//! [`MemorySide::step_network`] with an interconnect edge. Times are core cycles unless they say otherwise.

mod linked;

use std::sync::Arc;

use shrinkwarp_codec::BlockCodec;
use shrinkwarp_emu::memory::Memory;

use crate::base::codec_costs::Point;
use crate::base::{BLOCK_BYTES, Cycle, Packet};
use crate::config::GpuSpec;
use crate::config::scheme::DictionaryKind;
use crate::counters::{CompressionCounters, MemoryCompressionCounters, MemoryCounters};
use crate::fabric::Fabric;
use crate::fabric::compressed_packets::{CompressedPackets, PacketSpec};
use crate::link::Links;
use crate::partition::Partition;
use crate::partition::controller::{AddressMap, CompressedMemory, CompressionSpec};
use crate::partition::l2::Slice;
use crate::run::Mismatch;
use crate::scheme::Scheme;

/// Fabric and partitions.
#[derive(Clone, Debug)]
pub struct MemorySide {
    /// Both crossbars.
    pub fabric: Fabric,
    /// One for each channel.
    pub partitions: Vec<Partition>,
    /// Compressors and decompressors of read replies, if there are any.
    packets: Option<CompressedPackets>,
    /// What connects the controllers to memory, if that is not a bus of their own.
    links: Option<Links>,
    map: AddressMap,
    slices_per_channel: usize,
}

impl MemorySide {
    /// An idle memory side with empty caches.
    pub fn new(gpu: &GpuSpec, scheme: &Scheme) -> Self {
        let packet_spec = PacketSpec {
            sms: gpu.sm.count,
            slices: gpu.slices(),
            flit_bytes: gpu.interconnect.flit_bytes,
            approximate_cycles: scheme.spec.packets.approximate_cycles,
            is_dictionary_synchronised: scheme.spec.packets.dictionary == DictionaryKind::Synchronised,
        };
        let links = Links::new(gpu, scheme);
        let mut partitions: Vec<_> = (0..gpu.dram.channels)
            .map(|_| Partition::new(gpu, CompressionSpec::of(scheme, &gpu.dram)))
            .collect();
        if let Some(links) = &links {
            for partition in &mut partitions {
                partition.controller.put_behind_links(links.merge_cycles());
            }
        }
        Self {
            fabric: Fabric::new(gpu),
            partitions,
            links,
            packets: scheme.packets.clone().map(|codec| CompressedPackets::new(packet_spec, codec)),
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
    pub fn receive_reply(&mut self, sm: usize, now: Cycle) -> Option<Packet> {
        let Some(packets) = &mut self.packets else { return self.fabric.receive_reply(sm) };
        if packets.has_room(sm)
            && let Some(packet) = self.fabric.receive_reply(sm)
        {
            packets.arrive(sm, packet, now);
        }
        packets.leave(sm, now)
    }

    /// Whether a reply waits at the SM, or will.
    #[inline]
    pub fn has_reply(&self, sm: usize) -> bool {
        self.fabric.has_reply(sm) || self.packets.as_ref().is_some_and(|packets| !packets.is_sm_empty(sm))
    }

    /// Interconnect edge, first half: each slice hands its oldest reply to the network if that has room for all of it.
    pub fn send_replies(&mut self, now: Cycle, memory: &Memory) {
        let slices = self.partitions.iter_mut().flat_map(|partition| &mut partition.slices);
        for (index, slice) in slices.enumerate() {
            if let Some(packets) = &mut self.packets {
                packets.compress(index, &mut slice.replies, now, memory);
                if let Some(control) = packets.control(index) {
                    if !self.fabric.can_send_reply(index, control) {
                        slice.count_reply_stall();
                    } else if let Some(control) = packets.take_control(index) {
                        self.fabric.send_reply(index, control);
                    }
                    continue;
                }
                if !packets.is_ready(index, now) {
                    continue;
                }
            }
            let Some(reply) = slice.replies.front() else { continue };
            if !self.fabric.can_send_reply(index, reply) {
                slice.count_reply_stall();
                continue;
            }
            if let Some(reply) = slice.replies.pop() {
                self.fabric.send_reply(index, reply);
                self.packets.iter_mut().for_each(|packets| packets.note_sent(index));
            }
        }
    }

    /// DRAM edge: `dram_now` counts DRAM cycles.
    pub fn step_dram(&mut self, now: Cycle, dram_now: Cycle, memory: &Memory) {
        if self.links.is_some() {
            self.step_linked(now, dram_now, memory);
            return;
        }
        for partition in &mut self.partitions {
            if !partition.is_dram_quiet(now) {
                partition.step_dram(now, dram_now, memory);
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
        if !self.is_network_empty() || !self.is_link_empty() {
            return Some(now + 1);
        }
        self.partitions.iter().filter_map(|partition| partition.next_event(now)).min()
    }

    /// Whether no packet is anywhere.
    pub fn is_empty(&self) -> bool {
        self.is_network_empty() && self.is_link_empty() && self.partitions.iter().all(Partition::is_empty)
    }

    /// Whether nothing is between the controllers and memory; nothing ever is without links.
    pub fn is_link_empty(&self) -> bool {
        self.links.as_ref().is_none_or(Links::is_empty)
    }

    /// Whether everybody who waits for an answer has got it.
    pub fn is_served(&self) -> bool {
        let slices = self.partitions.iter().flat_map(|partition| &partition.slices);
        self.is_network_empty() && slices.into_iter().all(Slice::is_served)
    }

    fn is_network_empty(&self) -> bool {
        self.fabric.is_empty() && self.packets.as_ref().is_none_or(CompressedPackets::is_empty)
    }

    /// What the compression points counted so far.
    pub fn compression_counters(&self) -> CompressionCounters {
        CompressionCounters {
            packets: self.packets.as_ref().map(CompressedPackets::counters).unwrap_or_default(),
            memory: self.compressed_memories().fold(
                MemoryCompressionCounters::default(),
                |mut sum, memory| {
                    sum += &memory.counters();
                    sum
                },
            ),
            link: self.links.as_ref().map(Links::counters).unwrap_or_default(),
            ..CompressionCounters::default()
        }
    }

    /// The first block that a codec changed, if verification found one.
    pub fn mismatch(&self) -> Option<Mismatch> {
        let in_packets = self.packets.as_ref().and_then(CompressedPackets::mismatch);
        let in_memory = self.compressed_memories().find_map(CompressedMemory::mismatch);
        let on_links = self.links.as_ref().and_then(Links::mismatch);
        let found = [(Point::Packets, in_packets), (Point::Memory, in_memory), (Point::Link, on_links)];
        found.into_iter().find_map(|(point, mismatch)| {
            let (codec, address) = mismatch?;
            Some(Mismatch { point: point.name(), codec: codec.to_owned(), address })
        })
    }

    /// The host has written `bytes` at `address`: controllers that compress do so at once.
    pub fn store_from_host(&mut self, address: u64, bytes: u64, memory: &Memory) {
        self.for_each_compressed(address, bytes, |compression, block| {
            compression.store_from_host(block, memory);
        });
    }

    /// `bytes` at `address` have been allocated, and are zero.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        self.for_each_compressed(address, bytes, CompressedMemory::clear);
    }

    /// Shows each block of `bytes` at `address` to the controller that stores it, if they compress.
    fn for_each_compressed(
        &mut self,
        address: u64,
        bytes: u64,
        mut show: impl FnMut(&mut CompressedMemory, u64),
    ) {
        if bytes == 0 || self.compressed_memories().next().is_none() {
            return;
        }
        let block_bytes = BLOCK_BYTES as u64;
        let first = address / block_bytes * block_bytes;
        for block in (first..address + bytes).step_by(BLOCK_BYTES) {
            let channel = self.map.channel(block);
            if let Some(compression) = self.partitions[channel].controller.compression_mut() {
                show(compression, block);
            }
        }
    }

    /// The controllers' codec is trained: they compress from now on.
    pub fn finish_sampling(&mut self, codec: &Arc<dyn BlockCodec>) {
        for partition in &mut self.partitions {
            if let Some(compression) = partition.controller.compression_mut() {
                compression.finish_sampling(codec);
            }
        }
    }

    /// Takes over what lies in memory from another memory side of the same machine.
    pub fn inherit_memory(&mut self, other: &Self) {
        for (mine, others) in self.partitions.iter_mut().zip(&other.partitions) {
            let pair = (mine.controller.compression_mut(), others.controller.compression());
            if let (Some(mine), Some(others)) = pair {
                mine.inherit_blocks(others);
            }
        }
    }

    /// The compressing parts of the controllers, if they have any.
    fn compressed_memories(&self) -> impl Iterator<Item = &CompressedMemory> {
        self.partitions.iter().filter_map(|partition| partition.controller.compression())
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
