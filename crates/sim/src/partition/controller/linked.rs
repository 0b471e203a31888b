//! A controller whose channel is a vault behind the memory links: both its halves, each at its end of the links.
//!
//! ```text
//! slices ─ credits ─ delay ─ [front half] ═ links ═ [back half] ─ vault
//! ```
//!
//! The front half gives requests to the links when they have had their delay and takes answers from them; the back half takes
//! requests from the links into the vault's queue and gives them its answers. How long a block is, the packet says.

use super::dram::Request;
use super::{Controller, Location};
use crate::base::{Cycle, Packet};

impl Controller {
    /// Makes the channel a vault; merging a part into a compressed block takes it `merge_cycles`.
    pub fn put_behind_links(&mut self, merge_cycles: u64) {
        self.channel.make_vault(merge_cycles);
    }

    /// Front half: the oldest request, if it has had its delay.
    pub fn front_due(&self, now: Cycle) -> Option<&Packet> {
        self.delayed.front().filter(|(ready, _)| now >= *ready).map(|(_, packet)| packet)
    }

    /// Front half: takes that request.
    pub fn pop_due(&mut self) -> Option<Packet> {
        self.delayed.pop_front().map(|(_, packet)| packet)
    }

    /// Front half: the answer to a request of `slice` has come.
    pub fn complete(&mut self, slice: usize) {
        self.credits.give_back(slice);
    }

    /// Back half: a request enters the vault's queue. One that `is_merged` reads its block first.
    pub fn push_linked(&mut self, packet: Packet, is_merged: bool) {
        let Location { bank, row } = self.map.location(packet.address);
        let burst_bits = 8 * self.burst_bytes;
        let bursts = usize::from(packet.stored_bits).div_ceil(burst_bits).max(1) as u8;
        let merge_bursts = if is_merged { bursts } else { 0 };
        self.channel.push(Request { packet, bank, row, bursts, merge_bursts });
    }

    /// Back half: takes the vault's oldest answer.
    pub fn pop_linked(&mut self) -> Option<Packet> {
        self.channel.pop_return()
    }
}
