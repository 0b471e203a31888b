//! Station 1, the SM: schedulers, scoreboard, operand collectors, execution units, load/store unit and L1 caches.
//!
//! | file                | question it answers                                                     |
//! |---------------------|-------------------------------------------------------------------------|
//! | [`sm`]              | what happens in a cycle, and when does the SM sleep?                    |
//! | [`fetch`]           | which warp gets instructions next, and which has left?                  |
//! | [`scheduler`]       | which warp issues?                                                      |
//! | [`issue`]           | what happens to the instruction that does?                              |
//! | [`scoreboard`]      | which registers wait for their value?                                   |
//! | [`collectors`]      | when are the operands read?                                             |
//! | [`units`]           | when is an arithmetic result written back?                              |
//! | [`load_store`]      | what happens to a memory instruction?                                   |
//! | `async_copies`      | who waits for asynchronous copies?                                      |
//! | [`l1`]              | what does the data cache hold, and in which form?                       |
//! | [`coalescer`], [`shared_banks`] | which accesses does a warp make, how do banks conflict?     |
//! | [`occupancy`], [`residents`] | how many thread blocks live here, and where?                   |
//! | [`timing`]          | what does the pipeline know of an instruction?                          |
//! | `write_distance`    | how soon can a warp change what all SMs share?                          |
//! | [`warps`], `core`, [`in_flight`] | what do the stages share?                                  |
//! | [`network`]         | how do packets come and go?                                             |

mod async_copies;
pub mod coalescer;
pub mod collectors;
mod core;
pub mod counters;
pub mod fetch;
pub mod in_flight;
pub mod issue;
pub mod l1;
pub mod load_store;
pub mod network;
pub mod occupancy;
pub mod residents;
pub mod scheduler;
pub mod scoreboard;
pub mod shared_banks;
pub mod sm;
pub mod timing;
pub mod units;
pub mod warps;
mod write_distance;

pub use network::Outlet;
pub use sm::{Program, Sm, SmSpec};

/// Most warp slots an SM can have: a set of warps is one 64-bit word.
pub const MAX_WARPS: usize = 64;

/// Most schedulers an SM can have.
pub const MAX_SCHEDULERS: usize = 4;
