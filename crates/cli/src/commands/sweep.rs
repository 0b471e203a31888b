//! `shrinkwarp sweep`: every combination of some values, run once each.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;
use shrinkwarp_lab::batch::{self, Options, Tally};
use shrinkwarp_lab::run::{Identity, Run};
use shrinkwarp_lab::store::{Filter, RunRow, Store, StoreLocation};
use shrinkwarp_lab::sweep::{ResultsFile, Shard, Slurm, SweepFile, Todo, collect, estimate, expand};

use crate::failure::Failure;
use crate::files;
use crate::keeping::KeptArgs;
use crate::progress::Progress;

/// How often a sweep on a cluster looks for results.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Run every combination of workloads, schemes, scales, seeds, GPUs and configuration keys
///
/// docs/sweeps.md describes the file. Runs that are in the store are not run again; a sweep that was interrupted continues
/// with the same command.
#[derive(Args, Debug)]
pub struct Sweep {
    /// Sweep file
    #[arg(value_name = "SWEEP.toml")]
    file: PathBuf,
    /// Print the number of runs and an estimate of their time, and run nothing
    #[arg(long)]
    dry_run: bool,
    /// Where the runs are run
    #[arg(long, value_enum, default_value_t = Engine::Local)]
    engine: Engine,
    /// Run only part K of N and write its results to a file in the --results folder, for --collect
    #[arg(long, value_name = "K/N", requires = "results", conflicts_with = "engine")]
    shard: Option<Shard>,
    /// Folder for the result files of shards; with --engine slurm, one that all nodes share [default: SWEEP.results]
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    /// First copy the results of shards from this folder into the store
    #[arg(long, value_name = "FOLDER")]
    collect: Option<PathBuf>,
    /// Number of tasks in the job array of --engine slurm
    #[arg(long, default_value_t = 16, value_name = "N")]
    tasks: usize,
    /// How many times --engine slurm submits the remaining runs
    #[arg(long, default_value_t = 3, value_name = "N")]
    attempts: usize,
    /// More options for sbatch, as in `--sbatch=--partition=long`; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    kept: KeptArgs,
}

/// Where a sweep is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// All cores of this machine
    Local,
    /// A job array of Slurm
    Slurm,
}

impl Sweep {
    pub fn run(&self) -> Result<(), Failure> {
        let runs = expand(&SweepFile::read(&self.file)?)?;
        if let (Some(shard), Some(folder)) = (&self.shard, &self.results) {
            return self.run_shard(runs, *shard, folder);
        }
        if !self.dry_run && self.kept.store.place()? == StoreLocation::Memory {
            let message = "--store none: the results of a sweep would be lost; give the path of a store";
            return Err(Failure::Usage(message.to_owned()));
        }
        let mut store = self.kept.store.open()?;
        if let Some(folder) = &self.collect {
            let unreadable = collect(folder, &mut store)?.unreadable;
            if let Some(first) = unreadable.first() {
                let (count, folder) = (unreadable.len(), folder.display());
                files::print_aside(&format!(
                    "shrinkwarp: {folder}: {count} lines cannot be read as results and are skipped, the first is {first}; their runs are run again\n"
                ));
            }
        }
        if self.dry_run {
            return self.forecast(&store, &runs);
        }
        let tally = match self.engine {
            Engine::Local => self.kept.batch.run(&mut store, &runs)?,
            Engine::Slurm => self.run_on_slurm(&mut store, &runs)?,
        };
        self.conclude(&store, &runs, &tally)
    }

    /// One part of a divided sweep.
    fn run_shard(&self, runs: Vec<Run>, shard: Shard, folder: &Path) -> Result<(), Failure> {
        let runs = Todo::in_folder(folder).choose(runs)?;
        let mut results = ResultsFile::open(&folder.join(shard.file_name()))?;
        let tally = self.kept.batch.run(&mut results, shard.of(&runs))?;
        let Tally { runs, known, done, failed, .. } = tally;
        files::print(&format!("{runs} runs: {known} known, {done} done, {failed} failed\n"))?;
        check_failed(failed)
    }

    fn run_on_slurm(&self, store: &mut Store, runs: &[Run]) -> Result<Tally, Failure> {
        // Inside an interpreter, the running executable is not this command.
        let program = match std::env::var_os("SHRINKWARP_PROGRAM") {
            Some(program) => PathBuf::from(program),
            None => std::env::current_exe()
                .map_err(|error| Failure::Work(format!("the path of this program is unknown: {error}")))?,
        };
        let absolute = |path: &Path| std::path::absolute(path).map_err(|error| Failure::file(path, error));
        let folder = self.results.clone().unwrap_or_else(|| self.file.with_extension("results"));
        let slurm = Slurm {
            program,
            sweep_file: absolute(&self.file)?,
            folder: absolute(&folder)?,
            tasks: self.tasks,
            options: self.sbatch.clone(),
        };
        let mut tally = Tally::default();
        let first = self.pending(store, runs, &mut tally)?.len();
        for attempt in 1..=self.attempts.max(1) {
            let pending = self.pending(store, runs, &mut Tally::default())?;
            if pending.is_empty() {
                break;
            }
            watch(&slurm, &pending, attempt, store)?;
        }
        let left = self.pending(store, runs, &mut Tally::default())?.len();
        if left > 0 {
            let message = format!(
                "{left} of {first} runs are missing after {} attempts; the logs of the tasks are in {}",
                self.attempts,
                slurm.folder.display()
            );
            return Err(Failure::Work(message));
        }
        let failed = failures(store, runs)?.len();
        Ok(Tally { done: first - failed.min(first), failed: failed.min(first), ..tally })
    }

