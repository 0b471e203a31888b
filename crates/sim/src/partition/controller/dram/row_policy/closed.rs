//! `closed`: the last column command of a request closes its row, unless another request waits for that row.

use super::{Request, RowPolicy};

/// The policy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Closed;

impl RowPolicy for Closed {
    fn closes_row(&mut self, waiting: &[Request], row: u32) -> bool {
        !waiting.iter().any(|request| request.row == row)
    }
}
