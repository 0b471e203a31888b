//! `shrinkwarp run`: one simulation, cycle by cycle.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_emu::memory::DEFAULT_REGION_ENTRIES;
use shrinkwarp_lab::LabError;
use shrinkwarp_lab::run::{self as lab_run, Executed, Record, RunOutcome, RunSpec, Watching};
use shrinkwarp_lab::store::Store;
use shrinkwarp_lab::tables::TableMaker;
use shrinkwarp_launchfile::Finding;
use shrinkwarp_machine::summary::summary;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::scheme::Tables;

use crate::arguments::{InputArgs, MachineArgs, ThreadArgs};
use crate::failure::Failure;
use crate::files;
use crate::keeping::StoreArgs;
use crate::run::{LaunchBar, interrupt_flag, trace};

/// Core cycles between two samples of a timeline, unless --sample-cycles says otherwise.
const TIMELINE_SAMPLE_CYCLES: u64 = 500;

/// Simulate a workload or your own kernels on a GPU, cycle by cycle
///
/// WORKLOAD is a name of `shrinkwarp list workloads`, or a launch file (FILE.toml) as for `shrinkwarp launch`. `run` always
/// simulates; it keeps the result in the store, so that `compare`, `sweep` and `reproduce` need not run it again.
#[derive(Args, Debug)]
pub struct Run {
    /// Workload, or a launch file
    #[arg(value_name = "WORKLOAD|FILE.toml")]
    what: String,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    generated: InputArgs,
    /// Your own input in place of the workload's generated one (see `shrinkwarp list workloads --json`)
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Clear the K least significant bits of every element loaded from the workload's approximable buffers, and report
    /// the error of its results instead of checking them
    #[arg(long, value_name = "K")]
    approximate_bits: Option<u32>,
    /// Entries of the table of approximable regions
    #[arg(long, value_name = "N", default_value_t = DEFAULT_REGION_ENTRIES)]
    region_entries: usize,
    /// Write a trace for Perfetto (ui.perfetto.dev) or chrome://tracing
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
    /// Record the machine's state every CYCLES core cycles, for the JSON and the timeline
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    sample_cycles: Option<u64>,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print JSON instead of a summary
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// A run that is over.
struct Finished {
    gpu: GpuSpec,
    executed: Executed,
    findings: Vec<Finding>,
    /// Why the result is not in the store; it is still worth seeing.
    loss: Option<LabError>,
}

impl Run {
    pub fn run(&self) -> Result<(), Failure> {
        self.timeline.as_deref().map_or(Ok(()), files::check_place)?;
        let finished = self.simulate()?;
        let launches = &finished.executed.launches;
        if launches.is_empty() && finished.executed.is_partial {
            return Err(Failure::Interrupted("interrupted before the first kernel".to_owned()));
        }
        if launches.is_empty() {
            return Err(Failure::Work(format!("{}: launches no kernel", self.what)));
        }
        if let Some(path) = &self.timeline {
            let bytes = trace(launches).map_err(|error| Failure::file(path, error))?;
            files::replace(path, |file| file.write_all(&bytes))?;
        }
        files::print(&if self.json { self.json(&finished) } else { finished.text() })?;
        let comparisons = finished.findings.iter().filter_map(|finding| finding.comparison.as_ref());
        let wrong: u64 = comparisons.map(|found| found.wrong).sum();
        if finished.executed.is_partial {
            return Err(Failure::Interrupted(
                "interrupted: these numbers end where it was stopped".to_owned(),
            ));
        }
        if wrong > 0 {
            return Err(Failure::Work(format!("{wrong} elements differ from the expected values")));
        }
        finished.loss.map_or(Ok(()), |loss| Err(Failure::Work(format!("the result is not kept: {loss}"))))
    }

    fn sampling(&self) -> Option<u64> {
        self.sample_cycles.or(self.timeline.is_some().then_some(TIMELINE_SAMPLE_CYCLES))
    }

    fn simulate(&self) -> Result<Finished, Failure> {
        let spec = RunSpec {
            input: self.input.clone(),
            sample_cycles: self.sampling(),
            approximate_bits: self.approximate_bits,
            region_entries: self.region_entries,
            ..self.generated.run_of(self.what.as_str(), &self.machine.with.gpu)
        };
        let run = self.machine.run_of(spec).resolve()?;
        let interrupt = interrupt_flag();
        let mut bar = LaunchBar::new();
        let threads = self.threads.threads();
        let mut watching = Watching { interrupt: Some(&interrupt), watcher: &mut bar, threads };
        let mut store = self.store.open()?;
        let tables = tables_of(&run, &mut store)?;
        let started = Instant::now();
        let (executed, findings) = lab_run::execute_with_findings(&run, &tables, &mut watching, true)?;
        let is_right = findings.iter().all(|finding| finding.disagreement().is_none());
        let mut loss = None;
        if !executed.is_partial && is_right {
            let outcome = RunOutcome::Done(executed.result.clone());
            let record = Record::new(&run, outcome, started.elapsed().as_secs_f64())?;
            loss = store.record(&record).err();
        }
        Ok(Finished { gpu: run.gpu, findings, executed, loss })
    }

    fn json(&self, finished: &Finished) -> String {
        let results: Vec<Value> = finished.findings.iter().map(Finding::json).collect();
        let mut json = json!({
            "what": self.what,
            "gpu": finished.gpu.name,
            "scheme": self.machine.with.scheme,
            "set": self.machine.with.gpu.overrides,
            "approximate_bits": self.approximate_bits,
            "is_partial": finished.executed.is_partial,
        });
        if let (Value::Object(fields), Value::Object(result)) = (&mut json, finished.executed.result.json()) {
            fields.extend(result);
            fields.insert("results".to_owned(), Value::Array(results));
        }
        format!("{json:#}\n")
    }
}

impl Finished {
    fn text(&self) -> String {
        let Executed { launches, machine, energy, .. } = &self.executed;
        let findings: String = self.findings.iter().map(Finding::text).collect();
        summary(&self.gpu, launches, machine, energy) + &findings
    }
}

/// The tables of the run's trained codecs: the user's, those kept, or those of a profiling run.
fn tables_of(run: &lab_run::Run, store: &mut Store) -> Result<Tables, Failure> {
    let maker = TableMaker::default();
    maker.preload(run, store)?;
    let (tables, new) = maker.tables_for(run)?;
    if let Some((profile, made)) = new {
        store.keep_tables(&profile, &made)?;
    }
    Ok(tables)
}
