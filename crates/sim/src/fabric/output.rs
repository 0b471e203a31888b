//! The output side of a crossbar port: the way out of the router, the ejection buffer and the boundary buffer, from
//! which the node takes whole packets.

use super::node_set::NodeSet;
use crate::base::{Packet, Ring};

/// A packet of which at least one flit has won the switch.
#[derive(Clone, Copy, Debug)]
struct Arriving {
    packet: Packet,
    flits: u8,
    missing_flits: u8,
    entered: u64,
}

/// One output. Flits behind the switch, and places on their way back to the router, are in the crossbar's calendars.
#[derive(Clone, Debug)]
pub struct Output {
    /// The input whose packet holds the output.
    pub owner: Option<u16>,
    /// Inputs whose packets ask for it.
    pub requests: NodeSet,
    /// The input that the next choice begins with.
    pub grant_pointer: usize,
    /// Places of the ejection buffer that are taken or promised.
    pub taken_places: usize,
    /// Flits in the ejection buffer.
    pub ejected_flits: usize,
    boundary_flits: usize,
    packets: Ring<Arriving>,
    /// How many of `packets` have arrived whole.
    whole: usize,
}

impl Output {
    pub fn new(buffer_flits: usize, boundary_flits: usize) -> Self {
        Self {
            owner: None,
            requests: NodeSet::default(),
            grant_pointer: 0,
            taken_places: 0,
            ejected_flits: 0,
            boundary_flits: 0,
            packets: Ring::new(buffer_flits + boundary_flits + 4),
            whole: 0,
        }
    }

    /// Whether a flit of the ejection buffer can move on to the boundary buffer.
    #[inline]
    pub fn can_eject(&self, boundary_capacity: usize) -> bool {
        self.ejected_flits > 0 && self.boundary_flits < boundary_capacity
    }

    /// Moves a flit from the ejection buffer to the boundary buffer. Returns when the packet that became whole had entered.
    #[inline]
    pub fn eject_flit(&mut self) -> Option<u64> {
        self.ejected_flits -= 1;
        self.boundary_flits += 1;
        let arriving = self.packets.get_mut(self.whole)?;
        arriving.missing_flits -= 1;
        if arriving.missing_flits > 0 {
            return None;
        }
        self.whole += 1;
        Some(arriving.entered)
    }

    /// A packet's first flit has won the switch.
    #[inline]
    pub fn expect_packet(&mut self, packet: Packet, flits: u8, entered: u64) {
        self.packets.push(Arriving { packet, flits, missing_flits: flits, entered });
    }

    #[inline]
    pub fn has_packet(&self) -> bool {
        self.whole > 0
    }

    /// Takes a whole packet.
    #[inline]
    pub fn take_packet(&mut self) -> Option<Packet> {
        if self.whole == 0 {
            return None;
        }
        let taken = self.packets.pop()?;
        self.whole -= 1;
        self.boundary_flits -= usize::from(taken.flits);
        Some(taken.packet)
    }
}
