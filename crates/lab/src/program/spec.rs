//! A program as a person asks for it, and what that means.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use shrinkwarp_codec::transform::FloatFormat;
use shrinkwarp_report::suggestion::suggestion;

use super::judge::OutputMetric;
use super::library::find_library;
use crate::LabError;
use crate::run::{hash, hash_file};

/// The version of the text that is hashed.
const TEXT_VERSION: u32 = 1;
/// The longest name of a program, in letters.
const MOST_LETTERS: usize = 48;
/// What a program is given of the caller's environment. These say where things are, not what is computed, and are no part
/// of the identity; the library path is.
const GIVEN: [&str; 7] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "USER"];
/// Where the loader looks for libraries; ours comes first.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// A program as a person asks for it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProgramSpec {
    /// The program and its arguments.
    #[serde(deserialize_with = "words")]
    pub command: Vec<OsString>,
    /// What it is called in results; without, the command.
    #[serde(skip)]
    pub name: Option<String>,
    /// Files whose content is part of its identity.
    pub input_files: Vec<PathBuf>,
    /// Files that it writes, relative to its folder: each run has its own.
    pub output_files: Vec<PathBuf>,
    /// `NAME=VALUE`, or `NAME` for the caller's value.
    pub env: Vec<String>,
    /// Allocations that may be approximated: `NUMBER:FORMAT`, with the scheme's bits, or `NUMBER:FORMAT:BITS`.
    pub approximable: Vec<String>,
    /// A command that says whether the results are right.
    pub check: Option<String>,
    /// A metric over a file of results: `METRIC:FILE` or `METRIC:FILE:TYPE`.
    pub metric: Option<String>,
    /// Seconds after which a run is given up.
    pub timeout_s: Option<u64>,
}

/// A program that is there, with everything that it is given.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is called in results.
    pub name: String,
    /// The file that is executed.
    pub(super) executable: PathBuf,
    /// The program as it was named, and its arguments.
    pub(super) words: Vec<OsString>,
    /// Where it was asked for.
    pub(super) folder: PathBuf,
    /// The environment, without the library path and what is ours.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// The caller's library path.
    pub(super) library_path: Option<OsString>,
    /// Our runtime library.
    pub(super) library: PathBuf,
    pub(super) outputs: Vec<PathBuf>,
    pub(super) approximable: Vec<Approximable>,
    pub(super) check: Option<String>,
    pub(super) metric: Option<OutputMetric>,
    pub(super) timeout: Option<Duration>,
    digest: String,
}

/// An allocation that may be approximated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Approximable {
    /// Number and element type, as the runtime library reads them.
    pub place: String,
    /// Low bits that loads do not see; the scheme's without.
    pub bits: Option<u32>,
}

impl ProgramSpec {
    /// Finds the program and reads what its identity needs.
    pub fn resolve(&self) -> Result<Program, LabError> {
        let Some(first) = self.command.first() else {
            return Err(LabError::Usage("a program has no command; give it after --".to_owned()));
        };
        let folder = std::env::current_dir()
            .map_err(|error| LabError::Work(format!("the current folder: {error}")))?;
        let executable = find_executable(first, &folder)?;
        let metric = self.metric.as_deref().map(OutputMetric::parse).transpose()?;
        let mut outputs = self.output_files.clone();
        outputs.extend(metric.iter().map(|metric| metric.file.clone()));
        let library_path = std::env::var_os(LIBRARY_PATH).filter(|path| !path.is_empty());
        let mut program = Program {
            name: self.name.clone().unwrap_or_else(|| shown(&self.command)),
            executable,
            words: self.command.clone(),
            folder,
            environment: self.environment()?,
            library_path,
            library: find_library()?,
            outputs,
            approximable: self
                .approximable
                .iter()
                .map(|text| Approximable::parse(text))
                .collect::<Result<_, _>>()?,
            check: self.check.clone(),
            metric,
            timeout: self.timeout_s.map(Duration::from_secs),
            digest: String::new(),
        };
        program.digest = self.digest(&program)?;
        Ok(program)
    }

