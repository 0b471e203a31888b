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

use serde::{Deserialize, Serialize};

use super::Request;

/// The contract. A scheduler is asked when a bank has no work and at least one request waits for it; at most one bank gets
/// a request in a DRAM cycle, and banks take turns.
pub trait RequestOrder {
    /// The position in `waiting`, which has the requests of all banks, oldest first, of the one that `bank` gets. `row` is the
    /// bank's open row, or the last one that was open.
    fn choose(&mut self, waiting: &[Request], bank: u8, row: u32) -> Option<usize>;
}

/// From a line for each scheduler: the values of the key `dram.scheduler`, and one type that is any of them.
macro_rules! orders {
    ($($name:ident($order:path), $summary:literal;)*) => {
        /// The values of the key `dram.scheduler`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum DramScheduler {
            $(#[doc = $summary] $name,)*
        }

        /// Any scheduler.
        #[derive(Clone, Debug)]
        pub enum AnyOrder {
            $(#[doc = $summary] $name($order),)*
        }

        impl AnyOrder {
            /// One that has seen nothing yet.
            pub fn new(scheduler: DramScheduler) -> Self {
                match scheduler { $(DramScheduler::$name => Self::$name(<$order>::default()),)* }
            }
        }

        impl RequestOrder for AnyOrder {
            #[inline]
            fn choose(&mut self, waiting: &[Request], bank: u8, row: u32) -> Option<usize> {
                match self { $(Self::$name(order) => order.choose(waiting, bank, row),)* }
            }
        }
    };
}

// The key is the name in small letters with underscores: `FrFcfs` is `fr_fcfs`.
orders! {
    FrFcfs(fr_fcfs::FirstReady), "The oldest request to the bank's row, else its oldest.";
    Fcfs(fcfs::FirstCome), "The bank's oldest request.";
}
