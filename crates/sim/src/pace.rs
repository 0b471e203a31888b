//! Whether several threads are faster than one, found by timing both in turn.
//!
//! What a simulation counts does not depend on it, so it may follow the clock of the host.

use std::time::{Duration, Instant};

/// Ticks of one trial: long enough to time, short enough that neighbouring ones have much the same work.
const TRIAL_TICKS: u64 = 128;

/// Trials of both ways together, which take turns.
const TRIALS: usize = 8;

/// Several threads must gain a part of this many of their own time: what a trial gains by chance is not kept.
const MARGIN: u32 = 16;

/// Ticks for which the first choice holds. A choice that is confirmed holds for twice as long as the one before.
const FIRST_STAY_TICKS: u64 = 128 * TRIAL_TICKS;
const LONGEST_STAY_TICKS: u64 = 16_384 * TRIAL_TICKS;

/// Chooses between one thread and several.
#[derive(Debug)]
pub(crate) struct Pace {
    is_shared: bool,
    ticks_left: u64,
    since: Instant,
    /// Trials made of those under way; none are when it is [`TRIALS`].
    tried: usize,
    /// Time of the trials on one thread, and on several.
    spent: [Duration; 2],
    stay_ticks: u64,
    last_choice: Option<bool>,
}

impl Pace {
    /// Begins with trials.
    pub(crate) fn new() -> Self {
        Self {
            is_shared: false,
            ticks_left: TRIAL_TICKS,
            since: Instant::now(),
            tried: 0,
            spent: [Duration::ZERO; 2],
            stay_ticks: FIRST_STAY_TICKS,
            last_choice: None,
        }
    }

    /// Whether the next tick is for several threads.
    #[inline]
    pub(crate) fn is_shared(&mut self) -> bool {
        if self.ticks_left == 0 {
            let now = Instant::now();
            self.turn(now - self.since);
            self.since = now;
        }
        self.ticks_left -= 1;
        self.is_shared
    }

    /// A launch begins: the time since the one before belongs to neither way.
    pub(crate) fn resume(&mut self) {
        self.since = Instant::now();
    }

    /// The ticks that were left are over, and took this long.
    fn turn(&mut self, took: Duration) {
        if self.tried == TRIALS {
            (self.tried, self.spent) = (0, [Duration::ZERO; 2]);
        } else {
            self.spent[usize::from(self.is_shared)] += took;
            self.tried += 1;
        }
        if self.tried < TRIALS {
            // One, several, several, one: work that grows or shrinks favours neither.
            self.is_shared = matches!(self.tried % 4, 1 | 2);
            self.ticks_left = TRIAL_TICKS;
            return;
        }
        self.is_shared = self.spent[1] + self.spent[1] / MARGIN < self.spent[0];
        self.stay_ticks = match self.last_choice.replace(self.is_shared) {
            Some(last) if last == self.is_shared => (2 * self.stay_ticks).min(LONGEST_STAY_TICKS),
            _ => FIRST_STAY_TICKS,
        };
        self.ticks_left = self.stay_ticks;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ways that the next turns choose where a trial takes so long on one thread, and on several; and for how long.
    fn choices(pace: &mut Pace, turns: usize, millis: [u64; 2]) -> Vec<(bool, u64)> {
        let turn = |_| {
            pace.turn(Duration::from_millis(millis[usize::from(pace.is_shared)]));
            (pace.is_shared, pace.ticks_left)
        };
        (0..turns).map(turn).collect()
    }

    #[test]
    fn both_are_tried_equally_often_and_the_faster_one_stays() {
        for (millis, is_shared) in [([3, 2], true), ([2, 3], false), ([2, 2], false), ([33, 32], false)] {
            let mut pace = Pace::new();
            let tried: Vec<bool> =
                choices(&mut pace, TRIALS - 1, millis).iter().map(|choice| choice.0).collect();
            assert_eq!(tried, [true, true, false, false, true, true, false]);
            assert_eq!(choices(&mut pace, 1, millis), [(is_shared, FIRST_STAY_TICKS)]);
        }
    }

    #[test]
    fn a_choice_that_is_confirmed_is_questioned_less_often_and_a_new_one_soon() {
        let mut pace = Pace::new();
        choices(&mut pace, TRIALS, [2, 1]);
        let stay = |pace: &mut Pace, millis| *choices(pace, TRIALS + 1, millis).last().unwrap();
        assert_eq!(stay(&mut pace, [2, 1]), (true, 2 * FIRST_STAY_TICKS));
        assert_eq!(stay(&mut pace, [2, 1]), (true, 4 * FIRST_STAY_TICKS));
        assert_eq!(stay(&mut pace, [1, 2]), (false, FIRST_STAY_TICKS));
    }

    #[test]
    fn a_trial_lasts_its_ticks() {
        let mut pace = Pace::new();
        assert!((0..TRIAL_TICKS).all(|_| !pace.is_shared()));
        assert!(pace.is_shared(), "then the other way is tried");
    }
}
