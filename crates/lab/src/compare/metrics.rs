//! What is said about one run, and what relative to another.

use serde::Serialize;
use shrinkwarp_machine::Counter;

use crate::run::{POINTS, RunResult};

/// One run in a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Core cycles.
    pub cycles: u64,
    /// Thread instructions in a core cycle.
    pub ipc: f64,
    /// Compression ratio at each point that has a codec, in the order of [`POINTS`].
    pub ratios: [Option<f64>; POINTS.len()],
    /// Bytes between controllers and memory.
    pub memory_bytes: f64,
    /// Flits through both crossbars.
    pub flits: f64,
    /// Share of the slices' cycles in which the reply network refused a reply.
    pub reply_stall_share: f64,
    /// Share of the L1D's accesses that found their line.
    pub l1_hit_share: f64,
    /// Joules.
    pub energy_j: f64,
    /// Joules times seconds.
    pub energy_delay_js: f64,
    /// Joules of each part.
    pub energy_parts: Vec<(String, f64)>,
    /// Metric and error of the worst result, where loads were approximated.
    pub error: Option<(String, f64)>,
}

/// A run as multiples of its baseline; below 1 is less, except for the speedup and ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Relative {
    /// Baseline's cycles over these.
    pub speedup: f64,
    /// Bytes between controllers and memory.
    pub memory_bytes: f64,
    /// Flits.
    pub flits: f64,
    /// Energy.
    pub energy: f64,
    /// Energy times time.
    pub energy_delay: f64,
    /// Compression ratios, which are relative by nature.
    pub ratios: [Option<f64>; POINTS.len()],
}

impl Metrics {
    /// Of a result.
    pub fn of(result: &RunResult) -> Self {
        let counters = &result.counters;
        let ratio = |point: &str| counters.value(&format!("derived.ratio.{point}"));
        let errors = result.approximation_errors();
        let worst = errors.iter().max_by(|one, other| one.2.total_cmp(&other.2));
        Self {
            cycles: result.cycles,
            ipc: result.ipc(),
            ratios: POINTS.map(ratio),
            memory_bytes: counters.get(Counter::MEMORY_BYTES),
            flits: counters.get(Counter::FLITS),
            reply_stall_share: counters.get(Counter::REPLY_STALL_SHARE),
            l1_hit_share: counters.get(Counter::L1_HIT_SHARE),
            energy_j: result.energy_j(),
            energy_delay_js: counters.get(Counter::ENERGY_DELAY_JS),
            energy_parts: result
                .energy_parts()
                .into_iter()
                .map(|(name, joules)| (name.replace('_', " "), joules))
                .collect(),
            error: worst.map(|(_, metric, error)| ((*metric).to_owned(), *error)),
        }
    }

    /// As multiples of a baseline.
    pub fn relative_to(&self, baseline: &Self) -> Relative {
        // Nothing over nothing is no change: a tiny workload may stay in the caches.
        let over = |part: f64, whole: f64| if part == whole { 1.0 } else { part / whole };
        Relative {
            speedup: over(baseline.cycles as f64, self.cycles as f64),
            memory_bytes: over(self.memory_bytes, baseline.memory_bytes),
            flits: over(self.flits, baseline.flits),
            energy: over(self.energy_j, baseline.energy_j),
            energy_delay: over(self.energy_delay_js, baseline.energy_delay_js),
            ratios: self.ratios,
        }
    }
}
