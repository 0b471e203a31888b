//! `fr_fcfs`: first ready, first come, first served.
//!
//! Rixner et al., "Memory Access Scheduling", ISCA 2000.

use super::{Request, RequestOrder};

/// The scheduler.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstReady;

impl RequestOrder for FirstReady {
    #[inline]
    fn choose(&mut self, waiting: &[Request], bank: u8, row: u32) -> Option<usize> {
        let to_row = waiting.iter().position(|request| request.bank == bank && request.row == row);
        to_row.or_else(|| waiting.iter().position(|request| request.bank == bank))
    }
}
