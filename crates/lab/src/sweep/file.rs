//! What a sweep file says.
//!
//! | section    | what it holds                                                                              |
//! |------------|--------------------------------------------------------------------------------------------|
//! | `[run]`    | what all runs share: gpu, scheme, scale, seed, data, energy, sample_cycles, set            |
//! | `[axes]`   | a list of values for each of workload, scheme, scale, seed, data, gpu, or any configuration key |
//! | `[program.NAME]` | a program that the axis `workload` may name: command, input_files, env, …               |
//! | `[[keep]]` | only combinations that have all these values, in one of the sections, are run              |
//! | `[[skip]]` | combinations that have all these values are not run                                        |

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use crate::LabError;
use crate::program::ProgramSpec;
use crate::run::is_launch_file;
use shrinkwarp_formats::files;
use shrinkwarp_report::toml_words::plain;

/// A sweep as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepFile {
    /// What all runs share.
    #[serde(default)]
    pub run: Shared,
    /// Values, by axis.
    #[serde(default)]
    pub axes: Table,
    /// Programs, by the names that the axis `workload` has for them.
    #[serde(default)]
    pub program: BTreeMap<String, ProgramSpec>,
    /// What is run, if not everything.
    #[serde(default)]
    pub keep: Vec<Table>,
    /// What is not run.
    #[serde(default)]
    pub skip: Vec<Table>,
}

/// What all runs share; an axis of the same name goes before it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    /// GPU.
    pub gpu: Option<String>,
    /// Scheme.
    pub scheme: Option<String>,
    /// Size of the inputs.
    pub scale: Option<String>,
    /// Seed of the inputs.
    pub seed: Option<u64>,
    /// Data set of the workloads.
    pub data: Option<String>,
    /// Energy set.
    pub energy: Option<String>,
    /// Core cycles between two samples.
    pub sample_cycles: Option<u64>,
    /// Changes of single keys.
    #[serde(default)]
    pub set: Vec<String>,
}

impl SweepFile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, LabError> {
        let text = files::read_text(path, files::MOST_DESCRIPTION_BYTES)
            .map_err(|error| LabError::file(path, error))?;
        Self::parse(&text).map_err(|message| LabError::Usage(format!("{}: {message}", path.display())))
    }

    /// Reads a text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let sweep: Self = toml::from_str(text).map_err(|error| {
            // The reader's own report shows the place, and ends with its message.
            let report = error.to_string();
            let place = report.trim_end().strip_suffix(error.message()).unwrap_or_default();
            match plain(error.message()) {
                (what, Some(advice)) => format!("{place}{what}; {advice}"),
                (what, None) => format!("{place}{what}"),
            }
        })?;
        for name in sweep.program.keys() {
            if shrinkwarp_workloads::find(name).is_some() || is_launch_file(name) {
                return Err(format!(
                    "[program.{name}]: a workload or a launch file has this name; choose another"
                ));
            }
        }
        if sweep.axes.contains_key("workload") {
            return Ok(sweep);
        }
        Err("[axes] has no workload; write workload = [\"spmv\", \"bfs\"] or workload = \"all\"".to_owned())
    }
}

/// The texts of a value or a list of values.
pub(super) fn texts(value: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match value {
        Value::Array(values) => values.iter().map(text).collect(),
        one => vec![text(one)],
    }
}
