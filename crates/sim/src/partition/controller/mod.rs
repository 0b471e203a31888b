//! The memory controller of a channel: credits for its slices, a fixed delay, and the FR-FCFS queue in front of DRAM.
//!
//! What lies between the delay and the queue is a [`MemoryStation`]: the plain [`Bus`], [`CompressedMemory`], or a vault's end of
//! the memory links.

mod address_map;
mod bus;
mod compressed_memory;
pub mod counters;
mod credits;
pub mod dram;
mod metadata_cache;
pub mod scheme;
mod stored_blocks;

pub use address_map::{AddressMap, Location};
pub use bus::Bus;
pub use compressed_memory::{CompressedMemory, CompressionSpec};

use crate::base::station::Station;
use crate::base::{AccessKind, Cycle, DelayLine, Packet};
use credits::Credits;
use dram::Channel;
use dram::config::DramConfig;
use dram::counters::DramCounters;

/// What a station in front of DRAM lies between: the requests that have had their delay, and the channel.
#[derive(Debug)]
pub struct MemoryPorts<'a> {
    /// Requests of the slices.
    pub requests: DueRequests<'a>,
    /// DRAM, which takes requests and has answers.
    pub channel: &'a mut Channel,
}

/// The requests that have had their delay, which is counted in core cycles.
#[derive(Debug)]
pub struct DueRequests<'a> {
    delayed: &'a mut DelayLine<Packet>,
    now: Cycle,
}

impl DueRequests<'_> {
    /// The oldest.
    #[inline]
    pub fn front(&self) -> Option<&Packet> {
        self.delayed.due(self.now)
    }

    /// Takes the oldest.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        self.delayed.pop_due(self.now)
    }
}

/// A station between a controller's delay and its channel. Its time is DRAM cycles.
pub trait MemoryStation: for<'a> Station<Ports<'a> = MemoryPorts<'a>> {
    /// Whether requests pile up in front of the station, so that the controller stops taking them while the FR-FCFS queue
    /// is full.
    const WAITS_FOR_QUEUE: bool;

    /// Whether `next` passes between slices and controller in the same cycle as `packet`, which it follows.
    fn passes_with(&self, packet: &Packet, next: &Packet) -> bool {
        let _ = (packet, next);
        false
    }

    /// The oldest answer for the slices.
    fn front_answer<'a>(&'a self, channel: &'a Channel, now: Cycle) -> Option<&'a Packet>;

    /// Takes that answer.
    fn pop_answer(&mut self, channel: &mut Channel, now: Cycle) -> Option<Packet>;
}

/// A controller.
#[derive(Clone, Debug)]
pub struct Controller {
    map: AddressMap,
    credits: Credits,
    delay_cycles: u64,
    /// Requests on their way to the station in front of DRAM.
    delayed: DelayLine<Packet>,
    channel: Channel,
    /// What was accepted since the last [`Controller::take_accepted`], if that is kept.
    accepted: Option<Vec<Packet>>,
}

impl Controller {
    /// An idle controller.
    pub fn new(dram: &DramConfig, map: AddressMap) -> Self {
        let outstanding = dram.queue_requests + dram.return_queue_packets;
        Self {
            map,
            credits: Credits::new(dram.admission, dram.slices_per_channel, outstanding),
            delay_cycles: dram.delay_cycles,
            delayed: DelayLine::unbounded(outstanding + dram.slices_per_channel),
            channel: Channel::new(dram),
            accepted: None,
        }
    }

    /// Makes the channel a vault behind memory links; merging a part into a compressed block takes it `merge_cycles`.
    pub fn put_behind_links(&mut self, merge_cycles: u64) {
        self.channel.make_vault(merge_cycles);
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
        self.delayed.push(now + self.delay_cycles, packet);
    }

    /// Starts or stops keeping the requests accepted for [`Controller::take_accepted`].
    pub fn keep_accepted(&mut self, is_kept: bool) {
        self.accepted = is_kept.then(Vec::new);
    }

    /// The requests accepted since the last call.
    pub fn take_accepted(&mut self) -> impl Iterator<Item = Packet> {
        self.accepted.iter_mut().flat_map(|accepted| accepted.drain(..))
    }

    /// The oldest answer that the station has.
    pub fn front_answer<'a, S: MemoryStation>(
        &'a self,
        station: &'a S,
        dram_now: Cycle,
    ) -> Option<&'a Packet> {
        station.front_answer(&self.channel, dram_now)
    }

    /// Takes that answer, which is for `slice`.
    pub fn pop_answer<S: MemoryStation>(
        &mut self,
        station: &mut S,
        slice: usize,
        dram_now: Cycle,
    ) -> Option<Packet> {
        let answer = station.pop_answer(&mut self.channel, dram_now)?;
        self.credits.give_back(slice);
        Some(answer)
    }

    /// Whether neither a request nor an answer waits to pass the bus.
    #[inline]
    pub fn is_apart(&self, now: Cycle) -> bool {
        self.channel.front_return().is_none() && self.delayed.due(now).is_none()
    }

    /// One DRAM cycle of the channel. A write-back is not answered, so its credit comes back at once.
    #[inline]
    pub fn step_channel(&mut self, dram_now: Cycle) {
        let done = self.channel.step(dram_now);
        if let Some(writeback) = done.filter(|packet| packet.kind != AccessKind::MetadataWriteback) {
            self.credits.give_back(self.map.slice_within_channel(writeback.address));
        }
    }

    /// What the station in front of DRAM lies between; `now` in core cycles.
    pub fn ports(&mut self, now: Cycle) -> MemoryPorts<'_> {
        let requests = DueRequests { delayed: &mut self.delayed, now };
        MemoryPorts { requests, channel: &mut self.channel }
    }

    /// Until when DRAM cycles change nothing, if the station is empty; `None` if one at `now` may.
    #[inline]
    pub fn quiet_until(&self, now: Cycle) -> Option<Cycle> {
        if !self.channel.is_empty() {
            return None;
        }
        let due = self.delayed.next_due().unwrap_or(Cycle::NEVER);
        (due > now).then_some(due)
    }

    /// When something happens next without outside help.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        if !self.channel.is_empty() {
            return Some(now + 1);
        }
        self.delayed.next_due().map(|ready_at| ready_at.max(now + 1))
    }

    /// Whether no request is here.
    pub fn is_empty(&self) -> bool {
        self.channel.is_empty() && self.delayed.is_empty()
    }

    /// Everything counted so far.
    pub fn counters(&self) -> &DramCounters {
        &self.channel.counters
    }
}
