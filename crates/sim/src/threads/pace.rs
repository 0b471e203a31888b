//! Whether several threads are faster than one, found by timing both in turn.
//!
//! What a simulation counts does not depend on it, so it may follow the clock of the host.
//!
//! A simulation begins on one thread, and short ones end there. Then both ways are tried, a few times each. The trial that took
//! longest is left out of each way, because what it may have measured is another program of the host. The faster way stays. Several
//! threads are watched while they stay: when they have become slower than one thread was, both ways are tried again.

use std::time::{Duration, Instant};

/// Time before the first trial: what trials can cost is a small part of it.
const TIME_ALONE: Duration = Duration::from_millis(4);

/// Core cycles between two looks at the clock until then.
const CYCLES_PER_LOOK: u64 = 256;

/// Core cycles of one trial: long enough to time, short enough that neighbouring ones have much the same work.
const TRIAL_CYCLES: u64 = 256;

/// Cycles before a trial that are not timed: the state of SMs moves between the caches of processors.
const WARM_UP_CYCLES: u64 = 128;

/// Trials of both ways together, which take turns.
const TRIALS: usize = 8;

/// Several threads must gain a part of this many of their own time: what a trial gains by chance is not kept.
const MARGIN: u32 = 32;

/// A trial of several threads ends early, and decides, when it has taken this many times as long as one of one thread.
const HOPELESS: u32 = 3;

/// Cycles between two looks at such a trial.
const MOST_CYCLES_UNWATCHED: u64 = 32;

/// Cycles for which the first choice of one thread holds, and that of several. A choice that is confirmed holds for twice as long as
/// the one before; one thread is questioned more often than several, which are watched.
const FIRST_STAY_CYCLES: [u64; 2] = [16 * TRIAL_CYCLES, 64 * TRIAL_CYCLES];
const LONGEST_STAY_CYCLES: [u64; 2] = [512 * TRIAL_CYCLES, 4096 * TRIAL_CYCLES];

/// Cycles after which several threads that stay are compared with what one thread took.
const WATCH_CYCLES: u64 = 16 * TRIAL_CYCLES;

/// Cycles in which threads that were wanted were not there, after which one goes on alone.
const PATIENCE_CYCLES: u64 = 16 * TRIAL_CYCLES;

/// What the cycles under way are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before the first trial.
    Alone,
    /// Before a trial.
    WarmUp,
    Trial,
    /// After a choice: cycles behind those that are left now.
    Stay {
        further: u64,
    },
}

/// Chooses between one thread and several.
#[derive(Debug)]
pub(crate) struct Pace {
    is_shared: bool,
    phase: Phase,
    /// Cycles until the phase ends.
    cycles_left: u64,
    since: Instant,
    /// Time spent alone.
    alone: Duration,
    /// Trials made of those under way.
    tried: usize,
    /// What the trials on one thread took, and those on several.
    trials: [Trials; 2],
    /// Cycles in which the threads were not there.
    missed: u64,
    stay_cycles: u64,
    last_choice: Option<bool>,
}

/// What trials of one way took.
#[derive(Clone, Copy, Debug, Default)]
struct Trials {
    sum: Duration,
    longest: Duration,
}

impl Trials {
    fn note(&mut self, took: Duration) {
        self.sum += took;
        self.longest = self.longest.max(took);
    }

    /// All but the longest.
    fn time(self) -> Duration {
        self.sum.saturating_sub(self.longest)
    }
}

impl Pace {
    /// Begins on one thread.
    pub(crate) fn new() -> Self {
        Self {
            is_shared: false,
            phase: Phase::Alone,
            cycles_left: CYCLES_PER_LOOK,
            since: Instant::now(),
            alone: Duration::ZERO,
            tried: 0,
            trials: [Trials::default(); 2],
            missed: 0,
            stay_cycles: 0,
            last_choice: None,
        }
    }

    /// Whether the next cycles are for several threads.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// The most cycles that should pass before [`Pace::note`]. Few in a trial, which may be hopeless.
    #[inline]
    pub(crate) fn cycles_left(&self) -> u64 {
        if matches!(self.phase, Phase::Stay { .. }) {
            self.cycles_left
        } else {
            self.cycles_left.min(MOST_CYCLES_UNWATCHED)
        }
    }

