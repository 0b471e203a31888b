//! A program once on a machine: its private folder, its environment, and what it left behind.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use shrinkwarp_machine::result::{RunResult, result_from_json};
use shrinkwarp_machine::tables;
use shrinkwarp_machine::traffic::{MOST_BLOCKS, parts_from_bytes};
use shrinkwarp_sim::BLOCK_BYTES;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::config::scheme::{NO_CODEC, SchemeSpec, load_scheme};
use shrinkwarp_sim::energy::EnergySet;
use shrinkwarp_sim::scheme::Tables;
use tempfile::TempDir;

use super::folder::PrivateFolder;
use super::hint::{hint, loads_runtime};
use super::judge::{check, excerpt};
use super::links::make_links;
use super::process::{self, Ending, Limits};
use super::result::{NO_CALLS, NO_RUNTIME, read_results};
use super::spec::Program;
use crate::LabError;
use crate::run::{Performed, Run, configuration_text};

/// How the error that the user's own check told is called.
const CHECK_ERROR: &str = "error.result.check";
/// What configurations are called in files: the names of presets belong to presets.
const NAME: &str = "this-run";
/// Room for the head of a profile.
const PROFILE_HEAD_BYTES: u64 = 64;

/// Runs a program on the machine of a run and has its results judged. A run that was interrupted has no result.
pub(crate) fn perform(
    run: &Run,
    program: &Program,
    run_tables: &Tables,
    interrupt: Option<&AtomicBool>,
) -> Performed {
    let mut trial = match Trial::prepare(program) {
        Ok(trial) => trial,
        Err(error) => return Performed::failed(error),
    };
    let bits = run.scheme.approximation.bits;
    let outcome = trial.run_timed(run, run_tables, bits, interrupt).and_then(|mut result| {
        trial.judge(&mut result, interrupt)?;
        if let (Some(metric), true) = (&program.metric, program.is_approximated(bits)) {
            let got = metric.values(&trial.folder.path)?;
            let mut exact = Trial::prepare(program)?;
            exact.run_untimed(run, 0, interrupt)?;
            let expected = metric.values(&exact.folder.path)?;
            result.counters.set(&metric.counter(), metric.metric.error(&got, &expected));
        }
        Ok(result)
    });
    Performed { outcome, is_partial: trial.is_interrupted, output: Some(trial.output) }
}

/// The errors of a program's results without time, for each number of approximated bits.
pub(crate) fn errors(run: &Run, program: &Program, all_bits: &[u32]) -> Result<Vec<f64>, LabError> {
    let Some(metric) = &program.metric else {
        let message = "--error-metric is missing: it says how the error is measured, as in nrmse:out.npy";
        return Err(LabError::Usage(message.to_owned()));
    };
    let values = |bits: u32| {
        let mut trial = Trial::prepare(program)?;
        trial.run_untimed(run, bits, None)?;
        metric.values(&trial.folder.path)
    };
    let exact = values(0)?;
    let error = |bits: &u32| Ok(metric.metric.error(&values(*bits)?, &exact));
    all_bits.par_iter().map(error).collect()
}

/// What a program moves to and from DRAM without compression: blocks of the stream for each kept one, the blocks, and what
/// the machine counted. With it the bytes that the program allocated.
pub(crate) fn profile(run: &Run, program: &Program) -> Result<(u64, Vec<u8>, RunResult, u64), LabError> {
    let mut trial = Trial::prepare(program)?;
    let mut plain = run.clone();
    plain.scheme = load_scheme(NO_CODEC, &[])?;
    let path = trial.room.path().join("profile");
    trial.variables.push(("SHRINKWARP_PROFILE", path.display().to_string()));
    let result = trial.run_timed(&plain, &Tables::new(), 0, None)?;
    let most = PROFILE_HEAD_BYTES + (MOST_BLOCKS * BLOCK_BYTES) as u64;
    let bytes =
        shrinkwarp_formats::files::read_bounded(&path, most).map_err(|error| LabError::file(&path, error))?;
    let (stride, blocks) =
        parts_from_bytes(&bytes).ok_or_else(|| LabError::file(&path, "is not a profile"))?;
    Ok((stride, blocks, result, trial.allocated_bytes))
}

