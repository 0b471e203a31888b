//! A cycle-level GPU: when things happen.

pub mod base;
pub mod compute;
pub mod config;
pub mod counters;
