//! The memory controller of a channel: credits for its slices, a fixed delay, and the FR-FCFS queue in front of DRAM.

mod address_map;
mod credits;
pub mod dram;

pub use address_map::{AddressMap, Location};

use std::collections::VecDeque;

use crate::base::{Cycle, Packet};
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
    /// What was accepted since somebody last looked; nothing is kept unless somebody does.
    accepted: Option<Vec<Packet>>,
}

impl Controller {
    /// An idle controller.
    pub fn new(dram: &DramConfig, map: AddressMap) -> Self {
        let outstanding = dram.queue_requests + dram.return_queue_packets;
        Self {
            map,
            credits: Credits::new(dram.slices_per_channel, outstanding),
            delay_cycles: dram.delay_cycles,
            burst_bytes: dram.burst_bytes(),
            delayed: VecDeque::with_capacity(outstanding + dram.slices_per_channel),
            channel: Channel::new(dram),
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
    pub fn admit(&mut self, now: Cycle) {
        let is_due = self.delayed.front().is_some_and(|&(ready, _)| now >= ready);
        if !is_due || self.channel.is_queue_full() {
            return;
        }
        if let Some((_, packet)) = self.delayed.pop_front() {
            let Location { bank, row } = self.map.location(packet.address);
            let bursts = usize::from(packet.bytes).div_ceil(self.burst_bytes).max(1) as u8;
            self.channel.push(Request { packet, bank, row, bursts });
        }
    }

    /// One DRAM cycle of the channel. A write-back has nobody to tell, so its credit comes back at once.
    pub fn step_channel(&mut self, dram_now: Cycle) {
        if let Some(writeback) = self.channel.step(dram_now) {
            self.credits.give_back(self.map.slice_within_channel(writeback.address));
        }
    }

    /// The oldest answer.
    pub fn front_return(&self) -> Option<&Packet> {
        self.channel.front_return()
    }

    /// Takes the oldest answer, which goes to `slice`.
    pub fn pop_return(&mut self, slice: usize) -> Option<Packet> {
        let packet = self.channel.pop_return()?;
        self.credits.give_back(slice);
        Some(packet)
    }

    /// Whether a DRAM cycle would change nothing.
    #[inline]
    pub fn is_quiet(&self, now: Cycle) -> bool {
        self.channel.is_empty() && self.delayed.front().is_none_or(|&(ready, _)| now < ready)
    }

    /// When something happens next without outside help.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        if !self.channel.is_empty() {
            return Some(now + 1);
        }
        self.delayed.front().map(|&(ready, _)| ready.max(now + 1))
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