    /// What the program is given: the few names of [`GIVEN`], and what was asked for.
    fn environment(&self) -> Result<Vec<(OsString, OsString)>, LabError> {
        let caller = |name: &str| Some((OsString::from(name), std::env::var_os(name)?));
        let mut all: Vec<_> = GIVEN.iter().filter_map(|name| caller(name)).collect();
        for text in &self.env {
            let pair = match text.split_once('=') {
                Some((name, value)) => (OsString::from(name), OsString::from(value)),
                None => caller(text).ok_or_else(|| {
                    LabError::Usage(format!(
                        "--env {text}: is not set here; give its value with {text}=VALUE"
                    ))
                })?,
            };
            if pair.0.is_empty() || pair.0.as_bytes().starts_with(b"SHRINKWARP_") || pair.0 == LIBRARY_PATH {
                let message = format!(
                    "--env {text}: expected NAME=VALUE; LD_LIBRARY_PATH and SHRINKWARP_… are set by this command"
                );
                return Err(LabError::Usage(message));
            }
            all.retain(|(name, _)| *name != pair.0);
            all.push(pair);
        }
        Ok(all)
    }

    /// The hash of everything that the program's work depends on.
    fn digest(&self, program: &Program) -> Result<String, LabError> {
        let mut text = format!("program {TEXT_VERSION}\nbinary {}\n", hash_file(&program.executable)?);
        for argument in self.command.iter().skip(1) {
            text += &format!("argument {}\n", hash(argument.as_bytes()));
        }
        for file in &self.input_files {
            text += &format!("input {} {}\n", hash(file.as_os_str().as_bytes()), hash_file(file)?);
        }
        let mut environment: Vec<_> = program
            .environment
            .iter()
            .filter(|(name, _)| {
                self.env.iter().any(|asked| asked.split('=').next().map(OsStr::new) == Some(name))
            })
            .collect();
        environment.sort();
        for (name, value) in environment {
            text += &format!("environment {} {}\n", hash(name.as_bytes()), hash(value.as_bytes()));
        }
        let library_path = program.library_path.as_deref().unwrap_or_default();
        text += &format!("libraries {}\n", hash(library_path.as_bytes()));
        text += &format!("approximable {}\n", self.approximable.join(" "));
        text += &format!("check {:?}\nmetric {:?}\n", self.check, self.metric);
        Ok(hash(text.as_bytes()))
    }
}

impl Program {
    /// The hash of binary, arguments, input files, environment and how results are judged.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The allocations that may be approximated, for the runtime library, where a scheme clears `bits`.
    pub(super) fn approximable_text(&self, bits: u32) -> String {
        text_of(&self.approximable, bits)
    }

    /// The same with this number of bits everywhere.
    pub(super) fn approximable_with(&self, bits: u32) -> String {
        let plain = self.approximable.iter().map(|one| Approximable { bits: Some(bits), ..one.clone() });
        text_of(&plain.collect::<Vec<_>>(), bits)
    }

    /// Whether loads lose bits under a scheme that clears `bits`.
    pub fn is_approximated(&self, bits: u32) -> bool {
        !self.approximable_text(bits).is_empty()
    }

    /// Whether anything of it may be approximated.
    pub fn has_approximable(&self) -> bool {
        !self.approximable.is_empty()
    }

    /// The metric over its results, if one was asked for.
    pub fn metric(&self) -> Option<shrinkwarp_workloads::Metric> {
        self.metric.as_ref().map(|metric| metric.metric)
    }
}

