//! The interconnect: one crossbar carries requests from the SMs to the L2 slices, a second one carries replies back.
//!
//! A packet enters a node's input queue only when all of its flits fit, and a node takes it out whole; between the two
//! it is flits. See [`crossbar`] for what happens in between and when.

pub mod compressed_packets;
pub mod crossbar;
mod dictionary;
mod input;
mod node_set;
mod output;

pub use crossbar::{Crossbar, CrossbarSpec};

use crate::base::Packet;
use crate::config::GpuSpec;

/// Both crossbars.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// SMs to slices.
    pub requests: Crossbar,
    /// Slices to SMs.
    pub replies: Crossbar,
    flit_bytes: u32,
}

impl Fabric {
    /// Idle crossbars for as many SMs and slices as the GPU has.
    pub fn new(gpu: &GpuSpec) -> Self {
        let interconnect = &gpu.interconnect;
        let spec = |inputs, outputs| CrossbarSpec {
            inputs,
            outputs,
            buffer_flits: interconnect.buffer_flits,
            input_queue_flits: interconnect.input_queue_flits,
            boundary_flits: interconnect.boundary_flits,
        };
        Self {
            requests: Crossbar::new(spec(gpu.sm.count, gpu.slices())),
            replies: Crossbar::new(spec(gpu.slices(), gpu.sm.count)),
            flit_bytes: interconnect.flit_bytes,
        }
    }

    /// Flits of the packet in its current direction.
    #[inline]
    pub fn flits_of(&self, packet: &Packet) -> usize {
        packet.wire_bytes().div_ceil(self.flit_bytes) as usize
    }

    /// Whether the SM's input queue has room for the whole packet.
    #[inline]
    pub fn can_send_request(&self, sm: usize, packet: &Packet) -> bool {
        self.requests.has_room(sm, self.flits_of(packet))
    }

    /// Sends a request; the SM has asked [`Fabric::can_send_request`].
    pub fn send_request(&mut self, sm: usize, slice: usize, packet: Packet) {
        let flits = self.flits_of(&packet);
        self.requests.send(sm, slice, packet, flits);
    }

    /// Takes a whole request out at its slice.
    #[inline]
    pub fn receive_request(&mut self, slice: usize) -> Option<Packet> {
        self.requests.receive(slice)
    }

    /// Whether the slice's input queue has room for the whole packet.
    #[inline]
    pub fn can_send_reply(&self, slice: usize, packet: &Packet) -> bool {
        self.replies.has_room(slice, self.flits_of(packet))
    }

    /// Sends a reply to the SM that waits for it; the slice has asked [`Fabric::can_send_reply`].
    pub fn send_reply(&mut self, slice: usize, packet: Packet) {
        let flits = self.flits_of(&packet);
        self.replies.send(slice, usize::from(packet.sm), packet, flits);
    }

    /// Takes a whole reply out at its SM.
    #[inline]
    pub fn receive_reply(&mut self, sm: usize) -> Option<Packet> {
        self.replies.receive(sm)
    }

    /// Whether a whole reply waits at the SM.
    #[inline]
    pub fn has_reply(&self, sm: usize) -> bool {
        self.replies.has_packet(sm)
    }

    /// One interconnect cycle.
    pub fn step(&mut self) {
        self.requests.step();
        self.replies.step();
    }

    /// Whether a cycle would change nothing: no flit is under way, though whole packets may wait to be taken out.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.requests.is_quiet() && self.replies.is_quiet()
    }

    /// Whether no packet is anywhere.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.replies.is_empty()
    }
}
