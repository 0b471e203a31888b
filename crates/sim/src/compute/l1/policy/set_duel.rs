//! Set dueling: sets dedicated to each mode show what the mode would do in all sets.
//!
//! While a period learns, a few sets are dedicated to each mode; their insertions (misses) and hits are counted. At the
//! end of every EP from learning on, a [`Criterion`] chooses the mode that all sets follow in the next.
//!
//! Our interpretation where LATTE-CC's paper is silent. The hit latency of a mode is the L1's own plus the mean of equation 3
//! over hits of its lines, decompression latency × (position in the decompressor's queue + 1), in the last EP in which it
//! had hits (one decompression until then); raw lines do not wait. The miss latency is the mean from access to fill in
//! the EP. Of equals the mode with less work wins. A mode without an access in its sets is not a candidate.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Estimates, Hit, Measured, Policy, PolicySetup};
use crate::base::compressed_lines::Mode;
use crate::compute::l1::phases::{PeriodClock, PhaseSpec};
use crate::compute::l1::scheme::DedicatedLayout;

/// How an adaptive policy chooses.
pub trait Criterion: Default {
    /// Chooses from what the dedicated sets saw in this period and what the EP measured.
    fn choose(&self, totals: &DuelTotals, measured: Measured) -> Decision;
}

/// A choice and what it was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    /// The mode to use; `None` leaves it as it is.
    pub winner: Option<Mode>,
    /// What was estimated.
    pub estimates: Estimates,
}

impl Decision {
    /// The mode with the least estimate.
    pub fn by_least(estimates: Estimates) -> Self {
        let known = (0..).zip(&estimates).filter_map(|(mode, amat)| Some((mode, (*amat)?)));
        let least = known.min_by(|(_, a), (_, b)| a.total_cmp(b));
        Self { winner: least.map(|(mode, _)| Mode(mode)), estimates }
    }
}

/// What the dedicated sets of a mode saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Hits.
    pub hits: u32,
    /// Lines inserted.
    pub insertions: u32,
}

impl Tally {
    /// Hits and insertions.
    pub fn accesses(self) -> u32 {
        self.hits + self.insertions
    }

    /// Average memory access time as the pipeline feels it, in cycles; `None` where nothing was accessed.
    fn access_time(self, hit_cycles: f64, tolerance_cycles: f64, miss_cycles: f64) -> Option<f64> {
        let hit_time = f64::from(self.hits) * (hit_cycles - tolerance_cycles).max(0.0);
        let miss_time = f64::from(self.insertions) * miss_cycles;
        (self.accesses() > 0).then(|| (hit_time + miss_time) / f64::from(self.accesses()))
    }
}

/// What is known of the modes, each a position in both lists.
#[derive(Clone, Debug)]
pub struct DuelTotals {
    /// What the dedicated sets saw in this period.
    pub tallies: Vec<Tally>,
    hit_cycles: Vec<f64>,
}

impl DuelTotals {
    /// The average access time of each mode if `tolerance_cycles` of every hit are hidden.
    pub fn estimates(&self, tolerance_cycles: f64, miss_cycles: f64) -> Estimates {
        let mut estimates = Estimates::default();
        let modes = self.tallies.iter().zip(&self.hit_cycles);
        for (estimate, (tally, hit_cycles)) in estimates.iter_mut().zip(modes) {
            *estimate = tally.access_time(*hit_cycles, tolerance_cycles, miss_cycles);
        }
        estimates
    }
}

/// By set: the mode that it is dedicated to.
///
/// With `groups` dedicated sets for each mode the cache has as many groups of sets, and each mode has a set in every group:
///
/// ```text
/// residue:  012.....  012.....  012.....  012.....
/// diagonal: 012.....  ...012..  2.....01  .012....
/// ```
fn dedicated_modes(sets: usize, modes: usize, groups: usize, layout: DedicatedLayout) -> Vec<Option<Mode>> {
    let group_sets = (sets / groups).max(modes);
    let mode_of = |set: usize| {
        let group = set / group_sets;
        let first = match layout {
            DedicatedLayout::Residue => 0,
            DedicatedLayout::Diagonal => group * modes % group_sets,
        };
        let position = (set % group_sets + group_sets - first) % group_sets;
        (position < modes && group < groups).then_some(Mode(position as u8))
    };
    (0..sets).map(mode_of).collect()
}

/// What the dedicated sets of each L1 of a GPU saw, by SM; copies are the same board.
///
/// An L1 writes its line at the end of every EP in which it counts, so the sum always has a whole learning EP of each L1.
#[derive(Clone, Debug, Default)]
pub struct TallyBoard(Arc<Mutex<BTreeMap<u16, Vec<Tally>>>>);

impl TallyBoard {
    fn write(&self, sm: u16, tallies: &[Tally]) {
        self.lines().insert(sm, tallies.to_vec());
    }