impl Approximable {
    fn parse(text: &str) -> Result<Self, LabError> {
        let wrong = |what: String| LabError::Usage(format!("--approximable {text}: {what}"));
        let mut parts = text.split(':');
        let (number, format, bits) = (parts.next(), parts.next(), parts.next());
        let (Some(number), Some(format), None) =
            (number.and_then(|text| text.parse::<u64>().ok()), format, parts.next())
        else {
            return Err(wrong("expected NUMBER:FORMAT or NUMBER:FORMAT:BITS, as in 2:f32:8".to_owned()));
        };
        let known = FloatFormat::ALL.map(FloatFormat::name);
        if !known.contains(&format) {
            return Err(wrong(format!("unknown format {format:?}; {}", suggestion(format, &known))));
        }
        let bits = bits
            .map(|bits| bits.parse::<u32>().map_err(|_| wrong(format!("{bits:?} is not a number of bits"))));
        Ok(Self { place: format!("{number}:{format}"), bits: bits.transpose()? })
    }
}

/// Allocations that may be approximated, as the runtime library reads them, where a scheme clears `bits`.
pub fn approximable_variable(asked: &[String], bits: u32) -> Result<String, LabError> {
    let all: Vec<_> = asked.iter().map(|text| Approximable::parse(text)).collect::<Result<_, _>>()?;
    Ok(text_of(&all, bits))
}

fn text_of(all: &[Approximable], bits: u32) -> String {
    let bits_of = |one: &Approximable| one.bits.unwrap_or(bits);
    let chosen = all.iter().filter(|one| bits_of(one) > 0);
    chosen.map(|one| format!("{}:{}", one.place, bits_of(one))).collect::<Vec<_>>().join(",")
}

/// Words of a text file are text.
fn words<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<OsString>, D::Error> {
    Ok(Vec::<String>::deserialize(reader)?.into_iter().map(OsString::from).collect())
}

/// The file that a command names: a path, or a name in one of the folders of `PATH`.
fn find_executable(command: &OsStr, folder: &Path) -> Result<PathBuf, LabError> {
    let path = Path::new(command);
    if path.components().count() > 1 || command.as_bytes().contains(&b'/') {
        let path = folder.join(path);
        return match path.metadata() {
            Ok(metadata) if metadata.is_file() => Ok(path),
            Ok(_) => Err(LabError::Usage(format!("{}: is not a program", path.display()))),
            Err(error) => Err(LabError::Usage(format!("{}: {error}", path.display()))),
        };
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file()).ok_or_else(
        || {
            let name = path.display();
            LabError::Usage(format!("{name}: no such program in PATH; write ./{name} for one in this folder"))
        },
    )
}

/// A command as a name: the program's own, and its arguments.
fn shown(command: &[OsString]) -> String {
    let word = |(index, word): (usize, &OsString)| {
        let name = if index == 0 { Path::new(word).file_name().unwrap_or(word) } else { word };
        name.to_string_lossy().into_owned()
    };
    let text = command.iter().enumerate().map(word).collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MOST_LETTERS {
        return text;
    }
    text.chars().take(MOST_LETTERS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_has_a_short_name() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(shown(&words("./build/atax 1024")), "atax 1024");
        let long = shown(&words(&format!("atax {}", "x".repeat(100))));
        assert_eq!((long.chars().count(), long.ends_with("x…")), (MOST_LETTERS, true));
    }

    #[test]
    fn bits_are_the_users_or_the_schemes() {
        let all = ["2:f32:8", "0:f64"].map(|text| Approximable::parse(text).unwrap());
        assert_eq!((all[0].bits, all[1].bits), (Some(8), None));
        for (text, part) in
            [("f32:8", "expected NUMBER:FORMAT"), ("0:f33", "f32"), ("0:f32:many", "\"many\"")]
        {
            let message = Approximable::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_the_way_out() {
        let message = find_executable(OsStr::new("no-such-program"), Path::new("/")).unwrap_err().to_string();
        assert!(message.contains("./no-such-program"), "{message}");
        let message = find_executable(OsStr::new("./nothing"), Path::new("/")).unwrap_err().to_string();
        assert!(message.starts_with("/./nothing: "), "{message}");
    }
}
