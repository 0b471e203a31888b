//! `fcfs`: first come, first served, bank by bank.

use super::{Request, RequestOrder};

/// The scheduler.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstCome;

impl RequestOrder for FirstCome {
    #[inline]
    fn choose(&mut self, _waiting: &[Request], _row: u32) -> usize {
        0
    }
}
