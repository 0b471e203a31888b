//! A run with its result and where that came from: what is kept, exported and sent between machines.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use shrinkwarp_machine::result::RunResult;
use shrinkwarp_sim::MODEL_VERSION;

use super::identity::{Identity, configuration_text};
use super::spec::Run;
use crate::LabError;

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What makes it the same run as another.
    pub identity: Identity,
    /// Workload.
    pub workload: String,
    /// Size of its input.
    pub scale: String,
    /// Seed of its input.
    pub seed: u64,
    /// Name of the generated data set; unused where a file replaced it.
    pub data: String,
    /// SHA-256 of what the user brought: an input file, a launch file, a program.
    pub input: Option<String>,
    /// The GPU's name.
    pub gpu: String,
    /// The scheme's name.
    pub scheme: String,
    /// The changes of the GPU that were requested; those of the scheme are in its name.
    pub overrides: Vec<String>,
    /// The energy set's name.
    pub energy: String,
    /// All keys of the GPU.
    pub gpu_text: String,
    /// All keys of the scheme.
    pub scheme_text: String,
    /// All keys of the energy set.
    pub energy_text: String,
    /// Core cycles between two samples of the time series, if there is one.
    pub sample_cycles: Option<u64>,
    /// Where the result came from.
    pub provenance: Provenance,
    /// What came out.
    pub outcome: RunOutcome,
    /// What a program wrote to its standard output and error, without the middle where it was long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// Who made a result, when, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The simulator's model.
    pub model_version: u32,
    /// The program.
    pub code_version: String,
    /// The machine's name.
    pub host: String,
    /// Seconds since 1970 when it ended.
    pub finished_unix_s: u64,
    /// Seconds that it took.
    pub duration_s: f64,
}

#[cfg(test)]
impl Record {
    /// A run on a GTX 480 at tiny scale, sampled every 500 cycles.
    pub fn example(identity: &str, workload: &str, scheme: &str, result: RunResult) -> Self {
        Self {
            identity: Identity::from(identity.to_owned()),
            workload: workload.into(),
            scale: "tiny".into(),
            seed: 1,
            data: "ours".into(),
            input: None,
            gpu: "gtx480".into(),
            scheme: scheme.into(),
            overrides: Vec::new(),
            energy: "hbm2".into(),
            gpu_text: "name = \"gtx480\"".into(),
            scheme_text: format!("name = \"{scheme}\""),
            energy_text: "name = \"hbm2\"".into(),
            sample_cycles: Some(500),
            provenance: Provenance::default(),
            outcome: RunOutcome::Done(result),
            output: None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// With a result.
    Done(RunResult),
    /// Without, and why.
    Failed(String),
}

impl Record {
    /// Of a run that has just ended after `duration_s` seconds.
    pub fn new(run: &Run, outcome: RunOutcome, duration_s: f64) -> Result<Self, LabError> {
        Ok(Self {
            identity: run.identity()?,
            workload: run.subject.name().to_owned(),
            scale: run.subject.scale().to_owned(),
            seed: run.subject.seed(),
            data: run.subject.data().to_owned(),
            input: run.subject.own_digest(),
            gpu: run.gpu.name.clone(),
            scheme: run.scheme.name.clone(),
            overrides: run.overrides.clone(),
            energy: run.energy.name.clone(),
            gpu_text: configuration_text(&run.gpu)?,
            scheme_text: configuration_text(&run.scheme)?,
            energy_text: configuration_text(&run.energy)?,
            sample_cycles: run.sample_cycles,
            provenance: Provenance::now(duration_s),
            outcome,
            output: None,
        })
    }

    /// The result, if there is one.
    pub fn result(&self) -> Option<&RunResult> {
        match &self.outcome {
            RunOutcome::Done(result) => Some(result),
            RunOutcome::Failed(_) => None,
        }
    }

    /// Why there is none.
    pub fn error(&self) -> Option<&str> {
        match &self.outcome {
            RunOutcome::Done(_) => None,
            RunOutcome::Failed(error) => Some(error),
        }
    }
}

impl Provenance {
    fn now(duration_s: f64) -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            model_version: MODEL_VERSION,
            code_version: env!("CARGO_PKG_VERSION").to_owned(),
            host: host_name(),
            finished_unix_s: since_1970.as_secs(),
            duration_s,
        }
    }
}

/// The name of this machine.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    name.or_else(|| std::env::var("HOSTNAME").ok())
        .map_or("unknown".to_owned(), |name| name.trim().to_owned())
}