    /// Cycles have passed.
    #[inline]
    pub(crate) fn note(&mut self, cycles: u64) {
        self.cycles_left = self.cycles_left.saturating_sub(cycles);
        if self.cycles_left == 0 || self.tries_several() {
            self.look_at_clock();
        }
    }

    /// Cycles have passed on one thread, because others that were wanted were not there.
    pub(crate) fn note_missed(&mut self, cycles: u64) {
        self.missed += cycles;
        if matches!(self.phase, Phase::Stay { .. }) {
            self.note(cycles);
        } else if self.missed >= PATIENCE_CYCLES {
            self.choose(false);
            self.since = Instant::now();
        } else {
            // Nothing is known of several threads yet.
            (self.phase, self.cycles_left) = (Phase::WarmUp, WARM_UP_CYCLES);
        }
    }

    /// A launch begins: the time since the one before belongs to neither way.
    pub(crate) fn resume(&mut self) {
        self.since = Instant::now();
        if self.phase == Phase::Trial {
            (self.phase, self.cycles_left) = (Phase::WarmUp, WARM_UP_CYCLES);
        }
    }

    fn tries_several(&self) -> bool {
        self.is_shared && matches!(self.phase, Phase::Trial | Phase::WarmUp)
    }

    #[cold]
    fn look_at_clock(&mut self) {
        let now = Instant::now();
        let took = now - self.since;
        if self.cycles_left > 0 && took <= HOPELESS * self.trials[0].longest {
            return;
        }
        self.turn(took);
        self.since = now;
    }

    /// The cycles that were left are over, and took this long.
    fn turn(&mut self, took: Duration) {
        match self.phase {
            Phase::Alone => {
                self.alone += took;
                self.cycles_left = CYCLES_PER_LOOK;
                if self.alone >= TIME_ALONE {
                    self.start_trials();
                }
            }
            // Even warming up takes too long.
            Phase::WarmUp if self.cycles_left > 0 => self.choose(false),
            Phase::WarmUp => (self.phase, self.cycles_left) = (Phase::Trial, TRIAL_CYCLES),
            Phase::Trial => self.end_trial(took),
            Phase::Stay { further } => {
                let expected =
                    self.trials[0].time() * (WATCH_CYCLES / TRIAL_CYCLES) as u32 / (TRIALS as u32 / 2 - 1);
                if further == 0 {
                    self.start_trials();
                } else if self.is_shared && took > expected {
                    self.last_choice = None;
                    self.start_trials();
                } else {
                    self.stay(further);
                }
            }
        }
    }

    fn start_trials(&mut self) {
        (self.tried, self.trials, self.missed) = (0, [Trials::default(); 2], 0);
        self.start_trial();
    }

    /// One, several, several, one: work that grows or shrinks favours neither.
    fn start_trial(&mut self) {
        let is_shared = matches!(self.tried % 4, 1 | 2);
        let is_warm = is_shared == self.is_shared;
        self.is_shared = is_shared;
        (self.phase, self.cycles_left) =
            if is_warm { (Phase::Trial, TRIAL_CYCLES) } else { (Phase::WarmUp, WARM_UP_CYCLES) };
    }

    fn end_trial(&mut self, took: Duration) {
        self.trials[usize::from(self.is_shared)].note(took);
        if self.cycles_left > 0 {
            self.choose(false);
            return;
        }
        self.tried += 1;
        if self.tried < TRIALS {
            self.start_trial();
            return;
        }
        let [one, several] = self.trials.map(Trials::time);
        self.choose(several + several / MARGIN < one);
    }

    fn choose(&mut self, is_shared: bool) {
        self.is_shared = is_shared;
        self.stay_cycles = match self.last_choice.replace(is_shared) {
            Some(last) if last == is_shared => {
                (2 * self.stay_cycles).min(LONGEST_STAY_CYCLES[usize::from(is_shared)])
            }
            _ => FIRST_STAY_CYCLES[usize::from(is_shared)],
        };
        self.stay(self.stay_cycles);
    }