    /// The sum over all L1s.
    fn sum(&self, modes: usize) -> Vec<Tally> {
        let mut sums = vec![Tally::default(); modes];
        for tallies in self.lines().values() {
            for (sum, tally) in sums.iter_mut().zip(tallies) {
                sum.hits += tally.hits;
                sum.insertions += tally.insertions;
            }
        }
        sums
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<u16, Vec<Tally>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A policy that lets the sets of a cache duel and chooses by `C`.
#[derive(Clone, Debug)]
pub struct SetDuel<C> {
    criterion: C,
    /// By set.
    dedicated: Vec<Option<Mode>>,
    /// Where the tallies of all L1s are, if their sum decides, and the number of this SM.
    board: Option<(TallyBoard, u16)>,
    period: PeriodClock,
    totals: DuelTotals,
    /// By mode: cycles that its hits of this EP took longer than raw ones, and their number.
    added_cycles: Vec<(u64, u32)>,
    base_hit_cycles: f64,
    /// The mode of all sets that are not dedicated to another.
    winner: Mode,
}

impl<C: Criterion> SetDuel<C> {
    /// The hit latencies follow what the EP's hits took.
    fn renew_hit_cycles(&mut self) {
        for (hit_cycles, (sum, hits)) in self.totals.hit_cycles.iter_mut().zip(&mut self.added_cycles) {
            if *hits > 0 {
                *hit_cycles = self.base_hit_cycles + *sum as f64 / f64::from(*hits);
            }
            (*sum, *hits) = (0, 0);
        }
    }

    fn choose(&self, measured: Measured) -> Decision {
        let Some((board, sm)) = &self.board else { return self.criterion.choose(&self.totals, measured) };
        if self.period.counts_hits() {
            board.write(*sm, &self.totals.tallies);
        }
        let tallies = board.sum(self.totals.tallies.len());
        self.criterion.choose(&DuelTotals { tallies, hit_cycles: self.totals.hit_cycles.clone() }, measured)
    }
}

impl<C: Criterion> Policy for SetDuel<C> {
    const USES_TOLERANCE: bool = true;

    fn new(setup: &PolicySetup<'_>) -> Self {
        let base_hit_cycles = f64::from(setup.hit_cycles);
        let modes = setup.decompress_cycles.len();
        let hit_cycles =
            setup.decompress_cycles.iter().map(|&cycles| base_hit_cycles + f64::from(cycles)).collect();
        Self {
            criterion: C::default(),
            dedicated: dedicated_modes(
                setup.sets,
                modes,
                setup.scheme.dedicated_sets,
                setup.scheme.dedicated_layout,
            ),
            board: setup.shared_tallies.map(|board| (board.clone(), setup.sm)),
            period: PeriodClock::new(PhaseSpec::of(setup.scheme), setup.has_warm_up),
            totals: DuelTotals { tallies: vec![Tally::default(); modes], hit_cycles },
            added_cycles: vec![(0, 0); modes],
            base_hit_cycles,
            winner: Mode::RAW,
        }
    }

    fn winner(&self) -> Mode {
        self.winner
    }

    fn mode_of_set(&self, set: usize) -> Mode {
        let dedicated = if self.is_learning() { self.dedicated[set] } else { None };
        dedicated.unwrap_or(self.winner)
    }

    fn is_learning(&self) -> bool {
        self.period.is_learning()
    }

    fn observe_hit(&mut self, hit: Hit) {
        let (sum, hits) = &mut self.added_cycles[hit.mode.index()];
        *sum += hit.added_cycles;
        *hits += 1;
        // Lines of another mode that are left in the set count too: they would be there in any mode.
        if self.period.counts_hits()
            && let Some(dedicated) = self.dedicated[hit.set]
        {
            self.totals.tallies[dedicated.index()].hits += 1;
        }
    }

    fn observe_insertion(&mut self, set: usize, mode: Mode) {
        if self.is_learning() && self.dedicated[set] == Some(mode) {
            self.totals.tallies[mode.index()].insertions += 1;
        }
    }

    fn end_phase(&mut self, measured: Measured) -> Estimates {
        self.renew_hit_cycles();
        let decision = if self.period.can_choose() { self.choose(measured) } else { Decision::default() };
        self.period.advance();
        if self.period.is_first_phase() {
            self.totals.tallies.fill(Tally::default());
        }
        self.winner = decision.winner.unwrap_or(self.winner);
        decision.estimates
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::compute::l1::policy::latte::{Latte, LeastHiddenAccessTime};
    use crate::config::load_scheme;

    pub const BDI: Mode = Mode(1);
    pub const SC: Mode = Mode(2);

    /// The paper's modes: none, BDI (2 cycles), SC (14 cycles); a plain hit takes 1.
    const DECOMPRESS_CYCLES: [u32; 3] = [0, 2, 14];

    /// Hits and insertions by mode.
    pub fn totals(tallies: [(u32, u32); 3]) -> DuelTotals {
        DuelTotals {
            tallies: tallies.map(|(hits, insertions)| Tally { hits, insertions }).to_vec(),
            hit_cycles: DECOMPRESS_CYCLES.map(|cycles| 1.0 + f64::from(cycles)).to_vec(),
        }
    }

    pub fn measured(tolerance_cycles: f64) -> Measured {
        Measured { tolerance_cycles: Some(tolerance_cycles), miss_cycles: 100.0 }
    }

    fn duel(board: Option<(&TallyBoard, u16)>) -> Latte {
        let scheme = load_scheme("latte", &[]).unwrap().l1;
        SetDuel::new(&PolicySetup {
            scheme: &scheme,
            sets: 32,
            hit_cycles: 1,
            decompress_cycles: DECOMPRESS_CYCLES.to_vec(),
            has_warm_up: false,
            sm: board.map_or(0, |(_, sm)| sm),
            shared_tallies: board.map(|(board, _)| board),
        })
    }

    /// The sets of 32 that are dedicated to each of three modes.
    fn dedicated(layout: DedicatedLayout) -> [Vec<usize>; 3] {
        let modes = dedicated_modes(32, 3, 4, layout);
        [Mode::RAW, BDI, SC].map(|mode| (0..32).filter(|&set| modes[set] == Some(mode)).collect())
    }

    #[test]
    fn access_time_counts_of_a_hit_only_what_is_not_hidden() {
        let tally = Tally { hits: 30, insertions: 10 };
        // (30 x (15 - 5) + 10 x 220) / 40
        assert_eq!(tally.access_time(15.0, 5.0, 220.0), Some(62.5));
        // Hidden altogether, never negative: 10 x 220 / 40.
        assert_eq!(tally.access_time(15.0, 40.0, 220.0), Some(55.0));
        assert_eq!(Tally::default().access_time(15.0, 5.0, 220.0), None);
    }

    #[test]
    fn of_equals_the_simpler_mode_wins() {
        let totals = totals([(8, 8); 3]);
        assert_eq!(LeastHiddenAccessTime.choose(&totals, measured(100.0)).winner, Some(Mode::RAW));
    }

    #[test]
    fn a_mode_that_saw_nothing_is_not_a_candidate() {
        let choose = |tallies| LeastHiddenAccessTime.choose(&totals(tallies), measured(0.0)).winner;
        assert_eq!(choose([(0, 0), (0, 5), (0, 0)]), Some(BDI));
        assert_eq!(choose([(0, 0); 3]), None);
    }

    #[test]
    fn a_queue_before_the_decompressor_makes_a_mode_slower() {
        let mut duel = duel(None);
        duel.totals = totals([(24, 8), (25, 7), (26, 6)]);
        duel.period.advance();
        duel.end_phase(measured(12.0));
        assert_eq!(duel.winner(), SC);
        // Three hits of one cycle: 14, 28 and 42 cycles.
        for added_cycles in [14, 28, 42] {
            // A set without a mode of its own, so that the hits count for the latency alone.
            duel.observe_hit(Hit { set: 7, mode: SC, added_cycles });
        }
        duel.end_phase(measured(12.0));
        assert_eq!(duel.winner(), BDI);
        duel.end_phase(measured(12.0));
        assert_eq!(duel.winner(), BDI, "remembered");
    }

    #[test]
    fn sets_of_one_residue_class_are_dedicated_to_a_mode() {
        assert_eq!(dedicated(DedicatedLayout::Residue)[2], [2, 10, 18, 26]);
    }

    #[test]
    fn a_diagonal_of_sets_is_dedicated_to_a_mode() {
        let modes = dedicated(DedicatedLayout::Diagonal);
        assert_eq!(modes, [vec![0, 11, 22, 25], vec![1, 12, 23, 26], vec![2, 13, 16, 27]]);
        // A stride of four sets meets one set of each mode, wherever it begins.
        for start in 0..4 {
            let met = modes.each_ref().map(|sets| sets.iter().filter(|set| *set % 4 == start).count());
            assert_eq!(met, [1, 1, 1]);
        }
    }

    #[test]
    fn with_a_board_the_sum_over_the_l1s_decides() {
        let board = TallyBoard::default();
        let mut duels = [duel(Some((&board, 0))), duel(Some((&board, 1)))];
        // Alone the first would choose no compression, the second BDI, by far.
        duels[0].totals = totals([(5, 1), (4, 2), (0, 0)]);
        duels[1].totals = totals([(0, 9), (9, 0), (0, 0)]);
        duels[1].end_phase(measured(0.0));
        duels[0].end_phase(measured(0.0));
        assert_eq!(duels.each_ref().map(Policy::winner), [BDI, BDI]);
        let mut alone = duel(None);
        alone.totals = totals([(5, 1), (4, 2), (0, 0)]);
        alone.end_phase(measured(0.0));
        assert_eq!(alone.winner(), Mode::RAW);
    }
}
