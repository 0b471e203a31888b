//! The clock of an adaptive cache: experimental phases (EPs) of so many accesses, periods of so many EPs.
//!
//! ```text
//! warm-up │ EP 0      EP 1      EP 2  …  EP 9     │ EP 0 …
//! sample  │ learning  adapting  …        adapting │ learning
//!         │ ├─ hits counted ──┤          sample   │ new code
//! ```
//!
//! The warm-up exists where a codec must be trained first: one EP that only takes a sample. The last EP of every period
//! takes the next.

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpec {
    /// Accesses of an EP.
    pub accesses: u32,
    /// EPs of a period.
    pub phases: u32,
    /// EPs at its beginning in which modes are tried side by side.
    pub learning_phases: u32,
    /// EPs after these in which their lines' hits still count.
    pub later_hit_phases: u32,
    /// Whether an EP comes before the first period.
    pub has_warm_up: bool,
}

/// Where the cache is.
#[derive(Clone, Copy, Debug)]
pub struct PhaseClock {
    spec: PhaseSpec,
    accesses_left: u32,
    /// Number of the EP in its period; `None` in the warm-up.
    phase: Option<u32>,
}

impl PhaseClock {
    /// At the beginning.
    pub fn new(spec: PhaseSpec) -> Self {
        Self { spec, accesses_left: spec.accesses, phase: if spec.has_warm_up { None } else { Some(0) } }
    }

    /// Counts one access. Returns whether it was the last of its EP.
    #[inline]
    pub fn count_access(&mut self) -> bool {
        self.accesses_left -= 1;
        self.accesses_left == 0
    }

    /// Goes on to the next EP.
    pub fn advance(&mut self) {
        self.accesses_left = self.spec.accesses;
        self.phase = Some(self.phase.map_or(0, |phase| (phase + 1) % self.spec.phases));
    }

    /// Whether a period begins with this EP.
    pub fn starts_period(&self) -> bool {
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

    const PAPER: PhaseSpec =
        PhaseSpec { accesses: 256, phases: 10, learning_phases: 1, later_hit_phases: 1, has_warm_up: true };

    #[test]
    fn an_ep_ends_with_its_256th_access() {
        let mut clock = PhaseClock::new(PAPER);
        assert_eq!((0..255).filter(|_| clock.count_access()).count(), 0);
        assert!(clock.count_access());
    }

    #[test]
    fn a_period_learns_once_counts_hits_twice_and_samples_at_its_end() {
        let mut clock = PhaseClock::new(PAPER);
        assert!(clock.takes_sample() && !clock.is_learning() && !clock.can_choose(), "the warm-up");
        let mut seen = Vec::new();
        for _ in 0..12 {
            clock.advance();
            let claims =
                [clock.starts_period(), clock.is_learning(), clock.counts_hits(), clock.takes_sample()];
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
        let clock = PhaseClock::new(PhaseSpec { has_warm_up: false, ..PAPER });
        assert!(clock.starts_period() && clock.is_learning());
    }
}
