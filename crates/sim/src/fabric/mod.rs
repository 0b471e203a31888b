//! The interconnect: one crossbar carries requests from the SMs to the L2 slices, a second one carries replies back. Both are of
//! flits, as below, or of whole packets ([`packet_crossbar`]).
//!
//! A packet enters a node's input queue only when all of its flits fit, and a node takes it out whole; between the two
//! it is flits. See [`crossbar`] for what happens in between and when.

pub mod compressed_packets;
pub mod config;
pub mod counters;
pub mod crossbar;
mod dictionary;
mod input;
mod node_set;
mod output;
mod packet_crossbar;
mod ports;
pub mod scheme;
mod send_queue;
mod switch;

pub use crossbar::CrossbarSpec;
pub use node_set::NodeSet;
pub use send_queue::{RequestQueue, SendQueue};
pub use switch::{InterconnectKind, Switch};

use shrinkwarp_emu::memory::Memory;

use crate::base::codec_unit::packet_flits;
use crate::base::station::{Mismatch, Progress};
use crate::base::{Cycle, Packet, PointSpec, Port};
use compressed_packets::{CompressedPackets, PacketSpec};
use config::InterconnectConfig;
use counters::{CrossbarCounters, PacketCounters};
use dictionary::Sharing;
use scheme::{CompressorPlace, DictionaryKind, PacketScheme};

/// Both crossbars, with the compression point at the ends of the second if there is one.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// SMs to slices.
    requests: Switch,
    /// Slices to SMs.
    replies: Switch,
    flit_bytes: u32,
    compression: Option<Box<CompressedPackets>>,
}

impl Fabric {
    /// Idle crossbars between `sms` SMs, which ask for sectors or for blocks, and `slices` slices.
    pub fn new(
        sms: usize,
        slices: usize,
        interconnect: &InterconnectConfig,
        packets: Option<PointSpec<'_, PacketScheme>>,
        has_sectors: bool,
    ) -> Self {
        let spec = |inputs, outputs| CrossbarSpec {
            inputs,
            outputs,
            buffer_flits: interconnect.buffer_flits,
            vc_allocation_cycles: interconnect.vc_allocation_cycles,
            internal_speedup: interconnect.internal_speedup,
            input_queue_flits: interconnect.input_queue_flits,
            boundary_flits: interconnect.boundary_flits,
        };
        let switch = |spec| Switch::new(interconnect.kind, spec, interconnect.queue_packets);
        Self {
            requests: switch(spec(sms, slices)),
            replies: switch(spec(slices, sms)),
            flit_bytes: interconnect.flit_bytes,
            compression: packets.map(|PointSpec { keys, codec }| {
                let spec = PacketSpec {
                    sms,
                    slices,
                    flit_bytes: interconnect.flit_bytes,
                    approximate_cycles: keys.approximate_cycles,
                    dictionary: match keys.dictionary {
                        DictionaryKind::PerBlock => None,
                        DictionaryKind::Synchronised => Some(Sharing::PerPair),
                        DictionaryKind::PerSlice => Some(Sharing::PerSlice),
                    },
                    is_behind_queue: keys.compressor == CompressorPlace::BehindQueue,
                    has_sectors,
                };
                Box::new(CompressedPackets::new(spec, codec))
            }),
        }
    }

    /// Whether the SM's input queue has room for a whole packet with `payload_bytes` of data.
    #[inline]
    pub fn has_room_for_request(&self, sm: usize, payload_bytes: u32) -> bool {
        self.requests.has_room(sm, packet_flits(payload_bytes, self.flit_bytes) as usize)
    }

    /// For how many cycles it is known what becomes of the SMs' queues and which replies the SMs get, before the next step and
    /// after replies have been taken; 0 if not even for that one.
    pub fn known_cycles(&self, sms: usize) -> u64 {
        let (Switch::Flits(requests), Switch::Flits(replies), None) =
            (&self.requests, &self.replies, &self.compression)
        else {
            return 0;
        };
        let queues = (0..sms).map(|sm| requests.send_queue(sm).known_steps()).min().unwrap_or(0);
        queues.min(replies.steps_until_next_whole() + 1)
    }

    /// Whether it is known ahead of the next step which packets will fit the queues of the SMs behind it; each sends up to
    /// `packets`.
    pub fn are_requests_known(&self, sms: usize, packets: usize) -> bool {
        match &self.requests {
            Switch::Flits(_) => true,
            Switch::Packets(crossbar) => (0..sms).all(|sm| crossbar.room_packets(sm) >= packets),
        }
    }

