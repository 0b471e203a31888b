//! An L2 slice with its queues; its lines may be compressed (`compressed_l2.rs`).
//!
//! Write-back, write-allocate with fetch or lazily; atomics are served here like reads that dirty their line. A miss answers when
//! DRAM does; a write that misses is acknowledged when DRAM has it, or at once where it only claims its sector.

mod compressed_l2;
pub mod config;
pub mod counters;
mod lines;
mod scheme;

pub use compressed_l2::CompressedL2;
pub use lines::SliceLines;
pub use scheme::L2Scheme;

use shrinkwarp_emu::memory::Memory;

use crate::base::cache_counters::AccessOutcome;
use crate::base::station::{Mismatch, Progress, Station};
use crate::base::tags::TagArray;
use crate::base::{AccessKind, Cache, Cycle, DelayLine, Packet, PointSpec, Port};
use compressed_l2::SlicePorts;
use config::L2Config;
use counters::{L2CompressionCounters, SliceCounters};

use super::controller::AddressMap;

/// A slice takes a packet from the network only when this many would fit: the reference allows for packets that are
/// split into four sectors on arrival.
const ADMISSION_MARGIN: usize = 4;

/// A slice.
#[derive(Clone, Debug)]
pub struct Slice {
    cache: Cache<SliceLines>,
    compression: Option<Box<CompressedL2>>,
    map: AddressMap,
    rop_delay_cycles: u64,
    /// Whether a write that misses fetches nothing.
    is_lazy: bool,
    /// Whether a block that came whole fills all sectors of its line.
    fills_block: bool,
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
    ///
    /// With `fills_block`, a block that came whole from memory fills all sectors of its line.
    pub fn new(
        config: &L2Config,
        point: Option<PointSpec<'_, L2Scheme>>,
        map: AddressMap,
        fills_block: bool,
    ) -> Self {
        let spec = config.cache_spec();
        let (compression, lines) = match point.map(|point| CompressedL2::with_lines(point, &spec)) {
            None => (None, SliceLines::Plain(TagArray::new(spec.sets, spec.ways))),
            Some((compression, lines)) => (Some(Box::new(compression)), SliceLines::Compressed(lines)),
        };
        Self {
            cache: Cache::with_lines(spec, lines),
            compression,
            map,
            rop_delay_cycles: config.rop_delay_cycles,
            is_lazy: spec.write_policy.is_lazy(),
            fills_block,
            rop: DelayLine::unbounded(64),
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

    /// One L2 cycle, last stage first. Returns until when further ones change nothing, if no packet arrives.
    pub fn step(&mut self, now: Cycle, memory: &Memory) -> Cycle {
        if self.asleep_until() <= now {
            self.step_compression(now, memory);
            self.respond();
            self.take_fill(now, memory);
            self.send_miss();
            self.look_up(now, memory);
            self.leave_rop(now);
        }
        self.asleep_until()
    }

    /// When something happens next without outside help.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        if !self.is_calm() || !self.replies.is_empty() || !self.misses.is_empty() {
            return Some(now + 1);
        }
        let decompressed = self.compression.as_ref().and_then(|point| point.next_event(now));
        let delayed = self.rop.next_due().map(|ready_at| ready_at.max(now + 1));
        decompressed.into_iter().chain(delayed).min()
    }

    /// Whether no packet is here.
    pub fn is_empty(&self) -> bool {
        self.is_calm()
            && self.replies.is_empty()
            && self.misses.is_empty()
            && self.rop.is_empty()
            && self.cache.is_idle()
            && self.is_point_empty()
    }

    /// Whether every access that waits for an answer has it. Lines that a write miss fetches, and dirty lines on their way
    /// to DRAM, may still be under way: a launch does not wait for them.
    pub fn is_served(&self) -> bool {
        self.unanswered == 0 && self.replies.is_empty()
    }

    /// Everything counted so far.
    pub fn counters(&self) -> SliceCounters {
        SliceCounters { cache: self.cache.counters.clone(), ..self.counters.clone() }
    }

    /// What the compression point counted so far.
    pub fn compression_counters(&self) -> L2CompressionCounters {
        self.compression.as_ref().map(|point| point.counters_with(&self.cache)).unwrap_or_default()
    }

