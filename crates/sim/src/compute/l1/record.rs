//! What an adaptive cache decided, EP by EP: the series behind the plots of tolerance, capacity and modes.
//!
//! Memory is bounded: when [`MOST_RECORDS`] are kept, every other one is dropped, and from then on only every second EP is recorded.

use serde::Serialize;

use crate::base::compressed_lines::MAX_MODES;

/// Records kept of one cache.
pub const MOST_RECORDS: usize = 4096;

/// One EP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseRecord {
    /// Number of the EP since the machine was made.
    pub phase: u64,
    /// Core cycle at its end.
    pub cycle: u64,
    /// Core cycles since the EP before ended.
    pub cycles: u64,
    /// Mode of the sets that follow the winner: index into [`L1Record::modes`].
    pub mode: u8,
    /// Whether sets were dedicated to the modes.
    pub is_learning: bool,
    /// Latency that the schedulers hid, where the policy uses it.
    pub tolerance_cycles: Option<f64>,
    /// Mean time from access to fill.
    pub miss_cycles: f64,
    /// By mode: average memory access time, where it was estimated.
    pub amat_cycles: [Option<f64>; MAX_MODES],
    /// Uncompressed bytes held over the cache's size.
    pub effective_capacity: f64,
}

/// The series of one SM's L1.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct L1Record {
    /// SM.
    pub sm: u16,
    /// Names of the modes, `none` first.
    pub modes: Vec<String>,
    /// EPs from one record to the next.
    pub every_phases: u64,
    /// The records.
    pub phases: Vec<PhaseRecord>,
}

impl L1Record {
    /// An empty series.
    pub fn new(sm: u16, modes: Vec<String>) -> Self {
        Self { sm, modes, every_phases: 1, phases: Vec::new() }
    }

    /// Records an EP, if its turn has come.
    pub fn push(&mut self, record: PhaseRecord) {
        if !record.phase.is_multiple_of(self.every_phases) {
            return;
        }
        if self.phases.len() == MOST_RECORDS {
            self.every_phases *= 2;
            let every = self.every_phases;
            self.phases.retain(|kept| kept.phase.is_multiple_of(every));
            if !record.phase.is_multiple_of(every) {
                return;
            }
        }
        self.phases.push(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_is_recorded_in_bounded_memory() {
        let mut series = L1Record::new(0, vec!["none".to_owned()]);
        for phase in 0..3 * MOST_RECORDS as u64 {
            series.push(PhaseRecord {
                phase,
                cycle: 100 * phase,
                cycles: 100,
                mode: 0,
                is_learning: false,
                tolerance_cycles: None,
                miss_cycles: 0.0,
                amat_cycles: [None; MAX_MODES],
                effective_capacity: 1.0,
            });
        }
        assert_eq!(series.every_phases, 4);
        assert_eq!(series.phases.len(), 3 * MOST_RECORDS / 4);
        assert!(series.phases.iter().enumerate().all(|(index, record)| record.phase == 4 * index as u64));
    }
}
