//! A cycle-level GPU: when things happen.

pub mod base;
pub mod compute;
pub mod config;
pub mod counters;
pub mod fabric;
pub mod memory_side;
pub mod partition;
