//! Does a row stay open when its request is done? The contract of a row policy, and the list of all of them.
//!
//! | file       | key      | the row closes                                              |
//! |------------|----------|-------------------------------------------------------------|
//! | [`open`]   | `open`   | when a request wants another row                            |
//! | [`closed`] | `closed` | with the last command of a request, unless another waits for it |
//!
//! A new policy is a file with a type that implements [`RowPolicy`], and one line in the list below.

mod closed;
mod open;

use serde::{Deserialize, Serialize};

use super::Request;

/// The contract. A policy is asked when the last column command of a request goes out.
pub trait RowPolicy {
    /// Whether that command also closes `row` of `bank` (auto-precharge). `waiting` has the requests of all banks, oldest first.
    fn closes_row(&mut self, waiting: &[Request], bank: u8, row: u32) -> bool;
}

/// From a line for each policy: the values of the key `dram.row_policy`, and one type that is any of them.
macro_rules! policies {
    ($($name:ident($policy:path), $summary:literal;)*) => {
        /// The values of the key `dram.row_policy`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum DramRowPolicy {
            $(#[doc = $summary] $name,)*
        }

        /// Any policy.
        #[derive(Clone, Debug)]
        pub enum AnyRowPolicy {
            $(#[doc = $summary] $name($policy),)*
        }

        impl AnyRowPolicy {
            /// One that has seen nothing yet.
            pub fn new(policy: DramRowPolicy) -> Self {
                match policy { $(DramRowPolicy::$name => Self::$name(<$policy>::default()),)* }
            }
        }

        impl RowPolicy for AnyRowPolicy {
            #[inline]
            fn closes_row(&mut self, waiting: &[Request], bank: u8, row: u32) -> bool {
                match self { $(Self::$name(policy) => policy.closes_row(waiting, bank, row),)* }
            }
        }
    };
}

// The key is the name in small letters.
policies! {
    Open(open::Open), "Rows stay open until a request wants another.";
    Closed(closed::Closed), "Rows close with the last command of a request, unless another request waits for them.";
}
