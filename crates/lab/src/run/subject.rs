//! What is run: a workload of the suite, a launch file, or a program. Everything else about a run is the same for all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shrinkwarp_emu::kernel::REGISTER_MODEL_VERSION;
use shrinkwarp_formats::files;
use shrinkwarp_launchfile::Session;
use shrinkwarp_report::suggestion::suggestion;
use shrinkwarp_workloads::{DataSet, Scale, Setup, WORKLOADS, Workload};

use super::identity::{hash, hash_file};
use super::spec::RunSpec;
use crate::LabError;
use crate::program::{Program, ProgramSpec};

/// What is run, as a person asks for it.
#[derive(Clone, Debug, PartialEq)]
pub enum SubjectSpec {
    /// A workload of the suite, or the path of a launch file.
    Named(String),
    /// A program.
    Program(Arc<ProgramSpec>),
}

impl SubjectSpec {
    /// The name, for workloads and launch files.
    pub fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Program(program) => program.name.as_deref().unwrap_or("a program"),
        }
    }
}

impl From<&str> for SubjectSpec {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<ProgramSpec> for SubjectSpec {
    fn from(program: ProgramSpec) -> Self {
        Self::Program(Arc::new(program))
    }
}

/// Whether a name is that of a launch file.
pub fn is_launch_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

/// What is run.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A workload of the suite with its input.
    Workload(WorkloadInput),
    /// The user's own kernels.
    LaunchFile(Arc<LaunchFileSubject>),
    /// The user's own program.
    Program(Arc<Program>),
}

/// A workload with its input.
#[derive(Clone, Debug)]
pub struct WorkloadInput {
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
}

/// A launch file that was read.
#[derive(Debug)]
pub struct LaunchFileSubject {
    /// Its path, as it was given.
    pub name: String,
    /// What it says.
    pub session: Session,
    digest: String,
}

/// A user's input file.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it came from, for messages.
    pub path: PathBuf,
    /// What it held.
    pub bytes: Arc<[u8]>,
}

/// What is in the place of scale and data set where there are none: launch files and programs have inputs of their own.
pub const OWN_INPUT: &str = "own";

/// ` at tiny scale`, where there is a scale.
pub fn at_scale(scale: &str) -> String {
    if scale == OWN_INPUT { String::new() } else { format!(" at {scale} scale") }
}

impl Subject {
    /// What a spec names; every file is read and every mistake found.
    pub(super) fn resolve(spec: &RunSpec) -> Result<Self, LabError> {
        match &spec.subject {
            SubjectSpec::Program(program) => {
                require_no_input(spec, "a program")?;
                Ok(Self::Program(Arc::new(program.resolve()?)))
            }
            SubjectSpec::Named(name) if is_launch_file(name) => {
                require_no_input(spec, "a launch file")?;
                Ok(Self::LaunchFile(Arc::new(LaunchFileSubject::open(name)?)))
            }
            SubjectSpec::Named(name) => WorkloadInput::resolve(name, spec).map(Self::Workload),
        }
    }

    /// Whether it is a CUDA program, which can ask what GPU it runs on.
    pub fn is_program(&self) -> bool {
        matches!(self, Self::Program(_))
    }

    /// Its name in results.
    pub fn name(&self) -> &str {
        match self {
            Self::Workload(of) => of.workload.name,
            Self::LaunchFile(file) => &file.name,
            Self::Program(program) => &program.name,
        }
    }

