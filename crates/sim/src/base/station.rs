//! The contract of a compression point: a station between ports, the same for every point.
//!
//! A station owns its codec, its queues and its counters, and knows the ports on its two sides and device memory; nothing
//! else. The machine steps it when its clock has an edge and asks the rest of the contract of all stations alike.
//!
//! | point   | station                                       | lies between                                  | clock        |
//! |---------|-----------------------------------------------|-----------------------------------------------|--------------|
//! | packets | `fabric::compressed_packets::ReplyCompressor`   | a slice's reply queue, the reply network      | interconnect |
//! | packets | `fabric::compressed_packets::ReplyDecompressor` | the reply network, an SM                      | core         |
//! | L2      | `partition::l2::CompressedL2`                 | a slice's cache core, its queues              | L2           |
//! | memory  | `controller::CompressedMemory`                | a controller's delay, its DRAM channel        | DRAM         |
//! | link    | `link::Links`                                 | the controllers' delays, their DRAM channels  | DRAM         |
//! | L1      | `compute::l1::CompressedL1`                   | an SM's load/store unit, its way to the network | core       |

use shrinkwarp_emu::memory::Memory;

use super::block::BlockAddress;
use super::point::Point;
use super::{CodecUnit, Cycle};

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Progress {
    /// There was nothing to hand on.
    Idle,
    /// Something was handed on.
    Moved,
    /// Something could have been handed on, and the next port had no room.
    Blocked,
}

/// A compression point.
pub trait Station {
    /// The ports on its sides.
    type Ports<'a>;
    /// What it counts.
    type Counters;

    /// One cycle of its clock: takes what the ports have for it and hands on what it is done with.
    fn step(&mut self, ports: Self::Ports<'_>, now: Cycle, memory: &Memory) -> Progress;

    /// When a step does something next without outside help; `None` if nothing is inside.
    fn next_event(&self, now: Cycle) -> Option<Cycle>;

    /// Whether no packet is inside.
    fn is_empty(&self) -> bool;

    /// Everything counted so far.
    fn counters(&self) -> Self::Counters;

    /// The first block that verification found changed.
    fn mismatch(&self) -> Option<Mismatch>;

    /// What it waits for, in words; `None` if it is empty.
    fn describe_wait(&self) -> Option<String>;
}

/// A block that is not what it should be, caught by verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where the codec is.
    pub point: Point,
    /// The codec as its spec is written.
    pub codec: String,
    /// The first such block.
    pub block: BlockAddress,
    /// What went wrong.
    pub cause: Cause,
}

/// What verification found wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It came back from the codec changed: the codec is not lossless.
    Codec,
    /// The host has changed it, and what is stored is what it was before.
    HostWrite,
}

impl Mismatch {
    /// What the verification of a unit at `point` found.
    pub fn of(point: Point, unit: &CodecUnit) -> Option<Self> {
        unit.mismatch().map(|block| Self { point, codec: unit.name().to_owned(), block, cause: Cause::Codec })
    }
}
