//! GPUs and schemes by name, and lists of what there is.

use pyo3::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use shrinkwarp_lab::{LabError, suite};
use shrinkwarp_machine::configuration::{gpu_with, scheme_with};
use shrinkwarp_sim::config::GPUS;
use shrinkwarp_sim::config::scheme::{SCHEMES, load_scheme};
use shrinkwarp_workloads::WORKLOADS;

use crate::failure::{exception, work};

/// All keys of a GPU, a preset or a file, with changes of the form `section.key=value`.
#[pyfunction]
pub fn gpu_json(name: &str, changes: Vec<String>) -> PyResult<String> {
    text(&gpu_with(name, &changes).map_err(|error| exception(LabError::from(error)))?)
}

/// All keys of a scheme, a preset or a file, with changes of the form `scheme.section.key=value`.
#[pyfunction]
pub fn scheme_json(name: &str, changes: Vec<String>) -> PyResult<String> {
    text(&scheme_with(name, &changes).map_err(|error| exception(LabError::from(error)))?)
}

/// Names of the GPUs that are part of the program.
#[pyfunction]
pub fn gpu_list() -> Vec<&'static str> {
    GPUS.iter().map(|preset| preset.name).collect()
}

/// Names and descriptions of the schemes that are part of the program.
#[pyfunction]
pub fn scheme_list() -> PyResult<Vec<(&'static str, String)>> {
    let described = |preset: &shrinkwarp_sim::config::Preset| {
        let scheme = load_scheme(preset.name, &[]).map_err(|error| exception(LabError::from(error)))?;
        Ok((preset.name, scheme.description))
    };
    SCHEMES.iter().map(described).collect()
}

/// The workloads.
#[pyfunction]
pub fn workload_list() -> String {
    let workload = |workload: &&shrinkwarp_workloads::Workload| {
        json!({
            "name": workload.name,
            "data_sets": workload.data_sets.iter().map(|data| data.name).collect::<Vec<_>>(),
        })
    };
    Value::Array(WORKLOADS.iter().map(workload).collect()).to_string()
}

/// The workloads that names and groups mean.
#[pyfunction]
pub fn workload_names(names: Vec<String>) -> PyResult<Vec<&'static str>> {
    let workloads = suite::expand(&names).map_err(exception)?;
    Ok(workloads.iter().map(|workload| workload.name).collect())
}

fn text(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(work)
}
