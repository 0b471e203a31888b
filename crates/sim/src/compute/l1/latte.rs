//! LATTE-CC: which mode do the next accesses use?
//!
//! Arunkumar, Lee, Soundararajan & Wu, "LATTE-CC: Latency Tolerance Aware Adaptive Cache Compression Management for
//! Energy Efficient GPUs", HPCA 2018.
//!
//! While a period learns, a few sets are dedicated to each mode and tell what it would do: insertions (misses) and
//! hits. At the end of every EP the mode with the best estimate is chosen.
//!
//! | policy               | best is                                                                           |
//! |----------------------|-----------------------------------------------------------------------------------|
//! | `latte`              | least (hits × max(hit − tolerance, 0) + misses × miss) / (hits + misses)          |
//! | `adaptive_cmp`       | the same with a tolerance of 0 (after Alameldeen & Wood, ISCA 2004)               |
//! | `adaptive_hit_count` | most hits                                                                         |
//!
//! Choices of ours. Equation 2 is printed with `min`, which would never count a hit; its text means `max`. The hit latency of
//! a mode is the L1's own plus the mean of equation 3 over hits of its lines, decompression latency × (position in the
//! decompressor's queue + 1), in the last EP in which it had hits (one decompression until then); raw lines do not
//! wait. The miss latency is the mean from access to fill in the EP.
//! Of equals the mode with less to do wins. A mode without an access in its sets is no candidate.

use super::lines::{MAX_MODES, Mode};
use crate::config::scheme::L1Policy;

/// What the dedicated sets of a mode saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Hits.
    pub hits: u32,
    /// Lines inserted.
    pub insertions: u32,
}

/// Average memory access time as the pipeline feels it, in cycles; `None` where nothing was accessed.
pub fn amat_gpu(tally: Tally, hit_cycles: f64, tolerance_cycles: f64, miss_cycles: f64) -> Option<f64> {
    let accesses = tally.hits + tally.insertions;
    let hit_time = f64::from(tally.hits) * (hit_cycles - tolerance_cycles).max(0.0);
    let miss_time = f64::from(tally.insertions) * miss_cycles;
    (accesses > 0).then(|| (hit_time + miss_time) / f64::from(accesses))
}

/// What an EP measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Latency that the schedulers hide.
    pub tolerance_cycles: f64,
    /// Mean time from access to fill.
    pub miss_cycles: f64,
}

/// A decision and what it was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    /// The mode to use.
    pub winner: Option<Mode>,
    /// By mode: the estimate.
    pub amat_cycles: [Option<f64>; MAX_MODES],
}

/// What the cache has learnt of its modes.
#[derive(Clone, Debug)]
pub struct Duel {
    tallies: Vec<Tally>,
    /// By mode: cycles of a hit.
    hit_cycles: Vec<f64>,
    /// By mode: what its hits of this EP take longer in sum, and how many there were.
    waits: Vec<(u64, u32)>,
    base_hit_cycles: f64,
}

impl Duel {
    /// Nothing learnt. A hit takes `base_hit_cycles` and, by mode, so many to decompress.
    pub fn new(base_hit_cycles: u32, decompress_cycles: &[u32]) -> Self {
        let base = f64::from(base_hit_cycles);
        Self {
            tallies: vec![Tally::default(); decompress_cycles.len()],
            hit_cycles: decompress_cycles.iter().map(|&cycles| base + f64::from(cycles)).collect(),
            waits: vec![(0, 0); decompress_cycles.len()],
            base_hit_cycles: base,
        }
    }

    /// Forgets the tallies: a period begins.
    pub fn start_period(&mut self) {
        self.tallies.fill(Tally::default());
    }

    /// A set dedicated to the mode inserted a line.
    pub fn count_insertion(&mut self, mode: Mode) {
        self.tallies[mode.index()].insertions += 1;
    }

    /// A set dedicated to the mode hit a line.
    pub fn count_hit(&mut self, mode: Mode) {
        self.tallies[mode.index()].hits += 1;
    }

    /// A hit anywhere on a line of the mode takes so much longer than a plain one.
    #[inline]
    pub fn note_hit_latency(&mut self, mode: Mode, cycles: u64) {
        let (sum, hits) = &mut self.waits[mode.index()];
        *sum += cycles;
        *hits += 1;
    }

    /// An EP ends: renews the hit latencies.
    pub fn end_phase(&mut self) {
        for (hit_cycles, (sum, hits)) in self.hit_cycles.iter_mut().zip(&mut self.waits) {
            if *hits > 0 {
                *hit_cycles = self.base_hit_cycles + *sum as f64 / f64::from(*hits);
            }
            (*sum, *hits) = (0, 0);
        }
    }

