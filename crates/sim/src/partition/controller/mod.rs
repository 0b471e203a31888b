//! The memory controller of a channel: credits for its slices, a fixed delay, compression if there is any, and the FR-FCFS
//! queue in front of DRAM.

mod address_map;
mod codec_pipeline;
mod compressed_memory;
mod credits;
pub mod dram;
mod linked;
mod metadata_cache;
mod stored_blocks;

pub use address_map::{AddressMap, Location};
pub use compressed_memory::{CompressedMemory, CompressionSpec};
pub use metadata_cache::MetadataSpec;
pub use stored_blocks::Layout;

use std::collections::VecDeque;

use shrinkwarp_emu::memory::Memory;

use crate::base::{AccessKind, Cycle, Packet};
use crate::config::DramConfig;
use crate::counters::DramCounters;
use credits::Credits;
use dram::{Channel, Request};

/// A controller.
#[derive(Clone, Debug)]
pub struct Controller {
    map: AddressMap,
    credits: Credits,
    delay_cycles: u64,
    burst_bytes: usize,
    /// Requests on their way to the queue, with the cycle in which they may enter it.
    delayed: VecDeque<(Cycle, Packet)>,
    channel: Channel,
    /// Between the delay and the channel; in the way back, between the channel and the slices.
    compression: Option<Box<CompressedMemory>>,
    /// What was accepted since somebody last looked; nothing is kept unless somebody does.
    accepted: Option<Vec<Packet>>,
}

impl Controller {
    /// An idle controller.
    pub fn new(dram: &DramConfig, map: AddressMap, compression: Option<CompressionSpec>) -> Self {
        let compression = compression.map(|spec| Box::new(CompressedMemory::new(spec, map.clone())));
        let outstanding = dram.queue_requests + dram.return_queue_packets;
        Self {
            map,
            credits: Credits::new(dram.slices_per_channel, outstanding),
            delay_cycles: dram.delay_cycles,
            burst_bytes: dram.burst_bytes(),
            delayed: VecDeque::with_capacity(outstanding + dram.slices_per_channel),
            channel: Channel::new(dram),
            compression,
            accepted: None,
        }
    }

    /// Which slice, bank and row an address belongs to.
    pub fn map(&self) -> &AddressMap {
        &self.map
    }

    /// Whether the slice may hand in a request.
    pub fn has_credit(&self, slice: usize) -> bool {
        self.credits.has_credit(slice)
    }

    /// The slice that handed in the last request.
    pub fn last_served_slice(&self) -> usize {
        self.credits.last_borrower()
    }

    /// Whether the FR-FCFS queue is full.
    pub fn is_queue_full(&self) -> bool {
        self.channel.is_queue_full()
    }

    /// Takes a request of a slice that has a credit.
    pub fn accept(&mut self, packet: Packet, slice: usize, now: Cycle) {
        self.credits.borrow(slice);
        if let Some(accepted) = &mut self.accepted {
            accepted.push(packet);
        }
        self.delayed.push_back((now + self.delay_cycles, packet));
    }

    /// Starts or stops keeping the requests accepted for [`Controller::take_accepted`].
    pub fn keep_accepted(&mut self, is_kept: bool) {
        self.accepted = is_kept.then(Vec::new);
    }

    /// The requests accepted since the last call.
    pub fn take_accepted(&mut self) -> impl Iterator<Item = Packet> {
        self.accepted.iter_mut().flat_map(|accepted| accepted.drain(..))
    }

    /// The oldest request that has had its delay enters the queue.
    pub fn admit(&mut self, now: Cycle, dram_now: Cycle, memory: &Memory) {
        if self.compression.is_some() {
            return self.admit_compressed(now, dram_now, memory);
        }
        if !self.has_due(now) || self.channel.is_queue_full() {
            return;
        }
        if let Some((_, packet)) = self.delayed.pop_front() {
            let Location { bank, row } = self.map.location(packet.address);
            let bursts = usize::from(packet.bytes).div_ceil(self.burst_bytes).max(1) as u8;
            self.channel.push(Request { packet, bank, row, bursts, merge_bursts: 0 });
        }
    }

    /// One DRAM cycle of the channel. A write-back has nobody to tell, so its credit comes back at once.
    pub fn step_channel(&mut self, dram_now: Cycle, memory: &Memory) {
        let done = self.channel.step(dram_now);
        if let Some(writeback) = done.filter(|packet| packet.kind != AccessKind::MetadataWriteback) {
            self.credits.give_back(self.map.slice_within_channel(writeback.address));
        }
        if let Some(compression) = &mut self.compression {
            while let Some(packet) = self.channel.pop_return() {
                compression.take_return(packet, dram_now, memory);
            }
            compression.leave_decompressor(dram_now, memory);
        }
    }

    /// The oldest answer.
    pub fn front_return(&self) -> Option<&Packet> {
        match &self.compression {
            None => self.channel.front_return(),
            Some(compression) => compression.front_return(),
        }
    }

    /// Takes the oldest answer, which goes to `slice`.
    pub fn pop_return(&mut self, slice: usize) -> Option<Packet> {
        let packet = match &mut self.compression {
            None => self.channel.pop_return(),
            Some(compression) => compression.pop_return(),
        }?;
        self.credits.give_back(slice);
        Some(packet)
    }

    /// Whether a DRAM cycle would change nothing.
    #[inline]
    pub fn is_quiet(&self, now: Cycle) -> bool {
        self.is_working_on_nothing() && !self.has_due(now)
    }

    /// When something happens next without outside help.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        if !self.is_working_on_nothing() {
            return Some(now + 1);
        }
        self.delayed.front().map(|&(ready, _)| ready.max(now + 1))
    }

    /// Whether no request is here.
    pub fn is_empty(&self) -> bool {
        self.is_working_on_nothing() && self.delayed.is_empty()
    }

    /// The compressing part, if there is one.
    pub fn compression(&self) -> Option<&CompressedMemory> {
        self.compression.as_deref()
    }

    /// The same, to be told of what the host does.
    pub fn compression_mut(&mut self) -> Option<&mut CompressedMemory> {
        self.compression.as_deref_mut()
    }

    /// Whether some request has had its delay.
    #[inline]
    fn has_due(&self, now: Cycle) -> bool {
        self.delayed.front().is_some_and(|&(ready, _)| now >= ready)
    }

    /// Whether nothing is here but what waits for its delay.
    #[inline]
    fn is_working_on_nothing(&self) -> bool {
        self.channel.is_empty() && self.compression.as_ref().is_none_or(|compression| compression.is_empty())
    }

    /// As without compression one request enters the queue in a cycle; what the compression wants goes first.
    fn admit_compressed(&mut self, now: Cycle, dram_now: Cycle, memory: &Memory) {
        let is_due = self.has_due(now);
        let Some(compression) = &mut self.compression else { return };
        compression.leave_compressor(dram_now, memory);
        if is_due
            && !compression.has_request()
            && let Some(&(_, packet)) = self.delayed.front()
            && compression.admit(packet, dram_now, memory)
        {
            self.delayed.pop_front();
            compression.leave_compressor(dram_now, memory);
        }
        if !self.channel.is_queue_full()
            && let Some(request) = compression.pop_request()
        {
            self.channel.push(request);
        }
    }

    /// Everything counted so far.
    pub fn counters(&self) -> &DramCounters {
        &self.channel.counters
    }
}
