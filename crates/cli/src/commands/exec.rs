//! `shrinkwarp exec`: a CUDA program, unchanged, on a simulated GPU.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use clap::Args;
use serde_json::Value;
use shrinkwarp_lab::LabError;
use shrinkwarp_lab::program::{
    NO_CALLS, NO_RUNTIME, ProgramResult, ProgramSpec, approximable_variable, find_library, hint,
    loads_runtime, make_links, page, read_results,
};
use shrinkwarp_lab::run::RunSpec;
use shrinkwarp_lab::tables::TableMaker;
use shrinkwarp_machine::configuration::energy_set_for;
use shrinkwarp_machine::tables;
use shrinkwarp_report::text::printable;
use shrinkwarp_workloads::Scale;

use crate::arguments::{ApproximableArgs, MachineArgs, ThreadArgs};
use crate::failure::Failure;
use crate::files;

/// Run a CUDA program, unchanged, on a simulated GPU
///
/// The program must use the shared CUDA runtime (nvcc -cudart shared) and carry PTX. No GPU, driver or CUDA toolkit is
/// needed. Its own output is untouched; the summary follows on standard error.
#[derive(Args, Debug)]
pub struct Exec {
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    approximable: ApproximableArgs,
    /// Stop a launch after this many thread instructions
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,
    /// What a kernel's read outside of all allocations does: give zeros and be counted in pages of 2 MiB that an allocation
    /// reaches into, as GPUs map memory, and end the kernel elsewhere (page); end the kernel (fault); or give zeros (zero)
    #[arg(long, value_name = "WHAT", value_parser = ["page", "fault", "zero"], default_value = "page")]
    stray_reads: String,
    /// The same for a kernel's write, which goes nowhere and is counted where it does not end the kernel
    #[arg(long, value_name = "WHAT", value_parser = ["page", "fault", "drop"], default_value = "page")]
    stray_writes: String,
    /// Where device allocations are placed: one after the other (packed), or as CUDA's driver places them (pages)
    #[arg(long, value_name = "HOW", value_parser = ["packed", "pages"], default_value = "packed")]
    spacing: String,
    /// End with code 3 if a launch was refused or ended by a fault
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Compute results only, without cycles
    #[arg(long)]
    no_timing: bool,
    /// Report JSON instead of text
    #[arg(long)]
    json: bool,
    /// Write the report to this file, or - for standard output [default: text to standard error, JSON to standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write a self-contained HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Run nothing: put the libraries that replace NVIDIA's into this folder, for LD_LIBRARY_PATH
    #[arg(long, value_name = "FOLDER", conflicts_with = "program")]
    links: Option<PathBuf>,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required_unless_present = "links", trailing_var_arg = true)]
    program: Vec<OsString>,
}

impl Exec {
    pub fn run(&self) -> Result<(), Failure> {
        let library = find_library()?;
        if let Some(folder) = &self.links {
            std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
            return Ok(make_links(folder, &library)?);
        }
        let approximable = self.check()?;
        let folder = tempfile::tempdir().map_err(|error| Failure::Work(error.to_string()))?;
        let [links, results] = ["links", "results"].map(|name| folder.path().join(name));
        for made in [&links, &results] {
            std::fs::create_dir(made).map_err(|error| Failure::file(made, error))?;
        }
        make_links(&links, &library)?;
        let tables = self.tables_in(folder.path())?;
        let status = self.run_program(&links, &results, &tables, &approximable)?;
        let results = read_results(&results)?;
        self.report(&results)?;
        ended(status, &results, Path::new(&self.program[0]))?;
        let failed: usize = results.iter().map(ProgramResult::failed_launches).sum();
        if self.strict && failed > 0 {
            return Err(Failure::Strict(failed));
        }
        Ok(())
    }

    /// Finds mistakes before the program starts, and says which flag has them. Gives what is approximated.
    fn check(&self) -> Result<String, Failure> {
        let gpu = self.machine.with.gpu()?;
        energy_set_for(&self.machine.energy.energy, &gpu).map_err(LabError::from)?;
        self.machine.trained.tables.as_deref().map(tables::read).transpose().map_err(LabError::from)?;
        let bits = self.machine.with.spec()?.approximation.bits;
        Ok(approximable_variable(&self.approximable.approximable, bits)?)
    }

