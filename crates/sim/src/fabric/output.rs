//! The packets at an output of a crossbar, from which the node takes whole ones; their flits are counted in [`super::ports`].

use super::input::Queued;
use super::node_set::NodeSet;
use crate::base::{Packet, Ring};

/// One output.
#[derive(Clone, Debug)]
pub struct Output {
    /// Inputs whose packets ask for it.
    pub requests: NodeSet,
    /// The input that the next choice begins with.
    pub grant_pointer: usize,
    /// Packets that it has let in.
    packets: Ring<Queued>,
    /// How many of `packets` have arrived whole.
    whole: usize,
}

impl Output {
    /// With room for packets of `flits` in all.
    pub fn new(flits: usize) -> Self {
        Self { requests: NodeSet::default(), grant_pointer: 0, packets: Ring::new(flits + 4), whole: 0 }
    }

    /// The output lets a packet in. Returns whether all packets before it are whole.
    #[inline]
    pub fn expect_packet(&mut self, packet: Queued) -> bool {
        self.packets.push(packet);
        self.packets.len() == self.whole + 1
    }

    /// The oldest packet that was not whole is. Returns when it had entered, and the flits of the one behind it, if the output has let
    /// one in.
    #[inline]
    pub fn finish_packet(&mut self) -> (u64, u8) {
        let entered = self.packets.get(self.whole).map_or(0, |arriving| arriving.entered);
        self.whole += 1;
        (entered, self.packets.get(self.whole).map_or(0, |arriving| arriving.flits))
    }

    /// Whether the output has let no packet in.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// How many packets have arrived whole.
    pub fn whole(&self) -> usize {
        self.whole
    }

    /// The packet behind `index` older ones, with its flits.
    pub fn get(&self, index: usize) -> Option<(Packet, u8)> {
        self.packets.get(index).map(|arriving| (arriving.packet, arriving.flits))
    }

    #[inline]
    pub fn has_packet(&self) -> bool {
        self.whole > 0
    }

    /// Takes a whole packet, with its flits.
    #[inline]
    pub fn take_packet(&mut self) -> Option<(Packet, u8)> {
        if self.whole == 0 {
            return None;
        }
        let taken = self.packets.front().map(|taken| (taken.packet, taken.flits));
        self.packets.drop_front();
        self.whole -= 1;
        taken
    }
}
