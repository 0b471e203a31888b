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

use super::Request;

/// The contract. A policy is asked when the last column command of a request goes out.
pub trait RowPolicy {
    /// Whether that command also closes `row` (auto-precharge). `waiting` has the requests of the bank, oldest first.
    fn closes_row(&mut self, waiting: &[Request], row: u32) -> bool;
}

// The key is the name in small letters.
choices! {
    "The values of the key `dram.row_policy`.", DramRowPolicy; AnyRowPolicy: RowPolicy, closes_row -> bool;
    Open(open::Open), "Rows stay open until a request wants another.";
    Closed(closed::Closed), "Rows close with the last command of a request, unless another request waits for them.";
}
