//! `shrinkwarp exec`: a CUDA program, unchanged, on a simulated GPU.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use clap::Args;
use serde_json::Value;
use shrinkwarp_lab::LabError;
use shrinkwarp_machine::configuration::{energy_set, scheme_with};
use shrinkwarp_machine::tables;
use shrinkwarp_sim::scheme::Scheme;

use super::gpus::load_gpu;
use crate::exec::{ProgramResult, find_library, make_links, page, read_results};
use crate::failure::Failure;
use crate::files;

/// Run a CUDA program, unchanged, on a simulated GPU
///
/// The program must use the shared CUDA runtime (nvcc -cudart shared) and carry PTX. No GPU, driver or CUDA toolkit is
/// needed. Its own output is untouched; the summary follows on standard error.
#[derive(Args, Debug)]
pub struct Exec {
    /// GPU to simulate: a preset (see `shrinkwarp gpus`) or a path to a .toml file
    #[arg(long, default_value = "gtx480", value_name = "NAME")]
    gpu: String,
    /// Which codec sits where: a scheme (see `shrinkwarp list schemes`) or a path to a .toml file
    #[arg(long, default_value = "none", value_name = "NAME")]
    scheme: String,
    /// Change a field of the GPU or the scheme, as in `--set l1.size_kib=48`; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Tables of trained codecs, as `shrinkwarp profile` writes them
    #[arg(long, value_name = "FILE")]
    tables: Option<PathBuf>,
    /// Decompress every compressed block and compare
    #[arg(long)]
    verify: bool,
    /// Energy figures: a set or a path to a .toml file
    #[arg(long, default_value = "gpuwattch-gtx480", value_name = "NAME")]
    energy: String,
    /// Let loads from an allocation see its floats without low bits, as in `--approximable 2:f32:8` for the third
    /// device allocation; may be repeated
    #[arg(long, value_name = "NUMBER:FORMAT:BITS")]
    approximable: Vec<String>,
    /// Stop a launch after this many thread instructions
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,
    /// Compute results only, without cycles
    #[arg(long)]
    no_timing: bool,
    /// Write what happened as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write what happened as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Do not run anything: put the libraries that stand for NVIDIA's into this folder, for LD_LIBRARY_PATH
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
            return make_links(folder, &library);
        }
        self.check()?;
        let folder = tempfile::tempdir().map_err(|error| Failure::Work(error.to_string()))?;
        let [links, results] = ["links", "results"].map(|name| folder.path().join(name));
        for made in [&links, &results] {
            std::fs::create_dir(made).map_err(|error| Failure::file(made, error))?;
        }
        make_links(&links, &library)?;
        let status = self.run_program(&links, &results)?;
        let results = read_results(&results)?;
        self.report(&results)?;
        ended(status, &results)
    }

    /// Finds mistakes before the program starts, and says which flag has them.
    fn check(&self) -> Result<(), Failure> {
        load_gpu(&self.gpu, &self.overrides)?;
        energy_set(&self.energy).map_err(LabError::from)?;
        let scheme = scheme_with(&self.scheme, &self.overrides).map_err(LabError::from)?;
        let tables =
            self.tables.as_deref().map(tables::read).transpose().map_err(LabError::from)?.unwrap_or_default();
        Scheme::build(scheme, &tables, self.verify)
            .map(drop)
            .map_err(|error| Failure::Usage(format!("{error}; give them with --tables")))
    }

    fn run_program(&self, links: &Path, results: &Path) -> Result<ExitStatus, Failure> {
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
            .env("SHRINKWARP_GPU", &self.gpu)
            .env("SHRINKWARP_SCHEME", &self.scheme)
            .env("SHRINKWARP_SET", self.overrides.join(";"))
            .env("SHRINKWARP_TABLES", self.tables.as_deref().unwrap_or(Path::new("")))
            .env("SHRINKWARP_VERIFY", is_set(self.verify))
            .env("SHRINKWARP_ENERGY", &self.energy)
            .env("SHRINKWARP_APPROXIMABLE", self.approximable.join(","))
            .env("SHRINKWARP_NO_TIMING", is_set(self.no_timing))
            .env("SHRINKWARP_PROGRESS", "1")
            .env("SHRINKWARP_RESULT", results.join("%p.json"));
        if let Some(limit) = self.max_instructions {
            command.env("SHRINKWARP_MAX_INSTRUCTIONS", limit.to_string());
        }
        command.status().map_err(|error| Failure::file(Path::new(&self.program[0]), error))
    }

    /// What happened: where the flags ask for it, or as text on standard error.
    fn report(&self, results: &[ProgramResult]) -> Result<(), Failure> {
        if let Some(path) = &self.html {
            let page = page(results);
            files::replace(path, |file| file.write_all(page.as_bytes()))?;
        }
        if let Some(path) = &self.json {
            let text = json(results);
            if path == Path::new(files::STANDARD) {
                return files::print(&text);
            }
            files::replace(path, |file| file.write_all(text.as_bytes()))?;
        }
        if self.json.is_none() && self.html.is_none() {
            let text: String = results.iter().map(|result| section(result, results.len() > 1)).collect();
            files::print_aside(&text);
        }
        Ok(())
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
fn ended(status: ExitStatus, results: &[ProgramResult]) -> Result<(), Failure> {
    if let Some(signal) = status.signal() {
        let message =
            format!("the program was ended by signal {signal}; what it had done until then is lost");
        return Err(Failure::Work(message));
    }
    match status.code() {
        Some(0) if results.is_empty() => Err(Failure::Work(
            "the program used no CUDA runtime of ours: link it with -cudart shared (ldd must show libcudart.so.11.0, .12 \
             or .13)"
                .to_owned(),
        )),
        Some(0) => Ok(()),
        code => Err(Failure::Program(code.unwrap_or(1))),
    }
}
