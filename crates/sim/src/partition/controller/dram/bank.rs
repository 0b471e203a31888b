//! A DRAM bank: its row, the request it works on, and when it may take each command.

use super::Request;
use crate::base::Cycle;
use crate::config::DramTiming;

/// The command that a bank's request needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// There is no request.
    Nothing,
    /// No row is open.
    Activate,
    /// The wrong row is open.
    Precharge,
    /// The right row is open.
    Column,
}

/// A bank. All times are DRAM cycles.
#[derive(Clone, Debug, Default)]
pub struct Bank {
    pub request: Option<Request>,
    is_open: bool,
    /// The open row, or the last one that was: the queue prefers its requests either way.
    pub row: u32,
    pub read_at: Cycle,
    pub write_at: Cycle,
    pub precharge_at: Cycle,
    pub activate_at: Cycle,
}

impl Bank {
    #[inline]
    pub fn next(&self) -> Next {
        match &self.request {
            None => Next::Nothing,
            Some(_) if !self.is_open => Next::Activate,
            Some(request) if request.row != self.row => Next::Precharge,
            Some(_) => Next::Column,
        }
    }

    pub fn wants_write(&self) -> bool {
        self.request.is_some_and(|request| request.packet.is_write())
    }

    pub fn activate(&mut self, now: Cycle, timing: &DramTiming, activate_to_write: u64) {
        self.is_open = true;
        self.row = self.request.map_or(self.row, |request| request.row);
        self.read_at = now + timing.rcd;
        self.write_at = now + activate_to_write;
        self.precharge_at = self.precharge_at.max(now + timing.ras);
        self.activate_at = now + timing.rc;
    }

    pub fn precharge(&mut self, now: Cycle, timing: &DramTiming) {
        self.is_open = false;
        self.activate_at = self.activate_at.max(now + timing.rp);
    }
}