    /// What a policy chooses.
    pub fn decide(&self, policy: L1Policy, measured: Measured) -> Decision {
        let tolerance = if policy == L1Policy::AdaptiveCmp { 0.0 } else { measured.tolerance_cycles };
        let mut amat_cycles = [None; MAX_MODES];
        for (estimate, (tally, hit)) in amat_cycles.iter_mut().zip(self.tallies.iter().zip(&self.hit_cycles))
        {
            *estimate = amat_gpu(*tally, *hit, tolerance, measured.miss_cycles);
        }
        let winner = match policy {
            L1Policy::AdaptiveHitCount => self.most_hits(),
            L1Policy::Latte | L1Policy::AdaptiveCmp => least(&amat_cycles),
            L1Policy::None | L1Policy::Static | L1Policy::KernelOpt => None,
        };
        Decision { winner, amat_cycles }
    }

    fn most_hits(&self) -> Option<Mode> {
        let seen = (0..).zip(&self.tallies).filter(|(_, tally)| tally.hits + tally.insertions > 0);
        // `max_by_key` would take the last of equals.
        let (mode, _) = seen.min_by_key(|(_, tally)| std::cmp::Reverse(tally.hits))?;
        Some(Mode(mode))
    }
}

fn least(amat_cycles: &[Option<f64>; MAX_MODES]) -> Option<Mode> {
    let known = (0..).zip(amat_cycles).filter_map(|(mode, amat)| Some((mode, (*amat)?)));
    let (mode, _) = known.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(Mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BDI: Mode = Mode(1);
    const SC: Mode = Mode(2);

    /// The paper's modes: none, BDI (2 cycles), SC (14 cycles); a plain hit takes 1.
    fn duel(tallies: [(u32, u32); 3]) -> Duel {
        let mut duel = Duel::new(1, &[0, 2, 14]);
        for (mode, (hits, insertions)) in (0..).zip(tallies) {
            (0..hits).for_each(|_| duel.count_hit(Mode(mode)));
            (0..insertions).for_each(|_| duel.count_insertion(Mode(mode)));
        }
        duel
    }

    fn measured(tolerance_cycles: f64) -> Measured {
        Measured { tolerance_cycles, miss_cycles: 100.0 }
    }

    #[test]
    fn amat_counts_of_a_hit_only_what_is_not_hidden() {
        let tally = Tally { hits: 30, insertions: 10 };
        // (30 x (15 - 5) + 10 x 220) / 40
        assert_eq!(amat_gpu(tally, 15.0, 5.0, 220.0), Some(62.5));
        // Hidden altogether, never negative: 10 x 220 / 40.
        assert_eq!(amat_gpu(tally, 15.0, 40.0, 220.0), Some(55.0));
        assert_eq!(amat_gpu(Tally::default(), 15.0, 5.0, 220.0), None);
    }

    #[test]
    fn more_hits_win_only_where_their_latency_is_hidden() {
        // By mode at tolerance 0: none 24 x 1 + 8 x 100, BDI 25 x 3 + 7 x 100, SC 26 x 15 + 6 x 100.
        let duel = duel([(24, 8), (25, 7), (26, 6)]);
        let blind = duel.decide(L1Policy::Latte, measured(0.0));
        assert_eq!(blind.amat_cycles, [Some(824.0 / 32.0), Some(775.0 / 32.0), Some(990.0 / 32.0), None]);
        assert_eq!(blind.winner, Some(BDI));
        assert_eq!(duel.decide(L1Policy::Latte, measured(15.0)).winner, Some(SC));
        assert_eq!(duel.decide(L1Policy::AdaptiveCmp, measured(15.0)).winner, Some(BDI), "never tolerant");
        assert_eq!(duel.decide(L1Policy::AdaptiveHitCount, measured(0.0)).winner, Some(SC), "only hits");
    }

    #[test]
    fn of_equals_the_simpler_mode_wins() {
        let duel = duel([(8, 8), (8, 8), (8, 8)]);
        assert_eq!(duel.decide(L1Policy::Latte, measured(100.0)).winner, Some(Mode::RAW));
        assert_eq!(duel.decide(L1Policy::AdaptiveHitCount, measured(0.0)).winner, Some(Mode::RAW));
    }

    #[test]
    fn a_mode_that_saw_nothing_is_no_candidate() {
        assert_eq!(duel([(0, 0), (0, 5), (0, 0)]).decide(L1Policy::Latte, measured(0.0)).winner, Some(BDI));
        assert_eq!(duel([(0, 0); 3]).decide(L1Policy::Latte, measured(0.0)).winner, None);
    }

    #[test]
    fn a_queue_before_the_decompressor_makes_a_mode_slower() {
        let mut duel = duel([(24, 8), (25, 7), (26, 6)]);
        assert_eq!(duel.decide(L1Policy::Latte, measured(12.0)).winner, Some(SC));
        // Three hits of one cycle: 14, 28 and 42 cycles.
        for cycles in [14, 28, 42] {
            duel.note_hit_latency(SC, cycles);
        }
        duel.end_phase();
        assert_eq!(duel.decide(L1Policy::Latte, measured(12.0)).winner, Some(BDI));
        duel.end_phase();
        assert_eq!(duel.decide(L1Policy::Latte, measured(12.0)).winner, Some(BDI), "remembered");
    }
}
