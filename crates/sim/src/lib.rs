//! A cycle-level GPU: when things happen.

mod base;
mod compute;
mod fabric;
mod host_view;
mod partition;
mod sampling;
mod thread_blocks;
mod ticking;

pub mod calibrate;
pub mod config;
pub mod counters;
pub mod energy;
pub mod gpu;
pub mod launch;
pub mod memory_side;
pub mod run;
pub mod scheme;
pub mod tap;
pub mod threads;
pub mod timeline;

pub use base::codec_costs::{CodecCosts, Cycles};
pub use base::own_codec;
pub use base::{AccessKind, BLOCK_BYTES, Block, Clocks, CodecUnitSpec, Cycle, Edges, Now, Packet, Point};
pub use compute::SmSpec;
pub use compute::l1::{L1Record, PhaseRecord};
pub use compute::occupancy::{Misfit, ThreadBlockNeeds, blocks_per_sm, compiled_registers};

/// Changes whenever the same configuration may give other cycles or counts, so that kept results are not mixed. A program
/// that gets another input has a revision of its own instead (`shrinkwarp_workloads::DataSet::revised`).
pub const MODEL_VERSION: u32 = 8;
