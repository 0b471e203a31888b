//! `fr_fcfs`: first ready, first come, first served.
//!
//! Rixner et al., "Memory Access Scheduling", ISCA 2000.

use super::{Request, RequestOrder};

/// The scheduler.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstReady;

impl RequestOrder for FirstReady {
    #[inline]
    fn choose(&mut self, waiting: &[Request], row: u32) -> usize {
        waiting.iter().position(|request| request.row == row).unwrap_or(0)
    }
}
