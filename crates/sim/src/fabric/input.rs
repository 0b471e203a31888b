//! A packet in front of a crossbar; its flits are counted in [`super::ports`].

use crate::base::Packet;

/// A packet whose output has not let it in.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    pub packet: Packet,
    pub output: u16,
    pub flits: u8,
    /// Cycle of its entry.
    pub entered: u64,
}
