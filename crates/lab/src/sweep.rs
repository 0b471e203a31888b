//! Sweeps: every combination of some values, run once each, on this machine or on many.
//!
//! | file       | question it answers                                          |
//! |------------|--------------------------------------------------------------|
//! | `file`     | what does a sweep file say?                                  |
//! | `expand`   | which runs is that?                                          |
//! | `estimate` | how many are left, and how long will they take?              |
//! | `shard`    | which part of the runs is this process's?                    |
//! | `results`  | how do processes without a common store keep results?        |
//! | `slurm`    | how do the nodes of a cluster do it?                         |

mod estimate;
mod expand;
mod file;
mod results;
mod shard;
mod slurm;

pub use estimate::{Estimate, estimate};
pub use expand::expand;
pub use file::SweepFile;
pub use results::{Collected, ResultsFile, collect};
pub use shard::{Shard, Todo};
pub use slurm::Slurm;

#[cfg(test)]
mod tests;
