//! How much latency an SM hides at the moment, as LATTE-CC estimates it (equation 4): available warps of a scheduler ×
//! cycles that one of them issues before the scheduler goes on to the next.
//!
//! A warp is available unless it waits for memory, a barrier or a fence: what another waits for shortly, it can fill. The mean is
//! over all cycles, those in which the SM sleeps included. A run ends when its scheduler issues from another warp or, for
//! a cycle, from none: one warp that goes on after each of its stalls hides nothing.

use crate::compute::MAX_SCHEDULERS;

/// The warp that a scheduler issued from last, and when.
#[derive(Clone, Copy, Debug)]
struct LastIssue {
    warp: usize,
    cycle: u64,
}

/// Counts since the last estimate.
#[derive(Clone, Debug)]
pub struct ToleranceMeter {
    is_on: bool,
    last: [Option<LastIssue>; MAX_SCHEDULERS],
    /// Available warps of the SM at the moment.
    available_warps: u32,
    scheduler_cycles: u64,
    available_warp_cycles: u64,
    issue_cycles: u64,
    runs: u64,
}

impl ToleranceMeter {
    /// A meter; one that is off counts nothing.
    pub fn new(is_on: bool) -> Self {
        Self {
            is_on,
            last: [None; MAX_SCHEDULERS],
            available_warps: 0,
            scheduler_cycles: 0,
            available_warp_cycles: 0,
            issue_cycles: 0,
            runs: 0,
        }
    }

    /// Whether it counts.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// `warps` warps of the SM are available, until the next call.
    #[inline]
    pub fn note_available(&mut self, warps: u32) {
        self.available_warps = warps;
    }

    /// A scheduler has chosen in this cycle.
    pub fn note_choice(&mut self, scheduler: usize, cycle: u64, winner: Option<usize>) {
        let Some(warp) = winner else { return };
        let last = &mut self.last[scheduler];
        let goes_on = last.is_some_and(|last| last.warp == warp && last.cycle + 1 == cycle);
        self.runs += u64::from(!goes_on);
        self.issue_cycles += 1;
        *last = Some(LastIssue { warp, cycle });
    }

    /// `cycles` cycles of `schedulers` schedulers have passed.
    #[inline]
    pub fn note_cycles(&mut self, cycles: u64, schedulers: usize) {
        self.scheduler_cycles += cycles * schedulers as u64;
        self.available_warp_cycles += cycles * u64::from(self.available_warps);
    }

    /// Cycles of latency that were hidden since the last call; `None` of a meter that is off.
    pub fn take_cycles(&mut self) -> Option<f64> {
        if !self.is_on {
            return None;
        }
        let mean = |sum: u64, count: u64| if count == 0 { 0.0 } else { sum as f64 / count as f64 };
        // A run that began earlier counts here as one.
        let tolerance = mean(self.available_warp_cycles, self.scheduler_cycles)
            * mean(self.issue_cycles, self.runs.max(1));
        (self.scheduler_cycles, self.available_warp_cycles, self.issue_cycles, self.runs) = (0, 0, 0, 0);
        Some(tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_tolerance(meter: &mut ToleranceMeter, cycles: f64) {
        let measured = meter.take_cycles().unwrap();
        assert!((measured - cycles).abs() < 1e-12, "{measured}");
    }

    #[test]
    fn tolerance_is_available_warps_times_issue_run() {
        let mut meter = ToleranceMeter::new(true);
        // Four cycles: warp 3 issues twice among two, warp 5 twice among four.
        for (cycle, (available, winner)) in (10..).zip([(2, 3), (2, 3), (4, 5), (4, 5)]) {
            meter.note_choice(0, cycle, Some(winner));
            meter.note_available(available);
            meter.note_cycles(1, 1);
        }
        // (2 + 2 + 4 + 4) / 4 warps x 4 issues / 2 runs.
        assert_tolerance(&mut meter, 6.0);
        assert_tolerance(&mut meter, 0.0);
    }

    #[test]
    fn cycles_in_which_all_wait_lower_it() {
        let mut meter = ToleranceMeter::new(true);
        meter.note_available(2);
        meter.note_choice(0, 0, Some(0));
        meter.note_cycles(1, 1);
        meter.note_available(0);
        meter.note_cycles(7, 1);
        // 2 / 8 warps x 1 issue a run.
        assert_tolerance(&mut meter, 0.25);
    }

    #[test]
    fn a_lone_warp_that_stalls_begins_a_new_run() {
        let mut meter = ToleranceMeter::new(true);
        for cycle in [0, 1, 20, 40, 41, 60] {
            meter.note_choice(0, cycle, Some(7));
        }
        meter.note_available(1);
        meter.note_cycles(61, 1);
        // One warp x six issues in four runs.
        assert_tolerance(&mut meter, 1.5);
    }

    #[test]
    fn each_scheduler_has_its_own_runs() {
        let mut meter = ToleranceMeter::new(true);
        meter.note_available(2);
        for cycle in 0..3 {
            meter.note_choice(0, cycle, Some(0));
            meter.note_choice(1, cycle, Some(1));
            meter.note_cycles(1, 2);
        }
        // One warp of each x three issues a run, though the two schedulers take turns.
        assert_tolerance(&mut meter, 3.0);
    }
}
