//! A packet in a crossbar; its flits are counted in [`super::ports`].

use crate::base::Packet;

/// A packet with what the crossbar wants to know of it.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    pub packet: Packet,
    pub output: u16,
    pub flits: u8,
    /// Cycle of its entry.
    pub entered: u64,
}
