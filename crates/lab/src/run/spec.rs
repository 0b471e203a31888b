//! What is asked, by name, and what it means.

use std::path::PathBuf;
use std::sync::Arc;

use shrinkwarp_emu::memory::DEFAULT_REGION_ENTRIES;
use shrinkwarp_formats::files;
use shrinkwarp_machine::configuration::{energy_set, gpu_changes, gpu_with, scheme_changes, scheme_with};
use shrinkwarp_machine::tables;
use shrinkwarp_sim::config::scheme::{SCHEMES, SchemeSpec};
use shrinkwarp_sim::config::{self, GpuSpec};
use shrinkwarp_sim::energy::{ENERGY_SETS, EnergySet};
use shrinkwarp_sim::own_codec::OwnCodecs;
use shrinkwarp_sim::scheme::Tables;
use shrinkwarp_workloads::{DataSet, Scale, WORKLOADS, Workload};

use super::identity::Identity;
use super::naming::named;
use crate::LabError;
use shrinkwarp_report::suggestion::suggestion;

/// A run as a person asks for it.
#[derive(Clone, Debug)]
pub struct RunSpec {
    /// GPU preset, or a path to a file.
    pub gpu: String,
    /// Which codec is where: a scheme, or a path to a file.
    pub scheme: String,
    /// Changes of single keys: `section.key=value` of the GPU, `scheme.section.key=value` of the scheme.
    pub overrides: Vec<String>,
    /// Workload of the suite.
    pub workload: String,
    /// Size of its input.
    pub scale: Scale,
    /// Seed of its input.
    pub seed: u64,
    /// Which of the workload's data sets; the default if none is named.
    pub data: Option<String>,
    /// A file in place of the generated input.
    pub input: Option<PathBuf>,
    /// Energy set, or a path to a file.
    pub energy: String,
    /// Core cycles between two samples of the time series, if there is to be one.
    pub sample_cycles: Option<u64>,
    /// A file with the tables of trained codecs, in place of a profiling run.
    pub tables: Option<PathBuf>,
    /// Whether every compressed block is decompressed and compared.
    pub verifies: bool,
    /// Least significant bits that loads from approximable buffers lose, in place of the scheme's.
    pub approximate_bits: Option<u32>,
    /// Entries of the map of approximable regions.
    pub region_entries: usize,
}

impl RunSpec {
    /// A workload at a scale, with everything else as by default.
    pub fn new(workload: &str, scale: Scale) -> Self {
        Self {
            gpu: config::GPUS[0].name.to_owned(),
            scheme: SCHEMES[0].name.to_owned(),
            overrides: Vec::new(),
            workload: workload.to_owned(),
            scale,
            seed: 1,
            data: None,
            input: None,
            energy: ENERGY_SETS[0].name.to_owned(),
            sample_cycles: None,
            tables: None,
            verifies: false,
            approximate_bits: None,
            region_entries: DEFAULT_REGION_ENTRIES,
        }
    }

    /// Reads every file that the spec names and finds every mistake in it.
    pub fn resolve(&self) -> Result<Run, LabError> {
        let workload = find_workload(&self.workload)?;
        let mut scheme = scheme_with(&self.scheme, &self.overrides)?;
        let mut changes = scheme_changes(&self.overrides);
        if let Some(bits) = self.approximate_bits {
            check_approximable(workload)?;
            scheme.approximation.bits = bits;
            changes.push(format!("approximation.bits={bits}"));
        }
        let scheme = named(scheme, &changes)?;
        Ok(Run {
            workload,
            scale: self.scale,
            seed: self.seed,
            data: self.data_set(workload)?,
            input: self.read_input(workload)?,
            gpu: gpu_with(&self.gpu, &self.overrides)?,
            reports_error: self.approximate_bits.is_some() || scheme.approximation.bits > 0,
            region_entries: self.region_entries,
            scheme,
            overrides: gpu_changes(&self.overrides),
            energy: energy_set(&self.energy)?,
            sample_cycles: self.sample_cycles,
            tables: self.tables.as_deref().map(tables::read).transpose()?,
            verifies: self.verifies,
            own_codecs: OwnCodecs::new(),
        })
    }

    /// The data set that the workload generates.
    fn data_set(&self, workload: &Workload) -> Result<&'static DataSet, LabError> {
        if self.data.is_some() && self.input.is_some() {
            let message = "--data names a generated input and --input replaces it; give one of them";
            return Err(LabError::Usage(message.to_owned()));
        }
        find_data_set(workload, self.data.as_deref())
    }

    /// The user's input file, where the workload takes one.
    fn read_input(&self, workload: &Workload) -> Result<Option<Input>, LabError> {
        let Some(path) = &self.input else { return Ok(None) };
        if workload.input.is_none() {
            let message = format!("--input: {} makes its own input and takes no file", workload.name);
            return Err(LabError::Usage(message));
        }
        let bytes =
            files::read_bounded(path, files::MOST_DATA_BYTES).map_err(|error| LabError::file(path, error))?;
        Ok(Some(Input { path: path.clone(), bytes: bytes.into() }))
    }
}

