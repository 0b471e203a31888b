//! What figures need, and what was measured for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use shrinkwarp_approx::cache::Cache;

use crate::LabError;
use crate::profile::Profile;
use crate::run::{RunResult, RunSpec};
use crate::store::KeptErrors;

/// Something that must be measured before a figure can be drawn.
#[derive(Clone, Debug)]
pub enum Need {
    /// The result of a run.
    Run(RunSpec),
    /// The blocks that the run moves to and from DRAM without compression.
    Profile(RunSpec),
}

impl Need {
    /// The run that it names.
    pub fn spec(&self) -> &RunSpec {
        match self {
            Self::Run(spec) | Self::Profile(spec) => spec,
        }
    }

    /// What tells it from other needs.
    pub fn key(&self) -> String {
        match self {
            Self::Run(spec) => key_of(spec),
            Self::Profile(spec) => format!("profile {}", key_of(spec)),
        }
    }
}

/// Everything measured for some figures.
#[derive(Debug, Default)]
pub struct Measured {
    results: BTreeMap<String, Arc<RunResult>>,
    profiles: BTreeMap<String, Arc<Profile>>,
    failures: BTreeMap<String, String>,
    errors: Option<KeptErrors>,
}

impl Measured {
    /// Keeps a result.
    pub fn add_result(&mut self, spec: &RunSpec, result: Arc<RunResult>) {
        self.results.insert(key_of(spec), result);
    }

    /// Keeps a profile.
    pub fn add_profile(&mut self, spec: &RunSpec, profile: Arc<Profile>) {
        self.profiles.insert(key_of(spec), profile);
    }

    /// Where errors of approximated programs are kept.
    pub fn keep_errors_in(&mut self, errors: KeptErrors) {
        self.errors = Some(errors);
    }

    /// Errors of approximated programs that were measured before.
    pub fn errors(&self) -> Option<&dyn Cache> {
        self.errors.as_ref().map(|errors| errors as &dyn Cache)
    }

    /// Remembers why something could not be measured.
    pub fn add_failure(&mut self, need: &Need, error: String) {
        self.failures.insert(need.key(), error);
    }

    /// The result of a run that the figure requested.
    pub fn result(&self, spec: &RunSpec) -> Result<&RunResult, LabError> {
        self.results
            .get(&key_of(spec))
            .map(AsRef::as_ref)
            .ok_or_else(|| self.missing(&Need::Run(spec.clone())))
    }

    /// The profile that the figure requested.
    pub fn profile(&self, spec: &RunSpec) -> Result<&Profile, LabError> {
        let missing = || self.missing(&Need::Profile(spec.clone()));
        self.profiles.get(&key_of(spec)).map(AsRef::as_ref).ok_or_else(missing)
    }

    fn missing(&self, need: &Need) -> LabError {
        let key = need.key();
        match self.failures.get(&key) {
            Some(error) => LabError::Work(format!("{key}: {error}")),
            None => LabError::Work(format!("{key} was not measured")),
        }
    }
}

/// The parts of a spec that figures vary.
fn key_of(spec: &RunSpec) -> String {
    let sampled = spec.sample_cycles.map_or(String::new(), |cycles| format!(" every {cycles}"));
    let data = spec.data.as_ref().map_or(String::new(), |data| format!(" ({data})"));
    format!(
        "{}{data} {} on {} with {} [{}] seed {}{sampled}",
        spec.subject.name(),
        spec.scale.name(),
        spec.gpu,
        spec.scheme,
        spec.overrides.join(" "),
        spec.seed,
    )
}
