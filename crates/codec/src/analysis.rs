//! What data is like before any codec has seen it: the statistics that the papers argue with.

pub mod dbx;
pub mod plane_ones;
pub mod redundancy;
pub mod shannon;
pub mod symbol_entropy;
mod word_runs;
pub mod zero_runs;