/// A run with every name replaced by what it means.
#[derive(Clone, Debug)]
pub struct Run {
    /// The workload.
    pub workload: &'static Workload,
    /// Size of its input.
    pub scale: Scale,
    /// Seed of its input.
    pub seed: u64,
    /// The generated input.
    pub data: &'static DataSet,
    /// The user's input, if one replaces the generated one.
    pub input: Option<Input>,
    /// The GPU, changes included.
    pub gpu: GpuSpec,
    /// The scheme, changes included.
    pub scheme: SchemeSpec,
    /// The changes of the GPU, as they were requested; those of the scheme are in its name.
    pub overrides: Vec<String>,
    /// Joules per event.
    pub energy: EnergySet,
    /// Core cycles between two samples.
    pub sample_cycles: Option<u64>,
    /// The user's tables of trained codecs, if they replace those of a profiling run.
    pub tables: Option<Tables>,
    /// Whether every compressed block is decompressed and compared.
    pub verifies: bool,
    /// Whether the result's error is reported, in place of a check.
    pub reports_error: bool,
    /// Entries of the map of approximable regions.
    pub region_entries: usize,
    /// Codecs that the scheme names `own:NAME`. They are no part of the run's identity, so its result must not be kept.
    pub own_codecs: OwnCodecs,
}

/// A user's input file.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it came from, for messages.
    pub path: PathBuf,
    /// What it held.
    pub bytes: Arc<[u8]>,
}

impl Run {
    /// What makes it the same run as another.
    pub fn identity(&self) -> Result<Identity, LabError> {
        Identity::of(self)
    }
}

/// The workload of this name, or which one may have been meant.
pub fn find_workload(name: &str) -> Result<&'static Workload, LabError> {
    shrinkwarp_workloads::find(name).ok_or_else(|| {
        let known: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
        LabError::Usage(format!("unknown workload {name:?}; {}", suggestion(name, &known)))
    })
}

/// The workload's data set of this name, or its default.
pub fn find_data_set(workload: &Workload, name: Option<&str>) -> Result<&'static DataSet, LabError> {
    let Some(name) = name else { return Ok(workload.default_data_set()) };
    workload.data_set(name).ok_or_else(|| {
        let known: Vec<&str> = workload.data_sets.iter().map(|data_set| data_set.name).collect();
        let advice = suggestion(name, &known);
        LabError::Usage(format!("--data: {} has no data set {name:?}; {advice}", workload.name))
    })
}

/// Approximation that can touch nothing is not what the user meant.
fn check_approximable(workload: &Workload) -> Result<(), LabError> {
    let has_some = |workload: &Workload| workload.buffers.iter().any(|buffer| buffer.is_approximable);
    if has_some(workload) {
        return Ok(());
    }
    let others: Vec<&str> =
        WORKLOADS.iter().filter(|other| has_some(other)).map(|other| other.name).collect();
    let message = format!(
        "--approximate-bits: {} has no approximable buffers; these have: {}",
        workload.name,
        others.join(", ")
    );
    Err(LabError::Usage(message))
}

/// The scale of this name.
pub fn parse_scale(name: &str) -> Result<Scale, LabError> {
    let unknown = || {
        let known = Scale::ALL.map(Scale::name);
        LabError::Usage(format!("unknown scale {name:?}; {}", suggestion(name, &known)))
    };
    Scale::ALL.into_iter().find(|scale| scale.name() == name).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_workload_gets_the_nearest_name() {
        let message = find_workload("spmw").unwrap_err().to_string();
        assert!(message.starts_with("unknown workload \"spmw\"; did you mean \"spmv\"?"), "{message}");
    }

    #[test]
    fn a_mistaken_change_of_the_scheme_is_shown_as_it_was_asked_for() {
        let spec =
            RunSpec { overrides: vec!["scheme.l1.polcy=latte".into()], ..RunSpec::new("libor", Scale::Tiny) };
        let message = spec.resolve().unwrap_err().to_string();
        let expected = "--set scheme.l1.polcy=latte: l1.polcy: unknown key; did you mean \"policy\"?";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn an_unknown_data_set_gets_the_known_ones() {
        let spec = RunSpec { data: Some("kd".into()), ..RunSpec::new("kmeans", Scale::Tiny) };
        let message = spec.resolve().unwrap_err().to_string();
        let known: Vec<&str> =
            find_workload("kmeans").unwrap().data_sets.iter().map(|data| data.name).collect();
        assert!(message.starts_with("--data: kmeans has no data set \"kd\"; "), "{message}");
        assert!(known.iter().all(|name| message.contains(name)), "{message}");
    }

    #[test]
    fn a_data_set_and_a_file_exclude_each_other() {
        let base = RunSpec::new("kmeans", Scale::Tiny);
        let data = Some(base.resolve().unwrap().data.name.to_owned());
        let message =
            RunSpec { data, input: Some("a.npy".into()), ..base }.resolve().unwrap_err().to_string();
        assert!(message.contains("give one of them"), "{message}");
    }

    #[test]
    fn a_workload_without_approximable_buffers_refuses_approximation() {
        let spec = RunSpec { approximate_bits: Some(8), ..RunSpec::new("histogram", Scale::Tiny) };
        let message = spec.resolve().unwrap_err().to_string();
        assert!(
            message.starts_with("--approximate-bits: histogram has no approximable buffers"),
            "{message}"
        );
        assert!(RunSpec { workload: "kmeans".into(), ..spec }.resolve().is_ok());
    }

    #[test]
    fn a_workload_without_an_input_file_refuses_one() {
        let spec = RunSpec { input: Some("graph.mtx".into()), ..RunSpec::new("libor", Scale::Tiny) };
        let message = spec.resolve().unwrap_err().to_string();
        assert!(message.contains("libor makes its own input"), "{message}");
    }
}
