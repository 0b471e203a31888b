//! `latte`: LATTE-CC chooses the mode with the least average memory access time, less the latency that the SM hides.
//!
//! Arunkumar, Lee, Soundararajan & Wu, "LATTE-CC: Latency Tolerance Aware Adaptive Cache Compression Management for
//! Energy Efficient GPUs", HPCA 2018.
//!
//! ```text
//! AMAT_GPU = (hits × max(hit latency − tolerance, 0) + misses × miss latency) / (hits + misses)
//! ```
//!
//! Our interpretation: equation 2 is printed with `min`, which would never count a hit; its text means `max`.

use super::Measured;
use super::set_duel::{Criterion, Decision, DuelTotals, SetDuel};

/// A cache with LATTE-CC.
pub type Latte = SetDuel<LeastHiddenAccessTime>;

/// What it decides by.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeastHiddenAccessTime;

impl Criterion for LeastHiddenAccessTime {
    fn choose(&self, totals: &DuelTotals, measured: Measured) -> Decision {
        Decision::by_least(totals.estimates(measured.tolerance_cycles.unwrap_or(0.0), measured.miss_cycles))
    }
}

#[cfg(test)]
mod tests {
    use super::super::set_duel::tests::{BDI, SC, measured, totals};
    use super::*;

    #[test]
    fn more_hits_win_only_where_their_latency_is_hidden() {
        // By mode at tolerance 0: none 24 x 1 + 8 x 100, BDI 25 x 3 + 7 x 100, SC 26 x 15 + 6 x 100.
        let totals = totals([(24, 8), (25, 7), (26, 6)]);
        let blind = LeastHiddenAccessTime.choose(&totals, measured(0.0));
        assert_eq!(blind.estimates, [Some(824.0 / 32.0), Some(775.0 / 32.0), Some(990.0 / 32.0), None]);
        assert_eq!(blind.winner, Some(BDI));
        assert_eq!(LeastHiddenAccessTime.choose(&totals, measured(15.0)).winner, Some(SC));
    }
}
