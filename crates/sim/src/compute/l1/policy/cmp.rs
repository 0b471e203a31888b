//! `adaptive_cmp`: the mode with the least average memory access time, as if the SM hid no latency.
//!
//! After Alameldeen & Wood, "Adaptive Cache Compression for High-Performance Processors", ISCA 2004, with the sampling
//! of LATTE-CC, whose paper compares with it.

use super::Measured;
use super::set_duel::{Criterion, Decision, DuelTotals, SetDuel};

/// A cache with this policy.
pub type Cmp = SetDuel<LeastAccessTime>;

/// What it decides by.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeastAccessTime;

impl Criterion for LeastAccessTime {
    fn choose(&self, totals: &DuelTotals, measured: Measured) -> Decision {
        Decision::by_least(totals.estimates(0.0, measured.miss_cycles))
    }
}

#[cfg(test)]
mod tests {
    use super::super::set_duel::tests::{BDI, measured, totals};
    use super::*;

    #[test]
    fn hidden_latency_does_not_matter() {
        // none 24 x 1 + 8 x 100, BDI 25 x 3 + 7 x 100, SC 26 x 15 + 6 x 100.
        let totals = totals([(24, 8), (25, 7), (26, 6)]);
        assert_eq!(LeastAccessTime.choose(&totals, measured(15.0)).winner, Some(BDI));
    }
}
