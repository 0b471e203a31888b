//! `fcfs`: first come, first served, bank by bank.

use super::{Request, RequestOrder};

/// The scheduler.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstCome;

impl RequestOrder for FirstCome {
    fn choose(&mut self, waiting: &[Request], bank: u8, _row: u32) -> Option<usize> {
        waiting.iter().position(|request| request.bank == bank)
    }
}
