//! A cycle-level GPU: when things happen.

pub mod base;
pub mod counters;
