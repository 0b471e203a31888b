//! How much latency an SM hides at the moment, as LATTE-CC estimates it (equation 4): warps that can issue × cycles
//! that one of them issues before the scheduler goes on to the next.
//!
//! A warp that can issue is one that has its instruction, its registers and room in the pipe; the mean is over all cycles of
//! all schedulers, those in which the SM sleeps included. A run ends when a scheduler issues from another warp.

use crate::compute::MAX_SCHEDULERS;
use crate::compute::warps::WarpMask;

/// No warp slot has this number.
const NO_WARP: u8 = u8::MAX;

/// Counts since the last estimate.
#[derive(Clone, Debug)]
pub struct ToleranceMeter {
    is_on: bool,
    last_warp: [u8; MAX_SCHEDULERS],
    scheduler_cycles: u64,
    available_warps: u64,
    issues: u64,
    runs: u64,
}

impl ToleranceMeter {
    /// A meter; one that is off counts nothing.
    pub fn new(is_on: bool) -> Self {
        Self {
            is_on,
            last_warp: [NO_WARP; MAX_SCHEDULERS],
            scheduler_cycles: 0,
            available_warps: 0,
            issues: 0,
            runs: 0,
        }
    }

    /// Whether anyone reads it.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// A scheduler could issue from these warps, and did from one of them.
    pub fn note_choice(&mut self, scheduler: usize, available: WarpMask, winner: Option<usize>) {
        self.available_warps += u64::from(available.count_ones());
        let Some(warp) = winner else { return };
        self.issues += 1;
        if self.last_warp[scheduler] != warp as u8 {
            self.last_warp[scheduler] = warp as u8;
            self.runs += 1;
        }
    }

    /// So many scheduler cycles have passed.
    #[inline]
    pub fn note_cycles(&mut self, scheduler_cycles: u64) {
        self.scheduler_cycles += scheduler_cycles;
    }

    /// Cycles of latency that were hidden since the last call.
    pub fn take_cycles(&mut self) -> f64 {
        let mean = |sum: u64, count: u64| if count == 0 { 0.0 } else { sum as f64 / count as f64 };
        // A run that began earlier counts here as one.
        let tolerance =
            mean(self.available_warps, self.scheduler_cycles) * mean(self.issues, self.runs.max(1));
        (self.scheduler_cycles, self.available_warps, self.issues, self.runs) = (0, 0, 0, 0);
        tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerance_is_available_warps_times_issue_run() {
        let mut meter = ToleranceMeter::new(true);
        // Four cycles: warp 3 issues twice among two, warp 5 twice among four.
        for (available, winner) in [(0b0101, 3), (0b0101, 3), (0b1111, 5), (0b1111, 5)] {
            meter.note_choice(0, available, Some(winner));
        }
        meter.note_cycles(4);
        // (2 + 2 + 4 + 4) / 4 warps x 4 issues / 2 runs.
        assert!((meter.take_cycles() - 6.0).abs() < 1e-12);
        assert!(meter.take_cycles().abs() < 1e-12, "a new beginning");
    }

    #[test]
    fn cycles_without_a_warp_lower_it() {
        let mut meter = ToleranceMeter::new(true);
        meter.note_choice(0, 0b11, Some(0));
        meter.note_cycles(8);
        // 2 / 8 warps x 1 issue a run.
        assert!((meter.take_cycles() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn each_scheduler_has_its_own_runs() {
        let mut meter = ToleranceMeter::new(true);
        for _ in 0..3 {
            meter.note_choice(0, 1, Some(0));
            meter.note_choice(1, 2, Some(1));
            meter.note_cycles(2);
        }
        // One warp available x three issues a run, though the two schedulers take turns.
        assert!((meter.take_cycles() - 3.0).abs() < 1e-12);
    }
}
