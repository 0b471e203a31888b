//! How many runs are left, and how long will they take? Answered from what earlier runs took.

use std::collections::BTreeMap;

use crate::LabError;
use crate::run::Run;
use crate::store::Store;

/// An estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Seconds of one core.
    pub core_seconds: f64,
    /// Runs whose workload never ran at their scale; each is taken to last as long as the mean of the others.
    pub guessed: usize,
}

/// For runs that are yet to be run; `None` if nothing like them ever ran.
pub fn estimate(store: &Store, pending: &[&Run]) -> Result<Option<Estimate>, LabError> {
    let mut known: BTreeMap<(&str, &str), Option<f64>> = BTreeMap::new();
    let mut sum = 0.0;
    let mut guessed = 0;
    for run in pending {
        let program = (run.subject.name(), run.subject.scale());
        let duration = match known.get(&program) {
            Some(duration) => *duration,
            None => *known.entry(program).or_insert(store.mean_duration_s(program.0, program.1)?),
        };
        match duration {
            Some(seconds) => sum += seconds,
            None => guessed += 1,
        }
    }
    let measured = pending.len() - guessed;
    if measured == 0 {
        return Ok(None);
    }
    let core_seconds = sum * pending.len() as f64 / measured as f64;
    Ok(Some(Estimate { core_seconds, guessed }))
}
