//! An L2 slice with its queues.
//!
//! Write-back, write-allocate with fetch; atomics are served here like reads that dirty their line. A miss answers when DRAM
//! does; a write that misses is acknowledged when DRAM has it.

use crate::base::{AccessKind, Cache, Cycle, DelayLine, Packet, Port};
use crate::config::L2Config;
use crate::counters::{Outcome, SliceCounters};

use super::controller::AddressMap;

/// A slice takes a packet from the network only when this many would fit: the reference allows for packets that are
/// split into four sectors on arrival.
const ADMISSION_MARGIN: usize = 4;

/// A slice.
#[derive(Clone, Debug)]
pub struct Slice {
    cache: Cache,
    map: AddressMap,
    rop_delay_cycles: u64,
    /// Requests on their way from the network to the queue.
    rop: DelayLine<Packet>,
    requests: Port<Packet>,
    /// Answers for the network.
    pub replies: Port<Packet>,
    /// Requests for the controller.
    pub misses: Port<Packet>,
    /// Answers of the controller.
    pub fills: Port<Packet>,
    /// Requests that an SM waits for and that have not been answered.
    unanswered: usize,
    counters: SliceCounters,
}

impl Slice {
    /// An empty slice.
    pub fn new(config: &L2Config, map: AddressMap) -> Self {
        Self {
            cache: Cache::new(config.cache_spec()),
            map,
            rop_delay_cycles: config.rop_delay_cycles,
            rop: DelayLine::unbounded(512),
            requests: Port::new(config.request_queue_packets),
            replies: Port::new(config.reply_queue_packets),
            misses: Port::new(config.miss_queue_packets),
            fills: Port::new(config.fill_queue_packets),
            unanswered: 0,
            counters: SliceCounters::default(),
        }
    }

    /// Whether the slice takes a packet from the network.
    #[inline]
    pub fn can_accept(&self) -> bool {
        self.requests.has_room_for(ADMISSION_MARGIN)
    }

    /// Takes a packet from the network. Texture fetches do not pass the raster operations unit.
    pub fn accept(&mut self, packet: Packet, now: Cycle) {
        self.counters.packets_in += 1;
        self.unanswered += usize::from(!packet.kind.is_writeback());
        self.counters.request_latency_cycles += now - packet.born;
        if packet.kind == AccessKind::TextureRead {
            self.requests.push(packet);
        } else {
            self.rop.push(now + self.rop_delay_cycles, packet);
        }
    }

    /// Counts a cycle in which the slice would have taken no packet.
    pub fn count_refusal(&mut self) {
        self.counters.admission_refused_cycles += 1;
    }

    /// Counts a cycle in which the network had no room for the reply at the head.
    pub fn count_reply_stall(&mut self) {
        self.counters.reply_stall_cycles += 1;
    }

    /// One L2 cycle, last stage first.
    pub fn step(&mut self, now: Cycle) {
        if self.is_asleep(now) {
            return;
        }
        self.respond();
        self.take_fill(now);
        self.send_miss();
        self.look_up(now);
        self.leave_rop(now);
    }

    /// When something happens next without outside help.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        if !self.is_calm() || !self.replies.is_empty() || !self.misses.is_empty() {
            return Some(now + 1);
        }
        self.rop.next_due().map(|ready_at| ready_at.max(now + 1))
    }

    /// Whether no packet is here.
    pub fn is_empty(&self) -> bool {
        self.is_calm()
            && self.replies.is_empty()
            && self.misses.is_empty()
            && self.rop.is_empty()
            && self.cache.is_idle()
    }

    /// Whether everybody who waits for an answer has got it. Lines that a write miss fetches, and dirty lines on their way
    /// to DRAM, may still be under way: a launch does not wait for them.
    pub fn is_served(&self) -> bool {
        self.unanswered == 0 && self.replies.is_empty()
    }

    /// Everything counted so far.
    pub fn counters(&self) -> SliceCounters {
        SliceCounters { cache: self.cache.counters.clone(), ..self.counters.clone() }
    }

    /// What it waits for, in words.
    pub fn describe_wait(&self) -> String {
        let blocks: Vec<_> = self.cache.blocks_awaited().map(|block| format!("{block:#x}")).collect();
        let (delayed, queued) = (self.rop.len(), self.requests.len());
        format!("{delayed} requests delayed, {queued} queued, waits for [{}]", blocks.join(" "))
    }

    /// Nothing to do but wait for the delay, the network or the controller.
    #[inline]
    fn is_calm(&self) -> bool {
        self.requests.is_empty()
            && self.fills.is_empty()
            && !self.cache.has_ready()
            && self.cache.miss_front().is_none()
    }

    #[inline]
    fn is_asleep(&self, now: Cycle) -> bool {
        self.is_calm() && self.rop.due(now).is_none()
    }

    /// An access whose line has come is answered. The fetch of a write miss has nobody who waits for it.
    fn respond(&mut self) {
        if !self.cache.has_ready() || !self.replies.has_room() {
            return;
        }
        if let Some(packet) = self.cache.pop_ready()
            && packet.kind != AccessKind::L2WriteAllocateRead
        {
            self.reply(packet);
        }
    }

    /// A line from DRAM goes into the cache, the acknowledgement of a write to the network.
    fn take_fill(&mut self, now: Cycle) {
        let Some(&packet) = self.fills.front() else { return };
        if packet.is_write() {
            if self.replies.has_room() {
                self.fills.pop();
                self.reply(packet);
            }
        } else if self.cache.fill_port_is_free(now) {
            self.fills.pop();
            self.cache.fill(&packet, now);
        }
    }

    fn send_miss(&mut self) {
        if self.misses.has_room()
            && let Some(packet) = self.cache.pop_miss()
        {
            self.misses.push(packet);
        }
    }

    fn look_up(&mut self, now: Cycle) {
        let Some(&packet) = self.requests.front() else { return };
        if !self.misses.has_room() || !self.replies.has_room() || !self.cache.data_port_is_free(now) {
            return;
        }
        let index_address = self.map.set_index_address(packet.address);
        let access = self.cache.access_indexed(packet, index_address, now);
        if !access.outcome.is_accepted() {
            return;
        }
        self.requests.pop();
        let is_answered_here = access.outcome == Outcome::Hit && !packet.kind.is_writeback();
        if is_answered_here {
            self.reply(packet);
        }
    }

    fn leave_rop(&mut self, now: Cycle) {
        if self.requests.has_room()
            && let Some(packet) = self.rop.pop_due(now)
        {
            self.requests.push(packet);
        }
    }

    fn reply(&mut self, packet: Packet) {
        self.counters.packets_out += 1;
        self.unanswered -= 1;
        self.replies.push(packet.into_reply());
    }
}

#[cfg(test)]
mod tests;
