//! `open`: a row stays open until a request wants another row of its bank.

use super::{Request, RowPolicy};

/// The policy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Open;

impl RowPolicy for Open {
    #[inline]
    fn closes_row(&mut self, _waiting: &[Request], _row: u32) -> bool {
        false
    }
}
