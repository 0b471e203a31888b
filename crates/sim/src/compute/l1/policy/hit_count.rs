//! `adaptive_hit_count`: the mode whose dedicated sets had the most hits, whatever a hit costs.
//!
//! LATTE-CC's paper compares with it to show what its estimate of latency adds to set dueling.

use std::cmp::Reverse;

use super::Measured;
use super::set_duel::{Criterion, Decision, DuelTotals, SetDuel};
use crate::base::compressed_lines::Mode;

/// A cache with this policy.
pub type HitCount = SetDuel<MostHits>;

/// What it decides by.
#[derive(Clone, Copy, Debug, Default)]
pub struct MostHits;

impl Criterion for MostHits {
    fn choose(&self, totals: &DuelTotals, measured: Measured) -> Decision {
        let seen = (0..).zip(&totals.tallies).filter(|(_, tally)| tally.accesses() > 0);
        // `max_by_key` would take the last of equals.
        let winner = seen.min_by_key(|(_, tally)| Reverse(tally.hits)).map(|(mode, _)| Mode(mode));
        let tolerance_cycles = measured.tolerance_cycles.unwrap_or(0.0);
        Decision { winner, estimates: totals.estimates(tolerance_cycles, measured.miss_cycles) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::set_duel::tests::{SC, measured, totals};
    use super::*;

    #[test]
    fn only_hits_count() {
        assert_eq!(MostHits.choose(&totals([(24, 8), (25, 7), (26, 6)]), measured(0.0)).winner, Some(SC));
    }

    #[test]
    fn of_equals_the_simpler_mode_wins() {
        assert_eq!(MostHits.choose(&totals([(8, 8); 3]), measured(0.0)).winner, Some(Mode::RAW));
    }
}
