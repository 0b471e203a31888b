//! A cycle-level GPU: when things happen.

pub mod base;
pub mod blocks;
pub mod calibrate;
pub mod compute;
pub mod config;
pub mod counters;
pub mod energy;
pub mod fabric;
pub mod gpu;
pub mod launch;
pub mod link;
pub mod memory_side;
pub mod partition;
pub mod run;
pub mod sampling;
pub mod scheme;
pub mod tap;
pub mod timeline;

/// Changes whenever the same configuration may give other cycles or counts, so that kept results are not mixed.
pub const MODEL_VERSION: u32 = 6;
