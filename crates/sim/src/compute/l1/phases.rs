//! Time of a compressed cache: experimental phases (EPs) of `phase_accesses` accesses, periods of `period_phases` EPs.
//!
//! ```text
//! warm-up │ EP 0      EP 1      EP 2  …  EP 9     │ EP 0 …
//! sample  │ learning  adapting  …        adapting │ learning
//!         │ ├─ hits counted ──┤          sample   │ new code
//! ```
//!
//! The warm-up exists where a codec must be trained first: one EP that only takes a sample. The last EP of every period
//! takes the next. Every compressed cache counts the accesses of an EP, for its record; only an adaptive policy and a
//! trained codec have a [`PeriodClock`].

use super::scheme::L1Scheme;

/// Counts the accesses of an EP.
#[derive(Clone, Copy, Debug)]
pub struct AccessCounter {
    phase_accesses: u32,
    accesses_left: u32,
}

impl AccessCounter {
    /// At the beginning of an EP.
    pub fn new(phase_accesses: u32) -> Self {
        Self { phase_accesses, accesses_left: phase_accesses }
    }

    /// Counts one access. Returns whether it was the last of its EP; the next then begins.
    #[inline]
    pub fn count(&mut self) -> bool {
        self.accesses_left -= 1;
        let is_last = self.accesses_left == 0;
        if is_last {
            self.accesses_left = self.phase_accesses;
        }
        is_last
    }
}

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpec {
    /// EPs of a period.
    pub phases: u32,
    /// EPs at its beginning in which modes are tried side by side.
    pub learning_phases: u32,
    /// EPs after these in which their lines' hits still count.
    pub later_hit_phases: u32,
}

impl PhaseSpec {
    /// As a scheme has it.
    pub fn of(scheme: &L1Scheme) -> Self {
        Self {
            phases: scheme.period_phases,
            learning_phases: scheme.learning_phases,
            later_hit_phases: scheme.later_hit_phases,
        }
    }
}

/// The position of an EP in its period.
#[derive(Clone, Copy, Debug)]
pub struct PeriodClock {
    spec: PhaseSpec,
    /// Number of the EP in its period; `None` in the warm-up.
    phase: Option<u32>,
}

impl PeriodClock {
    /// At the beginning.
    pub fn new(spec: PhaseSpec, has_warm_up: bool) -> Self {
        Self { spec, phase: if has_warm_up { None } else { Some(0) } }
    }

    /// Goes on to the next EP.
    pub fn advance(&mut self) {
        self.phase = Some(self.phase.map_or(0, |phase| (phase + 1) % self.spec.phases));
    }

    /// Whether a period begins with this EP.
    pub fn is_first_phase(&self) -> bool {
        self.phase == Some(0)
    }

    /// Whether modes are tried side by side.
    pub fn is_learning(&self) -> bool {
        self.phase.is_some_and(|phase| phase < self.spec.learning_phases)
    }

    /// Whether hits tell of the modes.
    pub fn counts_hits(&self) -> bool {
        self.phase.is_some_and(|phase| phase < self.spec.learning_phases + self.spec.later_hit_phases)
    }

    /// Whether trained codecs see the blocks that arrive.
    pub fn takes_sample(&self) -> bool {
        self.phase.is_none_or(|phase| phase + 1 == self.spec.phases)
    }

    /// Whether a mode can be chosen at the end of this EP: something was learnt.
    pub fn can_choose(&self) -> bool {
        self.phase.is_some_and(|phase| phase + 1 >= self.spec.learning_phases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: PhaseSpec = PhaseSpec { phases: 10, learning_phases: 1, later_hit_phases: 1 };

    #[test]
    fn an_ep_ends_with_its_256th_access() {
        let mut counter = AccessCounter::new(256);
        for _ in 0..2 {
            assert_eq!((0..255).filter(|_| counter.count()).count(), 0);
            assert!(counter.count());
        }
    }

    #[test]
    fn a_period_learns_once_counts_hits_twice_and_samples_at_its_end() {
        let mut clock = PeriodClock::new(PAPER, true);
        assert!(clock.takes_sample() && !clock.is_learning() && !clock.can_choose(), "the warm-up");
        let mut seen = Vec::new();
        for _ in 0..12 {
            clock.advance();
            let claims =
                [clock.is_first_phase(), clock.is_learning(), clock.counts_hits(), clock.takes_sample()];
            seen.push(claims);
        }
        let (first, second, middle, last) =
            ([true, true, true, false], [false, false, true, false], [false; 4], [false, false, false, true]);
        let period = [first, second, middle, middle, middle, middle, middle, middle, middle, last];
        assert_eq!(seen[..10], period);
        assert_eq!(seen[10..], period[..2]);
    }

    #[test]
    fn codecs_without_training_need_no_warm_up() {
        let clock = PeriodClock::new(PAPER, false);
        assert!(clock.is_first_phase() && clock.is_learning());
    }
}