    /// The SM's queue ahead of the next step.
    #[inline]
    pub fn request_queue(&self, sm: usize) -> RequestQueue {
        match &self.requests {
            Switch::Flits(crossbar) => {
                RequestQueue { queue: crossbar.send_queue(sm), flit_bytes: self.flit_bytes }
            }
            Switch::Packets(crossbar) => {
                let room = crossbar.room_packets(sm).min(i16::MAX as usize);
                RequestQueue {
                    queue: SendQueue { capacity: room as i16, ..SendQueue::default() },
                    flit_bytes: 0,
                }
            }
        }
    }

    /// The replies that an SM takes after each of the next `steps` steps, fewer than [`Fabric::known_cycles`], if it takes
    /// one whenever it can.
    pub fn for_each_arrival(&self, sm: usize, steps: u64, take: impl FnMut(u64, Packet)) {
        if let Switch::Flits(replies) = &self.replies {
            replies.for_each_arrival(sm, steps, take);
        }
    }

    /// Sends a request; the SM has asked [`Fabric::has_room_for_request`].
    pub fn send_request(&mut self, sm: usize, slice: usize, packet: Packet) {
        self.requests.send(sm, slice, packet, packet.flits(self.flit_bytes));
    }

    /// The slices at which a whole request waits.
    #[inline]
    pub fn slices_with_requests(&self) -> NodeSet {
        self.requests.delivered()
    }

    /// Takes a whole request out at its slice.
    #[inline]
    pub fn receive_request(&mut self, slice: usize) -> Option<Packet> {
        self.requests.receive(slice)
    }

    /// Sends the oldest reply of a slice to the SM that waits for it, if the input queue has room for all of it.
    #[inline]
    pub fn take_reply(
        &mut self,
        slice: usize,
        replies: &mut Port<Packet>,
        now: Cycle,
        memory: &Memory,
    ) -> Progress {
        if let Some(compression) = &mut self.compression {
            return compression.step_slice(slice, replies, &mut self.replies, now, memory);
        }
        let Some(reply) = replies.front() else { return Progress::Idle };
        let flits = reply.flits(self.flit_bytes);
        if !self.replies.has_room(slice, flits) {
            return Progress::Blocked;
        }
        if let Some(reply) = replies.pop() {
            self.replies.send(slice, usize::from(reply.sm), reply, flits);
        }
        Progress::Moved
    }

    /// For how many cycles at least the slice's input queue has no room for a reply of `flits`.
    #[inline]
    pub fn cycles_until_room_for_reply(&self, slice: usize, flits: usize) -> u64 {
        match &self.replies {
            Switch::Flits(crossbar) => crossbar.steps_until_room(slice, flits),
            Switch::Packets(_) => 0,
        }
    }

    /// Flits of a slice's oldest reply; 0 where that is known only when it has been compressed.
    #[inline]
    pub fn flits_of_reply(&self, replies: &Port<Packet>) -> u8 {
        let is_known = self.compression.is_none();
        replies.front().filter(|_| is_known).map_or(0, |reply| reply.flits(self.flit_bytes) as u8)
    }

    /// Whether the compressor of a slice holds replies.
    #[inline]
    pub fn is_compressing_for(&self, slice: usize) -> bool {
        self.compression.as_ref().is_some_and(|compression| compression.is_compressing_for(slice))
    }

    /// Takes a whole reply out at its SM.
    #[inline]
    pub fn receive_reply(&mut self, sm: usize, now: Cycle, memory: &Memory) -> Option<Packet> {
        match &mut self.compression {
            None => self.replies.receive(sm),
            Some(compression) => compression.step_sm(sm, &mut self.replies, now, memory),
        }
    }

    /// The SMs at which a whole reply waits, or is in the decompressor.
    #[inline]
    pub fn sms_with_replies(&self) -> NodeSet {
        let delivered = self.replies.delivered();
        match &self.compression {
            None => delivered,
            Some(packets) => delivered.union(&packets.busy_sms()),
        }
    }

    /// One interconnect cycle.
    pub fn step(&mut self) {
        self.requests.step();
        self.replies.step();
    }

    /// Whether no packet is anywhere.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
            && self.replies.is_empty()
            && self.compression.as_ref().is_none_or(|packets| packets.is_empty())
    }

    /// What the crossbars counted so far: requests, then replies.
    pub fn crossbar_counters(&self) -> [CrossbarCounters; 2] {
        [self.requests.counters(), self.replies.counters()]
    }

    /// What the compression point counted so far.
    pub fn compression_counters(&self) -> PacketCounters {
        self.compression.as_ref().map(|packets| packets.counters()).unwrap_or_default()
    }

    /// The first block that verification found changed.
    pub fn mismatch(&self) -> Option<Mismatch> {
        self.compression.as_ref()?.mismatch()
    }

    /// What packets wait here, one line each.
    pub fn describe_waits(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !(self.requests.is_empty() && self.replies.is_empty()) {
            lines.push("fabric: packets under way".to_owned());
        }
        lines.extend(self.compression.iter().flat_map(|packets| packets.describe_waits()));
        lines
    }
}
