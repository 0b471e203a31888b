//! Which of its waiting requests does a bank without work get? The contract of a scheduler, and the list of all of them.
//!
//! | file        | key       | a bank gets                                     |
//! |-------------|-----------|-------------------------------------------------|
//! | [`fr_fcfs`] | `fr_fcfs` | the oldest request to its row, else its oldest  |
//! | [`fcfs`]    | `fcfs`    | its oldest request                              |
//!
//! A new scheduler is a file with a type that implements [`RequestOrder`], and one line in the list below.

mod fcfs;
mod fr_fcfs;

use super::Request;

/// The contract. A scheduler is asked when a bank has no work and at least one request waits for it; at most one bank gets
/// a request in a DRAM cycle, and banks take turns.
pub trait RequestOrder {
    /// The position in `waiting`, which has the requests of the bank, oldest first, of the one that it gets. `row` is the
    /// bank's open row, or the last one that was open.
    fn choose(&mut self, waiting: &[Request], row: u32) -> usize;
}

// The key is the name in small letters with underscores: `FrFcfs` is `fr_fcfs`.
choices! {
    "The values of the key `dram.scheduler`.", DramScheduler; AnyOrder: RequestOrder, choose -> usize;
    FrFcfs(fr_fcfs::FirstReady), "The oldest request to the bank's row, else its oldest.";
    Fcfs(fcfs::FirstCome), "The bank's oldest request.";
}
