//! Watching what crosses the DRAM link: every block, with its bytes.

use std::fmt;

use crate::base::{Block, Packet};

/// Sees each request as its controller accepts it.
pub trait DramTap: fmt::Debug + Send {
    /// A block is about to be read or written; the bytes are those of device memory now. What lies outside allocations,
    /// as local memory does, reads as zeros.
    fn transfer(&mut self, packet: &Packet, block: &Block);
}
