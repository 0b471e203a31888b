//! Whether several threads are faster than one, found by timing both in turn.
//!
//! What a simulation counts does not depend on it, so it may follow the clock of the host.

use std::time::{Duration, Instant};

/// Core cycles of one trial: long enough to time, short enough that neighbouring ones have much the same work.
const TRIAL_CYCLES: u64 = 512;

/// Cycles before a trial that are not timed: the state of SMs moves between the caches of processors.
const WARM_UP_CYCLES: u64 = 256;

/// Trials of both ways together, which take turns.
const TRIALS: usize = 4;

/// Several threads must gain a part of this many of their own time: what a trial gains by chance is not kept.
const MARGIN: u32 = 32;

/// Cycles for which the first choice holds. A choice that is confirmed holds for twice as long as the one before.
const FIRST_STAY_CYCLES: u64 = 32 * TRIAL_CYCLES;
const LONGEST_STAY_CYCLES: u64 = 2048 * TRIAL_CYCLES;

/// Chooses between one thread and several.
#[derive(Debug)]
pub(crate) struct Pace {
    is_shared: bool,
    /// Cycles until the next turn.
    cycles_left: u64,
    /// Whether the cycles that are left are timed.
    is_warm: bool,
    since: Instant,
    /// Trials made of those under way; none are when it is [`TRIALS`].
    tried: usize,
    /// Time per cycle of the trials on one thread, and on several.
    spent: [Duration; 2],
    stay_cycles: u64,
    last_choice: Option<bool>,
}

impl Pace {
    /// Begins with trials.
    pub(crate) fn new() -> Self {
        Self {
            is_shared: false,
            cycles_left: WARM_UP_CYCLES,
            is_warm: false,
            since: Instant::now(),
            tried: 0,
            spent: [Duration::ZERO; 2],
            stay_cycles: FIRST_STAY_CYCLES,
            last_choice: None,
        }
    }

    /// Whether the next cycles are for several threads.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// The most cycles that should pass before [`Pace::note`].
    #[inline]
    pub(crate) fn cycles_left(&self) -> u64 {
        self.cycles_left
    }

    /// Cycles have passed.
    #[inline]
    pub(crate) fn note(&mut self, cycles: u64) {
        self.cycles_left = self.cycles_left.saturating_sub(cycles);
        if self.cycles_left == 0 {
            let now = Instant::now();
            self.turn(now - self.since);
            self.since = now;
        }
    }

    /// A launch begins: the time since the one before belongs to neither way.
    pub(crate) fn resume(&mut self) {
        self.since = Instant::now();
    }

    /// The cycles that were left are over, and took this long.
    fn turn(&mut self, took: Duration) {
        if self.tried < TRIALS && !self.is_warm {
            (self.is_warm, self.cycles_left) = (true, TRIAL_CYCLES);
            return;
        }
        if self.tried == TRIALS {
            (self.tried, self.spent) = (0, [Duration::ZERO; 2]);
        } else {
            self.spent[usize::from(self.is_shared)] += took;
            self.tried += 1;
        }
        if self.tried < TRIALS {
            // One, several, several, one: work that grows or shrinks favours neither.
            let is_shared = matches!(self.tried % 4, 1 | 2);
            self.is_warm = is_shared == self.is_shared;
            self.is_shared = is_shared;
            self.cycles_left = if self.is_warm { TRIAL_CYCLES } else { WARM_UP_CYCLES };
            return;
        }
        self.is_shared = self.spent[1] + self.spent[1] / MARGIN < self.spent[0];
        self.stay_cycles = match self.last_choice.replace(self.is_shared) {
            Some(last) if last == self.is_shared => (2 * self.stay_cycles).min(LONGEST_STAY_CYCLES),
            _ => FIRST_STAY_CYCLES,
        };
        self.cycles_left = self.stay_cycles;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ways that the next turns choose where a trial takes so long on one thread, and on several; and for how long.
    fn choices(pace: &mut Pace, turns: usize, millis: [u64; 2]) -> Vec<(bool, u64)> {
        let turn = |_| {
            pace.turn(Duration::from_millis(millis[usize::from(pace.is_shared)]));
            (pace.is_shared, pace.cycles_left)
        };
        (0..turns).map(turn).collect()
    }

    #[test]
    fn both_are_tried_equally_often_after_a_warm_up_and_the_faster_one_stays() {
        for (millis, is_shared) in [([3, 2], true), ([2, 3], false), ([2, 2], false), ([65, 64], false)] {
            let mut pace = Pace::new();
            let tried: Vec<bool> = choices(&mut pace, 6, millis).iter().map(|choice| choice.0).collect();
            // One, a change, several twice, a change.
            assert_eq!(tried, [false, true, true, true, false, false]);
            assert_eq!(choices(&mut pace, 1, millis), [(is_shared, FIRST_STAY_CYCLES)]);
        }
    }

    #[test]
    fn a_warm_up_is_not_timed() {
        let mut pace = Pace::new();
        choices(&mut pace, 2, [2, 1]);
        assert!(pace.is_shared() && !pace.is_warm);
        pace.turn(Duration::from_secs(1));
        assert_eq!(choices(&mut pace, 4, [2, 1]).last(), Some(&(true, FIRST_STAY_CYCLES)));
    }

    #[test]
    fn a_choice_that_is_confirmed_is_questioned_less_often_and_a_new_one_soon() {
        let mut pace = Pace::new();
        let mut stay = |millis| loop {
            let before = pace.tried;
            let (is_shared, cycles) = choices(&mut pace, 1, millis)[0];
            if pace.tried == TRIALS && before == TRIALS - 1 {
                return (is_shared, cycles);
            }
        };
        assert_eq!(stay([2, 1]), (true, FIRST_STAY_CYCLES));
        assert_eq!(stay([2, 1]), (true, 2 * FIRST_STAY_CYCLES));
        assert_eq!(stay([2, 1]), (true, 4 * FIRST_STAY_CYCLES));
        assert_eq!(stay([1, 2]), (false, FIRST_STAY_CYCLES));
    }

    #[test]
    fn a_trial_lasts_its_cycles() {
        let mut pace = Pace::new();
        pace.note(WARM_UP_CYCLES);
        pace.note(TRIAL_CYCLES - 1);
        assert!(!pace.is_shared());
        pace.note(1);
        assert!(pace.is_shared(), "then the other way is tried");
    }
}