/// A program in its folder.
struct Trial<'p> {
    program: &'p Program,
    /// Where the program runs.
    folder: PrivateFolder,
    /// Libraries, configurations and results.
    room: TempDir,
    /// Variables for the runtime library.
    variables: Vec<(&'static str, String)>,
    /// What the program wrote, bounded.
    output: String,
    is_interrupted: bool,
    allocated_bytes: u64,
}

impl<'p> Trial<'p> {
    fn prepare(program: &'p Program) -> Result<Self, LabError> {
        let room =
            tempfile::tempdir().map_err(|error| LabError::Work(format!("a temporary folder: {error}")))?;
        for name in ["links", "results"] {
            fs::create_dir(room.path().join(name)).map_err(|error| LabError::file(room.path(), error))?;
        }
        make_links(&room.path().join("links"), &program.library)?;
        let folder = PrivateFolder::of(&program.folder, &program.outputs).map_err(|error| {
            LabError::Work(format!("a private copy of {}: {error}", program.folder.display()))
        })?;
        Ok(Self {
            program,
            folder,
            room,
            variables: Vec::new(),
            output: String::new(),
            is_interrupted: false,
            allocated_bytes: 0,
        })
    }

    /// With cycles.
    fn run_timed(
        &mut self,
        run: &Run,
        run_tables: &Tables,
        bits: u32,
        interrupt: Option<&AtomicBool>,
    ) -> Result<RunResult, LabError> {
        let scheme = SchemeSpec { name: NAME.to_owned(), ..run.scheme.clone() };
        let scheme = self.write("scheme.toml", &configuration_text(&scheme)?)?;
        self.variables.push(("SHRINKWARP_SCHEME", scheme));
        if !run_tables.is_empty() {
            let text = tables::file_text("a profiling run of the same program".to_owned(), run_tables)?;
            let path = self.write("tables.json", &text)?;
            self.variables.push(("SHRINKWARP_TABLES", path));
        }
        if run.verifies {
            self.variables.push(("SHRINKWARP_VERIFY", "1".to_owned()));
        }
        if let Some(cycles) = run.sample_cycles {
            self.variables.push(("SHRINKWARP_SAMPLE_CYCLES", cycles.to_string()));
        }
        self.variables.push(("SHRINKWARP_APPROXIMABLE", self.program.approximable_text(bits)));
        let value = self.run(run, interrupt)?;
        self.allocated_bytes = value["allocated_bytes"].as_u64().unwrap_or(0);
        result_from_json(&value).map_err(|error| LabError::Work(format!("the program's result {error}")))
    }

    /// Without cycles; with 0 bits it is exact, whatever bits the user named.
    fn run_untimed(&mut self, run: &Run, bits: u32, interrupt: Option<&AtomicBool>) -> Result<(), LabError> {
        self.variables.push(("SHRINKWARP_NO_TIMING", "1".to_owned()));
        self.variables.push(("SHRINKWARP_APPROXIMABLE", self.program.approximable_with(bits)));
        self.run(run, interrupt).map(drop)
    }

