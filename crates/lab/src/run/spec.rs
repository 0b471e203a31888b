//! What is asked, by name, and what it means.

use std::path::PathBuf;

use shrinkwarp_emu::memory::DEFAULT_REGION_ENTRIES;
use shrinkwarp_machine::configuration::{
    ENERGY_OF_GPU, energy_set_for, gpu_changes, gpu_with, scheme_changes, scheme_with,
};
use shrinkwarp_machine::tables;
use shrinkwarp_sim::config::scheme::{SCHEMES, SchemeSpec};
use shrinkwarp_sim::config::{self, GpuSpec};
use shrinkwarp_sim::energy::EnergySet;
use shrinkwarp_sim::own_codec::OwnCodecs;
use shrinkwarp_sim::scheme::Tables;
use shrinkwarp_workloads::{Scale, WORKLOADS, Workload};

use super::identity::Identity;
use super::naming::named;
use super::subject::{Subject, SubjectSpec};
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
    /// What is run.
    pub subject: SubjectSpec,
    /// Size of a workload's input.
    pub scale: Scale,
    /// Seed of a workload's input.
    pub seed: u64,
    /// Which of a workload's data sets; the default if none is named.
    pub data: Option<String>,
    /// A file in place of a workload's generated input.
    pub input: Option<PathBuf>,
    /// Energy set, or a path to a file, or `gpu` for that of the GPU's class.
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
    pub fn new(subject: impl Into<SubjectSpec>, scale: Scale) -> Self {
        Self {
            gpu: config::GPUS[0].name.to_owned(),
            scheme: SCHEMES[0].name.to_owned(),
            overrides: Vec::new(),
            subject: subject.into(),
            scale,
            seed: 1,
            data: None,
            input: None,
            energy: ENERGY_OF_GPU.to_owned(),
            sample_cycles: None,
            tables: None,
            verifies: false,
            approximate_bits: None,
            region_entries: DEFAULT_REGION_ENTRIES,
        }
    }

    /// Reads every file that the spec names and finds every mistake in it.
    pub fn resolve(&self) -> Result<Run, LabError> {
        self.resolve_for(Subject::resolve(self)?)
    }

    /// The same for a subject that was read before: what several runs share is read once.
    pub fn resolve_for(&self, subject: Subject) -> Result<Run, LabError> {
        let mut scheme = scheme_with(&self.scheme, &self.overrides)?;
        let mut changes = scheme_changes(&self.overrides);
        if let Some(bits) = self.approximate_bits {
            check_approximable(&subject)?;
            scheme.approximation.bits = bits;
            changes.push(format!("approximation.bits={bits}"));
        }
        let scheme = named(scheme, &changes)?;
        let gpu = gpu_with(&self.gpu, &self.overrides)?;
        Ok(Run {
            reports_error: self.approximate_bits.is_some() || scheme.approximation.bits > 0,
            subject,
            region_entries: self.region_entries,
            scheme,
            overrides: gpu_changes(&self.overrides),
            energy: energy_set_for(&self.energy, &gpu)?,
            gpu,
            sample_cycles: self.sample_cycles,
            tables: self.tables.as_deref().map(tables::read).transpose()?,
            verifies: self.verifies,
            own_codecs: OwnCodecs::new(),
        })
    }
}

/// A run with every name replaced by what it means.
#[derive(Clone, Debug)]
pub struct Run {
    /// What is run.
    pub subject: Subject,
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

impl Run {
    /// What makes it the same run as another.
    pub fn identity(&self) -> Result<Identity, LabError> {
        Identity::of(self)
    }

    /// The same program on the same machine without compression, with nothing sampled: what profiles are made of.
    pub fn without_compression(&self) -> Result<Self, LabError> {
        Ok(Self {
            scheme: scheme_with(SCHEMES[0].name, &[])?,
            sample_cycles: None,
            tables: None,
            verifies: false,
            reports_error: false,
            own_codecs: OwnCodecs::new(),
            ..self.clone()
        })
    }
}

/// Approximation that can touch nothing is not what the user meant.
fn check_approximable(subject: &Subject) -> Result<(), LabError> {
    let has_some = |workload: &Workload| workload.buffers.iter().any(|buffer| buffer.is_approximable);
    let name = subject.name();
    let way_out = match subject {
        Subject::Workload(of) if has_some(of.workload) => return Ok(()),
        Subject::Program(program) if program.has_approximable() => return Ok(()),
        Subject::Program(_) => "name them with --approximable NUMBER:FORMAT".to_owned(),
        Subject::LaunchFile(_) => "a launch file says approximate_bits = K in a [[buffer]]".to_owned(),
        Subject::Workload(_) => {
            let others = WORKLOADS.iter().filter(|other| has_some(other)).map(|other| other.name);
            format!("these have: {}", others.collect::<Vec<_>>().join(", "))
        }
    };
    Err(LabError::Usage(format!("--approximate-bits: {name} has no approximable buffers; {way_out}")))
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
    use crate::run::find_workload;

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
        let data = Some(base.resolve().unwrap().subject.data().to_owned());
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
        assert!(RunSpec { subject: "kmeans".into(), ..spec }.resolve().is_ok());
    }

    #[test]
    fn a_workload_without_an_input_file_refuses_one() {
        let spec = RunSpec { input: Some("graph.mtx".into()), ..RunSpec::new("libor", Scale::Tiny) };
        let message = spec.resolve().unwrap_err().to_string();
        assert!(message.contains("libor makes its own input"), "{message}");
    }
}
