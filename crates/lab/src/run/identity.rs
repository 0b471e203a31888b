//! What makes a run the same run as another: the hash of everything that its result depends on.
//!
//! The hash is SHA-256 over a text with one line for each plain value and one section for each configuration, all
//! defaults written out. Names and descriptions of configurations are left out: a run is what its machine is, however
//! it was requested. Whether a time series is recorded or blocks are verified is not among them: watching changes no
//! result. Tables of a profiling run are not among them either: they follow from the rest.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shrinkwarp_sim::MODEL_VERSION;

use super::spec::Run;
use crate::LabError;

/// The version of the text that is hashed.
const TEXT_VERSION: u32 = 2;

/// The name of a run: 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identity(String);

impl Identity {
    /// Of a run.
    pub fn of(run: &Run) -> Result<Self, LabError> {
        let mut text = program_text(run)?;
        text += &format!("[scheme]\n{}\n", content_text(&run.scheme)?);
        text += &format!("[energy]\n{}\n", content_text(&run.energy)?);
        for (codec, bytes) in run.tables.iter().flatten() {
            text += &format!("tables {codec} {}\n", hash(bytes));
        }
        Ok(Self(hash(text.as_bytes())))
    }

    /// Of the profiling run that a run's trained codecs need: the same program on the same GPU without compression.
    pub fn of_profile(run: &Run) -> Result<Self, LabError> {
        Ok(Self(hash(format!("profile\n{}", program_text(run)?).as_bytes())))
    }

    /// All digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Enough digits for a person to tell runs apart.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl From<String> for Identity {
    fn from(digits: String) -> Self {
        Self(digits)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is computed, and on which GPU.
fn program_text(run: &Run) -> Result<String, LabError> {
    let mut subject = run.subject.identity_text();
    if run.subject.is_program() {
        subject += &format!("compute_capability {}\n", run.gpu.compute_capability);
    }
    let gpu = content_text(&run.gpu)?;
    Ok(format!("shrinkwarp run {TEXT_VERSION}\nmodel {MODEL_VERSION}\n{subject}[gpu]\n{gpu}\n"))
}

/// A configuration as TOML with every key.
pub fn configuration_text<T: Serialize>(configuration: &T) -> Result<String, LabError> {
    toml::to_string(configuration)
        .map_err(|error| LabError::Work(format!("a configuration cannot be written: {error}")))
}

/// What a configuration says, without what it is called and without what only programs ask for.
pub fn content_text<T: Serialize>(configuration: &T) -> Result<String, LabError> {
    let unwritable = |error| LabError::Work(format!("a configuration cannot be written: {error}"));
    let mut table = toml::Table::try_from(configuration).map_err(unwritable)?;
    for label in ["name", "description", "compute_capability"] {
        table.remove(label);
    }
    toml::to_string(&table).map_err(unwritable)
}

/// SHA-256 in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// SHA-256 of a file in hexadecimal. What is not a regular file may have no end, and is refused.
pub fn hash_file(path: &Path) -> Result<String, LabError> {
    let failed = |error: std::io::Error| LabError::file(path, error);
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(LabError::file(path, "is not a regular file"));
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut state = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(hexadecimal(&state.finalize())),
            count => state.update(&buffer[..count]),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use shrinkwarp_workloads::Scale;

    use super::*;
    use crate::run::RunSpec;

    fn identity(spec: &RunSpec) -> Identity {
        spec.resolve().unwrap().identity().unwrap()
    }

    #[test]
    fn every_part_of_a_run_changes_its_identity() {
        let base = RunSpec::new("spmv", Scale::Tiny);
        let others = [
            RunSpec { subject: "bfs".into(), ..base.clone() },
            RunSpec { scale: Scale::Small, ..base.clone() },
            RunSpec { seed: 2, ..base.clone() },
            RunSpec { subject: "kmeans".into(), ..base.clone() },
            RunSpec { subject: "kmeans".into(), data: Some("thesis".into()), ..base.clone() },
            RunSpec { gpu: "e2mc-gtx580".into(), ..base.clone() },
            RunSpec { overrides: vec!["l1.size_kib=32".into()], ..base.clone() },
            RunSpec { energy: "hbm2".into(), ..base.clone() },
            RunSpec { overrides: vec!["scheme.packets.codec=dsm".into()], ..base.clone() },
        ];
        let mut identities: Vec<Identity> = others.iter().map(identity).collect();
        identities.push(identity(&base));
        identities.sort();
        identities.dedup();
        assert_eq!(identities.len(), others.len() + 1);
    }

    #[test]
    fn what_changes_no_result_changes_no_identity() {
        let base = RunSpec::new("spmv", Scale::Tiny);
        let same =
            RunSpec { overrides: vec!["l1.size_kib=16".into()], sample_cycles: Some(500), ..base.clone() };
        assert_eq!(identity(&base), identity(&same));
    }

    #[test]
    fn a_run_is_the_same_however_its_machine_was_asked_for() {
        let named = RunSpec { gpu: "e2mc-gtx580-192".into(), ..RunSpec::new("spmv", Scale::Tiny) };
        let changes = ["l2.size_kib=64", "dram.channels=12"];
        let changed = |changes: &[&str]| RunSpec {
            gpu: "e2mc-gtx580".into(),
            overrides: changes.iter().map(ToString::to_string).collect(),
            ..named.clone()
        };
        assert_eq!(identity(&named), identity(&changed(&changes)));
        assert_ne!(
            identity(&named),
            identity(&changed(&changes[..1])),
            "half of the changes is another machine"
        );
    }

    #[test]
    fn a_run_is_the_same_however_its_scheme_was_asked_for() {
        let named = RunSpec { scheme: "bdi-packets".into(), ..RunSpec::new("spmv", Scale::Tiny) };
        let changed = RunSpec {
            overrides: vec!["scheme.packets.codec=bdi".into()],
            ..RunSpec::new("spmv", Scale::Tiny)
        };
        assert_eq!(identity(&named), identity(&changed));
        let [named, changed] = [named, changed].map(|spec| spec.resolve().unwrap());
        assert_eq!(named.scheme, changed.scheme);
        assert_eq!(changed.overrides, Vec::<String>::new());
    }

    #[test]
    fn a_changed_scheme_is_not_called_what_it_was_changed_from() {
        let changes =
            vec!["scheme.packets.codec=bdi".to_owned(), "scheme.packets.compress_cycles=9".to_owned()];
        let run = RunSpec { overrides: changes, ..RunSpec::new("spmv", Scale::Tiny) }.resolve().unwrap();
        assert_eq!(run.scheme.name, "none packets.codec=bdi packets.compress_cycles=9");
    }

    #[test]
    fn a_change_that_another_replaces_is_not_in_the_name() {
        let name = |changes: &[&str]| {
            let overrides = changes.iter().map(|&change| change.to_owned()).collect();
            RunSpec { overrides, ..RunSpec::new("spmv", Scale::Tiny) }.resolve().unwrap().scheme.name
        };
        let twice =
            ["scheme.packets.codec=dsm", "scheme.approximation.bits=12", "scheme.approximation.bits=8"];
        assert_eq!(name(&twice), name(&["scheme.packets.codec=dsm", "scheme.approximation.bits=8"]));
    }
}