    fn stay(&mut self, cycles: u64) {
        self.cycles_left = cycles.min(WATCH_CYCLES);
        self.phase = Phase::Stay { further: cycles - self.cycles_left };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ways that the next turns choose where a trial takes so long on one thread, and on several; and for how long they stay.
    fn choices(pace: &mut Pace, turns: usize, millis: [u64; 2]) -> Vec<(bool, u64)> {
        let turn = |_| {
            pace.cycles_left = 0;
            pace.turn(Duration::from_millis(millis[usize::from(pace.is_shared)]));
            let stay = if matches!(pace.phase, Phase::Stay { .. }) { pace.stay_cycles } else { 0 };
            (pace.is_shared, stay)
        };
        (0..turns).map(turn).collect()
    }

    /// A pace whose first trial has begun.
    fn pace() -> Pace {
        let mut pace = Pace::new();
        pace.start_trials();
        pace
    }

    /// Turns of all trials: each change of the way has a warm-up.
    const TURNS: usize = TRIALS + 4;

    #[test]
    fn a_short_simulation_stays_on_one_thread() {
        let mut pace = Pace::new();
        pace.turn(TIME_ALONE / 2);
        assert_eq!(pace.phase, Phase::Alone);
        pace.turn(TIME_ALONE / 2);
        assert_eq!(pace.phase, Phase::Trial);
        assert!(!pace.is_shared());
    }

    #[test]
    fn both_are_tried_equally_often_after_a_warm_up_and_the_faster_one_stays() {
        for (millis, is_shared) in [([3, 2], true), ([2, 3], false), ([2, 2], false), ([65, 64], false)] {
            let mut pace = pace();
            let tried: Vec<bool> =
                choices(&mut pace, TURNS - 1, millis).iter().map(|choice| choice.0).collect();
            // One, a change, several twice, a change, one twice, a change, several twice, a change.
            assert_eq!(tried, [true, true, true, false, false, false, true, true, true, false, false]);
            assert_eq!(
                choices(&mut pace, 1, millis),
                [(is_shared, FIRST_STAY_CYCLES[usize::from(is_shared)])]
            );
        }
    }

    #[test]
    fn neither_a_warm_up_nor_the_longest_trial_counts() {
        let mut pace = pace();
        choices(&mut pace, 1, [2, 1]);
        assert!(pace.is_shared() && pace.phase == Phase::WarmUp);
        choices(&mut pace, 2, [2, 1000]);
        assert_eq!(choices(&mut pace, TURNS - 3, [2, 1]).last(), Some(&(true, FIRST_STAY_CYCLES[1])));
    }

    #[test]
    fn a_choice_that_is_confirmed_is_questioned_less_often_and_a_new_one_soon() {
        let mut pace = pace();
        let mut stay = |millis| {
            if matches!(pace.phase, Phase::Stay { .. }) {
                pace.start_trials();
            }
            loop {
                let choice = choices(&mut pace, 1, millis)[0];
                if choice.1 > 0 {
                    return choice;
                }
            }
        };
        assert_eq!(stay([2, 1]), (true, FIRST_STAY_CYCLES[1]));
        assert_eq!(stay([2, 1]), (true, 2 * FIRST_STAY_CYCLES[1]));
        assert_eq!(stay([2, 1]), (true, 4 * FIRST_STAY_CYCLES[1]));
        assert_eq!(stay([1, 2]), (false, FIRST_STAY_CYCLES[0]));
    }

    #[test]
    fn several_threads_that_become_slower_than_one_are_questioned() {
        for (millis, is_over) in [(2 * 16, false), (2 * 16 + 1, true)] {
            let mut pace = pace();
            choices(&mut pace, TURNS, [2, 1]);
            assert!(pace.is_shared() && matches!(pace.phase, Phase::Stay { .. }));
            choices(&mut pace, 1, [0, millis]);
            assert_eq!(!matches!(pace.phase, Phase::Stay { .. }), is_over, "{millis} ms");
        }
    }

    #[test]
    fn threads_that_are_not_there_are_not_timed_and_not_awaited_for_ever() {
        let mut pace = pace();
        choices(&mut pace, 2, [2, 1]);
        assert!(pace.is_shared() && pace.phase == Phase::Trial);
        pace.note_missed(1);
        assert_eq!(pace.phase, Phase::WarmUp);
        pace.note_missed(PATIENCE_CYCLES - 1);
        assert!(!pace.is_shared() && matches!(pace.phase, Phase::Stay { .. }));
    }
}