    /// The first block that verification found changed.
    pub fn mismatch(&self) -> Option<Mismatch> {
        self.compression.as_ref()?.mismatch()
    }

    /// What it waits for, in words.
    pub fn describe_wait(&self) -> String {
        let blocks: Vec<_> =
            self.cache.blocks_awaited().map(|block| format!("{:#x}", block.first_byte())).collect();
        let (delayed, queued) = (self.rop.len(), self.requests.len());
        let at_point = self.compression.as_ref().and_then(|point| point.describe_wait());
        let at_point = at_point.map(|wait| format!(", {wait}")).unwrap_or_default();
        format!("{delayed} requests delayed, {queued} queued, waits for [{}]{at_point}", blocks.join(" "))
    }

    /// Nothing to do but wait for the delay, the network or the controller.
    #[inline]
    fn is_calm(&self) -> bool {
        self.requests.is_empty()
            && self.fills.is_empty()
            && !self.cache.has_ready()
            && self.cache.miss_front().is_none()
    }

    /// Until when steps change nothing, if no packet arrives; the time of any step before that is one in which they do.
    #[inline]
    fn asleep_until(&self) -> Cycle {
        if self.is_calm() && self.is_point_empty() {
            self.rop.next_due().unwrap_or(Cycle::NEVER)
        } else {
            Cycle(0)
        }
    }

    #[inline]
    fn is_point_empty(&self) -> bool {
        self.compression.as_ref().is_none_or(|point| point.is_empty())
    }

    /// A hit that has been decompressed is answered.
    #[inline]
    fn step_compression(&mut self, now: Cycle, memory: &Memory) {
        let Some(point) = &mut self.compression else { return };
        let ports = SlicePorts { replies: &mut self.replies, misses: &mut self.misses };
        if point.step(ports, now, memory) == Progress::Moved {
            self.count_reply();
        }
    }

    /// An access whose line has come is answered. No access waits for the fetch of a write miss.
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
    fn take_fill(&mut self, now: Cycle, memory: &Memory) {
        let Some(packet) = self.fills.front() else { return };
        if packet.is_write() {
            if self.replies.has_room()
                && let Some(packet) = self.fills.pop()
            {
                self.reply(packet);
            }
        } else if self.cache.fill_port_is_free(now)
            && let Some(packet) = self.fills.pop()
        {
            let line = self.cache.fill(&packet, now);
            if let Some(line) = line
                && self.fills_block
                && packet.brings_whole_block()
            {
                self.cache.fill_other_sectors(line);
            }
            if let (Some(line), Some(point)) = (line, &mut self.compression) {
                point.commit_fill(&mut self.cache, line, &packet, now, memory);
            }
        }
    }

    fn send_miss(&mut self) {
        if self.misses.has_room()
            && let Some(packet) = self.cache.pop_miss()
        {
            self.misses.push(packet);
        }
    }

    fn look_up(&mut self, now: Cycle, memory: &Memory) {
        let Some(packet) = self.requests.front() else { return };
        if !self.misses.has_room() || !self.replies.has_room() || !self.cache.data_port_is_free(now) {
            return;
        }
        if self.compression.as_ref().is_some_and(|point| !point.has_room()) {
            return;
        }
        let index_address = || self.map.set_index_address(packet.address);
        let access = self.cache.access_indexed(packet, index_address, now);
        if !access.outcome.is_accepted() {
            return;
        }
        let Some(packet) = self.requests.pop() else { return };
        let is_hit = access.outcome == AccessOutcome::Hit;
        // A write that has claimed its sector is done, too.
        let is_answered = is_hit || self.is_lazy && packet.is_write();
        let mut is_ready = true;
        if let (Some(line), Some(point)) = (access.line, &mut self.compression) {
            if is_hit {
                is_ready = point.hit(&mut self.cache, line, &packet, now, memory);
            } else if is_answered {
                point.commit_fill(&mut self.cache, line, &packet, now, memory);
            }
            point.collect_victims(&mut self.cache, &packet, now);
        }
        if is_answered && is_ready && !packet.kind.is_writeback() {
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
        self.count_reply();
        self.replies.push(packet.into_reply());
    }

    fn count_reply(&mut self) {
        self.counters.packets_out += 1;
        self.unanswered -= 1;
    }
}

#[cfg(test)]
mod tests;
