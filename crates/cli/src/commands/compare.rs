//! `shrinkwarp compare`: what schemes give, relative to a baseline.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use shrinkwarp_lab::LabError;
use shrinkwarp_lab::compare::{self, Comparison, Question};
use shrinkwarp_lab::run::RunSpec;
use shrinkwarp_lab::suite;
use shrinkwarp_sim::config::scheme::NO_CODEC;

use crate::arguments::{EnergyArgs, GpuArgs, InputArgs, ProgramArgs, TablesArgs};
use crate::failure::Failure;
use crate::files;
use crate::keeping::KeptArgs;

/// Compare compression schemes on workloads: speedup, compression at each point, traffic, stalls, energy
///
/// WORKLOAD is a name of `shrinkwarp list workloads` or a group: all, integer, float, mixed, bpc, e2mc, dsm, latte,
/// cache-sensitive; or a launch file (FILE.toml). A program of your own is after --, as in `shrinkwarp compare --schemes
/// none,bdi-memory -- ./program 1024`. Runs that are in the store are not run again.
#[derive(Args, Debug)]
pub struct Compare {
    /// Workloads, groups of them, or launch files
    #[arg(required_unless_present = "program", value_name = "WORKLOAD|FILE.toml")]
    workloads: Vec<String>,
    /// Schemes, separated by commas: names of `shrinkwarp list schemes` or .toml files; the first is the baseline
    #[arg(long, value_delimiter = ',', default_value = compare::SYSTEMS, value_name = "NAMES")]
    schemes: Vec<String>,
    #[command(flatten)]
    gpu: GpuArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    trained: TablesArgs,
    #[command(flatten)]
    energy: EnergyArgs,
    /// Also write a self-contained HTML page with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    kept: KeptArgs,
    #[command(flatten)]
    program: ProgramArgs,
}

impl Compare {
    pub fn run(&self) -> Result<(), Failure> {
        let question = self.question()?;
        let runs = question.runs().map_err(of_schemes)?;
        self.html.as_deref().map_or(Ok(()), files::check_place)?;
        let mut store = self.kept.store.open()?;
        let tally = self.kept.batch.run(&mut store, &runs)?;
        let comparison = Comparison::read(&question, &runs, &store)?;
        if let Some(path) = &self.html {
            let html = compare::page(&comparison).html();
            files::replace(path, |file| file.write_all(html.as_bytes()))?;
        }
        files::print(&if self.json {
            format!("{:#}\n", comparison.json())
        } else {
            compare::text(&comparison) + &self.closing(tally.known, tally.runs)
        })?;
        let cells = || comparison.rows.iter().flat_map(|row| &row.cells);
        match (cells().filter(|cell| cell.is_err()).count(), cells().count()) {
            (0, _) => Ok(()),
            (failed, all) if failed == all => Err(Failure::Work("every run failed".to_owned())),
            (failed, all) => Err(Failure::Work(format!("{failed} of {all} runs failed"))),
        }
    }

    fn question(&self) -> Result<Question, Failure> {
        let mut subjects = suite::subjects(&self.workloads, &BTreeMap::new())?;
        subjects.extend(self.program.subject());
        let mut schemes: Vec<String> = self.schemes.iter().map(|scheme| scheme.trim().to_owned()).collect();
        if schemes.len() == 1 && schemes[0] != NO_CODEC {
            // One scheme alone is compared with no compression.
            schemes.insert(0, NO_CODEC.to_owned());
        }
        let base = RunSpec {
            energy: self.energy.energy.clone(),
            tables: self.trained.tables.clone(),
            ..self.input.run_of("", &self.gpu)
        };
        Ok(Question { base, subjects, schemes })
    }

    fn closing(&self, known: usize, runs: usize) -> String {
        let known = match known {
            0 => String::new(),
            known => format!("\n{known} of {runs} runs were in the store; --fresh runs them again.\n"),
        };
        let page = match &self.html {
            Some(path) => format!("\nThe charts are in {}.\n", path.display()),
            None => "\n--html FILE draws charts.\n".to_owned(),
        };
        known + &page
    }
}

/// A scheme comes from `--schemes` here.
fn of_schemes(error: LabError) -> LabError {
    match error {
        LabError::Config(mut error) if &*error.file == "--scheme" => {
            error.file = "--schemes".into();
            LabError::Config(error)
        }
        error => error,
    }
}