    /// The size of its input.
    pub fn scale(&self) -> &'static str {
        match self {
            Self::Workload(of) => of.scale.name(),
            _ => OWN_INPUT,
        }
    }

    /// The name of its generated input.
    pub fn data(&self) -> &'static str {
        match self {
            Self::Workload(of) => of.data.name,
            _ => OWN_INPUT,
        }
    }

    /// The seed of its generated input.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Workload(of) => of.seed,
            _ => 0,
        }
    }

    /// The hash of what the user brought: an input file, a launch file with all it names, a program with all it is given.
    pub fn own_digest(&self) -> Option<String> {
        match self {
            Self::Workload(of) => of.input.as_ref().map(|input| hash(&input.bytes)),
            Self::LaunchFile(file) => Some(file.digest.clone()),
            Self::Program(program) => Some(program.digest().to_owned()),
        }
    }

    /// What is computed, for the identity of runs.
    pub(super) fn identity_text(&self) -> String {
        match self {
            Self::Workload(of) => {
                let input = self.own_digest().unwrap_or("generated".to_owned());
                format!(
                    "workload {} {}\nscale {}\nseed {}\n{}\ninput {input}\n",
                    of.workload.name,
                    hash(of.workload.ptx.as_bytes()),
                    of.scale.name(),
                    of.seed,
                    data_set_text(of.data),
                )
            }
            Self::LaunchFile(file) => {
                format!("launch file {}\nregisters {REGISTER_MODEL_VERSION}\n", file.digest)
            }
            Self::Program(program) => {
                format!("program {}\nregisters {REGISTER_MODEL_VERSION}\n", program.digest())
            }
        }
    }

    /// A line that says what it is.
    pub fn description(&self) -> String {
        match self {
            Self::Workload(of) => {
                let (workload, scale, data) = (of.workload.name, of.scale.name(), of.data.name);
                format!("{workload} at {scale} scale, data set {data}, seed {}", of.seed)
            }
            Self::LaunchFile(file) => format!("launch file {}", file.name),
            Self::Program(program) => format!("program {}", program.name),
        }
    }

    /// The workload of the suite that it is.
    pub fn workload(&self) -> Option<&WorkloadInput> {
        match self {
            Self::Workload(of) => Some(of),
            _ => None,
        }
    }
}

/// The first revision is not written, so that results from before there were revisions stay valid.
fn data_set_text(data: &DataSet) -> String {
    match data.revision {
        1 => format!("data {}", data.name),
        revision => format!("data {} revision {revision}", data.name),
    }
}

impl WorkloadInput {
    fn resolve(name: &str, spec: &RunSpec) -> Result<Self, LabError> {
        let workload = find_workload(name)?;
        if spec.data.is_some() && spec.input.is_some() {
            let message = "--data names a generated input and --input replaces it; give one of them";
            return Err(LabError::Usage(message.to_owned()));
        }
        let data = find_data_set(workload, spec.data.as_deref())?;
        let input = spec.input.as_deref().map(|path| read_input(workload, path)).transpose()?;
        Ok(Self { workload, scale: spec.scale, seed: spec.seed, data, input })
    }
}

impl WorkloadInput {
    /// The workload's setup with this input.
    pub fn setup(&self) -> Setup<'_> {
        let input = self.input.as_ref().map(|input| &*input.bytes);
        Setup { input, data: Some(self.data.name), ..Setup::usual(self.scale, self.seed) }
    }
}

impl LaunchFileSubject {
    fn open(name: &str) -> Result<Self, LabError> {
        let session =
            Session::open(Path::new(name), None).map_err(|error| LabError::Work(error.text(false)))?;
        let mut text = format!("{}\n{}\n", hash(session.source().as_bytes()), hash(session.ptx().as_bytes()));
        for path in session.data_files() {
            text += &format!("{}\n", hash_file(&path)?);
        }
        Ok(Self { name: name.to_owned(), session, digest: hash(text.as_bytes()) })
    }
}

/// What only workloads have is not ignored.
fn require_no_input(spec: &RunSpec, what: &str) -> Result<(), LabError> {
    let given = [("--input", spec.input.is_some()), ("--data", spec.data.is_some())];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            Err(LabError::Usage(format!("{option} is for workloads; {what} has its own input")))
        }
        None => Ok(()),
    }
}

/// The user's input file, where the workload takes one.
fn read_input(workload: &Workload, path: &Path) -> Result<Input, LabError> {
    if workload.input.is_none() {
        let message = format!("--input: {} makes its own input and takes no file", workload.name);
        return Err(LabError::Usage(message));
    }
    let bytes =
        files::read_bounded(path, files::MOST_DATA_BYTES).map_err(|error| LabError::file(path, error))?;
    Ok(Input { path: path.to_owned(), bytes: bytes.into() })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revised_data_set_is_another_input() {
        let first = DataSet::new("roads", "a generator");
        assert_eq!(data_set_text(&first), "data roads");
        assert_eq!(data_set_text(&first.revised(2)), "data roads revision 2");
    }
}
