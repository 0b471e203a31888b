//! One way of the interconnect: the flit-level crossbar, or the one of whole packets.

use serde::{Deserialize, Serialize};

use super::counters::CrossbarCounters;
use super::crossbar::{Crossbar, CrossbarSpec};
use super::node_set::NodeSet;
use super::packet_crossbar::PacketCrossbar;
use crate::base::Packet;

/// The values of the key `interconnect.kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterconnectKind {
    /// Packets are flits, which pass one by one.
    Flits,
    /// A packet of any size passes in one cycle.
    Packets,
}

/// A crossbar of either sort.
#[derive(Clone, Debug)]
pub enum Switch {
    /// Of flits.
    Flits(Crossbar),
    /// Of whole packets.
    Packets(PacketCrossbar),
}

/// Calls the crossbar, whichever it is.
macro_rules! crossbar {
    ($switch:expr, $crossbar:ident => $call:expr) => {
        match $switch {
            Switch::Flits($crossbar) => $call,
            Switch::Packets($crossbar) => $call,
        }
    };
}

impl Switch {
    /// An idle crossbar; one of whole packets has queues of `queue_packets`.
    pub fn new(kind: InterconnectKind, spec: CrossbarSpec, queue_packets: usize) -> Self {
        match kind {
            InterconnectKind::Flits => Self::Flits(Crossbar::new(spec)),
            InterconnectKind::Packets => {
                Self::Packets(PacketCrossbar::new(spec.inputs, spec.outputs, queue_packets))
            }
        }
    }

    /// Whether a packet of `flits` fits the input's queue.
    #[inline]
    pub fn has_room(&self, input: usize, flits: usize) -> bool {
        match self {
            Self::Flits(crossbar) => crossbar.has_room(input, flits),
            Self::Packets(crossbar) => crossbar.has_room(input),
        }
    }

    /// Puts a packet into the input's queue; the node has asked [`Switch::has_room`].
    #[inline]
    pub fn send(&mut self, input: usize, output: usize, packet: Packet, flits: usize) {
        crossbar!(self, crossbar => crossbar.send(input, output, packet, flits));
    }

    /// The outputs at which a whole packet waits.
    #[inline]
    pub fn delivered(&self) -> NodeSet {
        crossbar!(self, crossbar => crossbar.delivered())
    }

    /// Takes a whole packet out.
    #[inline]
    pub fn receive(&mut self, output: usize) -> Option<Packet> {
        crossbar!(self, crossbar => crossbar.receive(output))
    }

    /// One cycle.
    #[inline]
    pub fn step(&mut self) {
        crossbar!(self, crossbar => crossbar.step());
    }

    /// Whether no packet is anywhere.
    #[inline]
    pub fn is_empty(&self) -> bool {
        crossbar!(self, crossbar => crossbar.is_empty())
    }

    /// What happened so far.
    pub fn counters(&self) -> CrossbarCounters {
        crossbar!(self, crossbar => crossbar.counters)
    }
}
