//! A DRAM bank: its row, what its request wants, and when it may take each command.

use super::Request;
use super::config::DramTiming;
use crate::base::Cycle;

/// The command that a bank's request needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// No row is open.
    Activate,
    /// The wrong row is open.
    Precharge,
    /// The right row is open, and a read wants it.
    Read,
    /// The right row is open, and a write wants it.
    Write,
}

/// A bank. All times are DRAM cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bank {
    is_open: bool,
    /// The open row, or the last one that was: the queue prefers its requests either way.
    pub row: u32,
    /// The row that the request wants.
    wanted_row: u32,
    wants_write: bool,
    /// Commands that the request still needs.
    pub bursts: u8,
    /// Writes that follow them, of a request that merges.
    merge_writes: u8,
    pub read_at: Cycle,
    pub write_at: Cycle,
    pub precharge_at: Cycle,
    pub activate_at: Cycle,
}

impl Bank {
    /// Begins to work for a request.
    pub fn begin(&mut self, request: &Request) {
        self.wanted_row = request.row;
        self.wants_write = request.packet.is_write() && request.merge_bursts == 0;
        (self.bursts, self.merge_writes) = match request.merge_bursts {
            0 => (request.bursts, 0),
            merge_bursts => (merge_bursts, request.bursts),
        };
    }

    /// All commands are out. Whether writes follow, which the bank then works on.
    pub fn turn_to_write(&mut self) -> bool {
        self.wants_write = self.merge_writes > 0;
        self.bursts = std::mem::take(&mut self.merge_writes);
        self.wants_write
    }

    /// What the request needs next; the bank has one.
    #[inline]
    pub fn need(&self) -> Need {
        match (self.is_open, self.row == self.wanted_row, self.wants_write) {
            (false, _, _) => Need::Activate,
            (true, false, _) => Need::Precharge,
            (true, true, false) => Need::Read,
            (true, true, true) => Need::Write,
        }
    }

    /// When the bank can take the command that the request needs, for all it knows.
    #[inline]
    pub fn ready_at(&self, need: Need) -> Cycle {
        match need {
            Need::Activate => self.activate_at,
            Need::Precharge => self.precharge_at,
            Need::Read => self.read_at,
            Need::Write => self.write_at,
        }
    }

    /// Whether a row is open.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Closes the row for a refresh that lasts until `done_at`.
    pub fn refresh(&mut self, done_at: Cycle) {
        self.is_open = false;
        self.activate_at = self.activate_at.max(done_at);
    }

    /// Opens the wanted row.
    pub fn activate(&mut self, now: Cycle, timing: &DramTiming, activate_to_write: u64) {
        self.is_open = true;
        self.row = self.wanted_row;
        self.read_at = now + timing.rcd;
        self.write_at = now + activate_to_write;
        self.precharge_at = self.precharge_at.max(now + timing.ras);
        self.activate_at = now + timing.rc;
    }

    /// Closes the row.
    pub fn precharge(&mut self, now: Cycle, timing: &DramTiming) {
        self.is_open = false;
        self.activate_at = self.activate_at.max(now + timing.rp);
    }
}
