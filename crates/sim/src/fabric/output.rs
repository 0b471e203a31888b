//! The output side of a crossbar port: the way out of the router, the ejection buffer and the boundary buffer, from
//! which the node takes whole packets.

use std::collections::VecDeque;

use super::node_set::NodeSet;
use crate::base::Packet;

/// Where a flit that won the switch stands: it is in the ejection buffer three cycles later.
const SWITCH_ENTRY: u8 = 1 << 3;
/// Where a freed place of the ejection buffer stands: the router may use it two cycles later.
const CREDIT_ENTRY: u8 = 1 << 2;

/// A packet of which at least one flit has won the switch.
#[derive(Clone, Copy, Debug)]
struct Arriving {
    packet: Packet,
    flits: u8,
    missing_flits: u8,
    entered: u64,
}

/// One output.
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
    crossing: u8,
    returning: u8,
    ejected_flits: usize,
    boundary_flits: usize,
    packets: VecDeque<Arriving>,
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
            crossing: 0,
            returning: 0,
            ejected_flits: 0,
            boundary_flits: 0,
            packets: VecDeque::with_capacity(buffer_flits + boundary_flits + 4),
            whole: 0,
        }
    }

    /// Moves what is on its way by one cycle. Returns when the packet that became whole had entered.
    #[inline]
    pub fn advance(&mut self, boundary_capacity: usize) -> Option<u64> {
        self.returning >>= 1;
        self.taken_places -= usize::from(self.returning & 1);
        self.crossing >>= 1;
        self.ejected_flits += usize::from(self.crossing & 1);
        if self.ejected_flits == 0 || self.boundary_flits >= boundary_capacity {
            return None;
        }
        self.ejected_flits -= 1;
        self.boundary_flits += 1;
        self.returning |= CREDIT_ENTRY;
        let arriving = self.packets.get_mut(self.whole)?;
        arriving.missing_flits -= 1;
        if arriving.missing_flits > 0 {
            return None;
        }
        self.whole += 1;
        Some(arriving.entered)
    }

    /// Whether [`Output::advance`] would do nothing until the node takes a packet.
    #[inline]
    pub fn is_still(&self, boundary_capacity: usize) -> bool {
        (self.crossing | self.returning) & !1 == 0
            && (self.ejected_flits == 0 || self.boundary_flits >= boundary_capacity)
    }

    /// A packet's first flit has won the switch.
    pub fn expect_packet(&mut self, packet: Packet, flits: u8, entered: u64) {
        self.packets.push_back(Arriving { packet, flits, missing_flits: flits, entered });
    }

    /// A flit has won the switch.
    #[inline]
    pub fn accept_flit(&mut self) {
        self.taken_places += 1;
        self.crossing |= SWITCH_ENTRY;
    }

    #[inline]
    pub fn has_packet(&self) -> bool {
        self.whole > 0
    }

    /// Takes a whole packet.
    pub fn take_packet(&mut self) -> Option<Packet> {
        if self.whole == 0 {
            return None;
        }
        let taken = self.packets.pop_front()?;
        self.whole -= 1;
        self.boundary_flits -= usize::from(taken.flits);
        Some(taken.packet)
    }

    /// Whether nothing is here or on its way here.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}