    fn pending<'r>(
        &self,
        store: &Store,
        runs: &'r [Run],
        tally: &mut Tally,
    ) -> Result<Vec<&'r Run>, Failure> {
        let options = Options { retries_failed: self.kept.batch.retry_failed, ..Options::default() };
        Ok(batch::pending(store, runs, &options, tally)?)
    }

    /// What a dry run says.
    fn forecast(&self, store: &Store, runs: &[Run]) -> Result<(), Failure> {
        let mut tally = Tally::default();
        let pending = self.pending(store, runs, &mut tally)?;
        let estimate = estimate(store, &pending)?;
        let threads = self.kept.batch.threads.map_or_else(batch::all_cores, usize::from);
        if self.json {
            let seconds = estimate.map(|estimate| estimate.core_seconds / threads as f64);
            let json = json!({"runs": tally.runs, "known": tally.known, "to_run": pending.len(), "threads": threads, "seconds": seconds});
            return files::print(&format!("{json:#}\n"));
        }
        let time = match estimate {
            _ if pending.is_empty() => "nothing to do".to_owned(),
            None => "no run like these has been timed yet".to_owned(),
            Some(estimate) => {
                let guessed = match estimate.guessed {
                    0 => String::new(),
                    count => format!(" ({count} of them guessed from the others)"),
                };
                format!(
                    "about {} on {threads} threads{guessed}",
                    duration(estimate.core_seconds / threads as f64)
                )
            }
        };
        files::print(&format!(
            "{} runs: {} in the store, {} to run; {time}\n",
            tally.runs,
            tally.known,
            pending.len()
        ))
    }

    fn conclude(&self, store: &Store, runs: &[Run], tally: &Tally) -> Result<(), Failure> {
        let Tally { runs: count, known, done, failed, shared, .. } = *tally;
        let failures = failures(store, runs)?;
        if self.json {
            let json = json!({"runs": count, "known": known, "done": done, "shared": shared, "failed": failed, "failures": failures});
            files::print(&format!("{json:#}\n"))?;
            return check_failed(failed);
        }
        let failures: String = failures.iter().map(|failure| format!("  failed: {failure}\n")).collect();
        let of_store = self.kept.store.flag();
        files::print(&format!(
            "{count} runs: {known} were in the store, {done} done, {}{failed} failed\n{failures}\
             Look at them: shrinkwarp store list{of_store}, shrinkwarp store export{of_store} -o runs.csv\n",
            if shared > 0 { format!("{shared} done by other processes, ") } else { String::new() }
        ))?;
        check_failed(failed)
    }
}

/// A script must see that runs are missing.
fn check_failed(failed: usize) -> Result<(), Failure> {
    match failed {
        0 => Ok(()),
        1 => Err(Failure::Work("1 run failed".to_owned())),
        count => Err(Failure::Work(format!("{count} runs failed"))),
    }
}

/// The runs without a result, and why.
fn failures(store: &Store, runs: &[Run]) -> Result<Vec<String>, Failure> {
    let failed = store.list(&Filter { failed: Some(true), ..Filter::default() })?;
    let identities: BTreeSet<Identity> = runs.iter().map(Run::identity).collect::<Result<_, _>>()?;
    let describe = |row: &RunRow| {
        let changes: String = row.overrides.iter().map(|change| format!(" {change}")).collect();
        let error = row.error.as_deref().unwrap_or_default().trim_end();
        format!("{} {}{changes}: {error}", row.workload, row.scheme)
    };
    Ok(failed.iter().filter(|row| identities.contains(&row.identity)).map(describe).collect())
}

/// Waits for a job array and takes over results as they come.
fn watch(slurm: &Slurm, pending: &[&Run], attempt: usize, store: &mut Store) -> Result<(), Failure> {
    let mut child = slurm.submit(pending, attempt)?;
    let folder = slurm.attempt_folder(attempt);
    let bar = Progress::steps(pending.len() as u64, "runs on the cluster");
    loop {
        let ended = child.try_wait().map_err(|error| Failure::Work(format!("sbatch: {error}")))?;
        bar.advance(collect(&folder, store)?.new as u64);
        match ended {
            None => std::thread::sleep(LOOK_EVERY),
            // A task that failed makes sbatch fail; what it left undone is submitted again.
            Some(_) => return Ok(()),
        }
    }
}

/// `3 min`.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 5400.0 => format!("{:.1} h", seconds / 3600.0),
        seconds if seconds >= 90.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{seconds:.0} s"),
    }
}