    /// Runs the program and gives what it left behind.
    fn run(&mut self, run: &Run, interrupt: Option<&AtomicBool>) -> Result<serde_json::Value, LabError> {
        let gpu = GpuSpec { name: NAME.to_owned(), ..run.gpu.clone() };
        let energy = EnergySet { name: NAME.to_owned(), ..run.energy.clone() };
        let gpu = self.write("gpu.toml", &configuration_text(&gpu)?)?;
        let energy = self.write("energy.toml", &configuration_text(&energy)?)?;
        let results = self.room.path().join("results");
        let mut command = self.command();
        command
            .env("SHRINKWARP_GPU", gpu)
            .env("SHRINKWARP_ENERGY", energy)
            .env("SHRINKWARP_RESULT", results.join("%p.json"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        let limits = Limits { timeout: self.program.timeout, interrupt };
        let (ending, output) = process::run(&mut command, limits)
            .map_err(|error| LabError::file(&self.program.executable, error))?;
        self.output = output;
        self.is_interrupted = ending == Ending::Interrupted;
        self.require_success(ending)?;
        let mut found = read_results(&results)?;
        let value = match (found.pop(), found.len()) {
            (Some(result), 0) if result.failed_launches() > 0 => {
                return Err(LabError::Work(result.problems().trim_end().to_owned()));
            }
            (Some(result), 0) => result.value,
            (None, _) => {
                let executable = &self.program.executable;
                let otherwise = if loads_runtime(executable) { NO_CALLS } else { NO_RUNTIME };
                return Err(self.failed(&hint(executable).unwrap_or_else(|| otherwise.to_owned())));
            }
            (_, others) => {
                let message = format!(
                    "{} processes of the program used the GPU; experiments are about one (`shrinkwarp exec` shows each)",
                    others + 1
                );
                return Err(LabError::Work(message));
            }
        };
        if let Some(code) = value["fault"].as_i64() {
            return Err(self.failed(&format!("a kernel failed (CUDA error {code}), and the program went on")));
        }
        if let Some(error) = value["error"].as_str() {
            return Err(LabError::Work(error.to_owned()));
        }
        Ok(value)
    }

    fn command(&self) -> Command {
        let mut search = self.room.path().join("links").into_os_string();
        if let Some(more) = &self.program.library_path {
            search.push(":");
            search.push(more);
        }
        let mut command = Command::new(&self.program.executable);
        command
            .arg0(&self.program.words[0])
            .args(&self.program.words[1..])
            .current_dir(&self.folder.path)
            .env_clear()
            .envs(self.program.environment.iter().map(|(name, value)| (name, value)))
            .env("PWD", &self.folder.path)
            .env("LD_LIBRARY_PATH", search);
        command
    }

    fn require_success(&self, ending: Ending) -> Result<(), LabError> {
        match ending {
            Ending::Exited(status) if status.success() => Ok(()),
            Ending::Exited(status) => Err(self.failed(&describe(status))),
            Ending::TimedOut => {
                let seconds = self.program.timeout.unwrap_or_default().as_secs();
                Err(self.failed(&format!("the program did not end within {seconds} s")))
            }
            Ending::Interrupted => Err(LabError::Work("interrupted".to_owned())),
        }
    }

    /// The user's own check, where there is one.
    fn judge(&mut self, result: &mut RunResult, interrupt: Option<&AtomicBool>) -> Result<(), LabError> {
        let Some(command) = &self.program.check else { return Ok(()) };
        let limits = Limits { timeout: self.program.timeout, interrupt };
        // What the program printed can be checked, too.
        let printed = self.folder.path.join("stdout.txt");
        if !printed.exists() {
            fs::write(&printed, &self.output).map_err(|error| LabError::file(&printed, error))?;
        }
        if let Some(error) = check(command, &self.folder.path, limits)? {
            result.counters.set(CHECK_ERROR, error);
        }
        Ok(())
    }

    fn failed(&self, what: &str) -> LabError {
        LabError::Work(format!("{what}{}", excerpt(&self.output)))
    }

    /// Writes a file into the room and gives its path.
    fn write(&self, name: &str, text: &str) -> Result<String, LabError> {
        let path = self.room.path().join(name);
        fs::write(&path, text).map_err(|error| LabError::file(&path, error))?;
        Ok(Path::display(&path).to_string())
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("the program ended with exit code {code}"),
        (None, Some(signal)) => format!("signal {signal} ended the program"),
        (None, None) => "the program ended in an unknown way".to_owned(),
    }
}
