//! The SM's door to the network.

use crate::base::tags::LineStore;
use crate::base::{Cache, Packet};

/// Where requests leave the SM.
pub trait Outlet {
    /// Whether a packet with `payload_bytes` of data can be sent now.
    fn has_room(&self, payload_bytes: u32) -> bool;

    /// Sends it; the caller has asked [`Outlet::has_room`].
    fn send(&mut self, packet: Packet);

    /// Sends the first miss of a cache, if there is one and room. Returns whether it did.
    #[inline]
    fn forward<L: LineStore>(&mut self, cache: &mut Cache<L>) -> bool {
        let Some(packet) = cache.miss_front() else { return false };
        if !self.has_room(packet.payload_bytes()) {
            return false;
        }
        if let Some(packet) = cache.pop_miss() {
            self.send(packet);
        }
        true
    }
}