    /// The user's tables, or those of a profiling run in `folder` where the scheme has trained codecs.
    fn tables_in(&self, folder: &Path) -> Result<PathBuf, Failure> {
        if let Some(path) = &self.machine.trained.tables {
            return Ok(path.clone());
        }
        let codecs = self.machine.with.spec()?.profiled_codecs();
        if codecs.is_empty() || self.no_timing {
            return Ok(PathBuf::new());
        }
        let codecs = codecs.join(", ");
        files::print_aside(&format!(
            "shrinkwarp: the program runs twice, first without compression for the tables of {codecs}; --tables gives them\n"
        ));
        let env = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let is_ours = |name: &String| name.starts_with("SHRINKWARP_") || name == "LD_LIBRARY_PATH";
        let env = env.filter(|name| !is_ours(name)).collect();
        let program = ProgramSpec { command: self.program.clone(), env, ..ProgramSpec::default() };
        let run = self.machine.run_of(RunSpec::new(program, Scale::Small)).resolve()?;
        let (made, _) = TableMaker::default().tables_for(&run)?;
        let path = folder.join("tables.json");
        let text = shrinkwarp_lab::tables::file_text(&run, &made)?;
        std::fs::write(&path, text).map_err(|error| Failure::file(&path, error))?;
        Ok(path)
    }

    fn run_program(
        &self,
        links: &Path,
        results: &Path,
        tables: &Path,
        approximable: &str,
    ) -> Result<ExitStatus, Failure> {
        // Ctrl-C is for the program; what it leaves behind is reported.
        let _ = ctrlc::set_handler(|| {});
        let mut search = links.as_os_str().to_owned();
        if let Some(more) = std::env::var_os("LD_LIBRARY_PATH").filter(|more| !more.is_empty()) {
            search.push(":");
            search.push(more);
        }
        let is_set = |flag: bool| if flag { "1" } else { "" };
        let mut command = Command::new(&self.program[0]);
        command
            .args(&self.program[1..])
            .env("LD_LIBRARY_PATH", search)
            .env("SHRINKWARP_GPU", &self.machine.with.gpu.gpu)
            .env("SHRINKWARP_SCHEME", &self.machine.with.scheme)
            .env("SHRINKWARP_SET", self.machine.with.gpu.overrides.join(";"))
            .env("SHRINKWARP_TABLES", tables)
            .env("SHRINKWARP_VERIFY", is_set(self.machine.verify))
            .env("SHRINKWARP_ENERGY", &self.machine.energy.energy)
            .env("SHRINKWARP_APPROXIMABLE", approximable)
            .env("SHRINKWARP_NO_TIMING", is_set(self.no_timing))
            .env("SHRINKWARP_STRAY_READS", &self.stray_reads)
            .env("SHRINKWARP_STRAY_WRITES", &self.stray_writes)
            .env("SHRINKWARP_SPACING", &self.spacing)
            .env("SHRINKWARP_THREADS", self.threads.threads.to_string())
            .env("SHRINKWARP_PROGRESS", "1")
            .env("SHRINKWARP_RESULT", results.join("%p.json"));
        if let Some(limit) = self.max_instructions {
            command.env("SHRINKWARP_MAX_INSTRUCTIONS", limit.to_string());
        }
        command.status().map_err(|error| Failure::file(Path::new(&self.program[0]), error))
    }

    /// What happened, as text or JSON, and as a page where that is requested.
    fn report(&self, results: &[ProgramResult]) -> Result<(), Failure> {
        if let Some(path) = &self.html {
            let page = page(results);
            files::replace(path, |file| file.write_all(page.as_bytes()))?;
        }
        let text = if self.json {
            json(results)
        } else {
            results.iter().map(|result| section(result, results.len() > 1)).collect()
        };
        match &self.output {
            Some(path) if path == Path::new(files::STANDARD) => files::print(&text),
            Some(path) => Ok(files::replace(path, |file| file.write_all(text.as_bytes()))?),
            None if self.json => files::print(&text),
            None => {
                files::print_aside(&printable(&text));
                Ok(())
            }
        }
    }
}

fn section(result: &ProgramResult, is_one_of_several: bool) -> String {
    let title = if is_one_of_several { format!("== {}\n", result.program()) } else { String::new() };
    title + &result.text()
}

/// One program is an object; several are a list.
fn json(results: &[ProgramResult]) -> String {
    match results {
        [result] => format!("{:#}\n", result.value),
        several => {
            let values: Vec<Value> = several.iter().map(|result| result.value.clone()).collect();
            format!("{:#}\n", Value::Array(values))
        }
    }
}

/// How the program ended is how this command ends.
fn ended(status: ExitStatus, results: &[ProgramResult], program: &Path) -> Result<(), Failure> {
    if let Some(signal) = status.signal() {
        return Err(Failure::Signal(signal));
    }
    match status.code() {
        Some(0) if results.is_empty() && loads_runtime(program) => {
            files::print_aside(&format!("{NO_CALLS}\n"));
            Ok(())
        }
        Some(0) if results.is_empty() => {
            Err(Failure::Work(hint(program).unwrap_or_else(|| NO_RUNTIME.to_owned())))
        }
        Some(0) => Ok(()),
        code => {
            // A program that cannot start has not said what would help.
            if let (true, Some(hint)) = (results.is_empty(), hint(program)) {
                files::print_aside(&format!("{hint}\n"));
            }
            Err(Failure::Program(code.unwrap_or(1)))
        }
    }
}
