//! Runs: from the store where they are kept, simulated otherwise. Store and identity are the command's.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;
use serde::Deserialize;
use shrinkwarp_cli::Failure;
use shrinkwarp_emu::memory::DEFAULT_REGION_ENTRIES;
use shrinkwarp_lab::batch::{self, CachedState, Options, Sink};
use shrinkwarp_lab::compare::{self as compare_module, Question};
use shrinkwarp_lab::run::{Record, Run, RunOutcome, RunSpec, Watcher, Watching, execute, parse_scale};
use shrinkwarp_lab::store::{Filter, Store, StoreLocation};
use shrinkwarp_lab::sweep::{SweepFile, expand};
use shrinkwarp_lab::tables::TableMaker;
use shrinkwarp_sim::own_codec::OwnCodecs;
use shrinkwarp_sim::run::Progress;
use shrinkwarp_sim::threads::Threads;

use crate::failure::{exception, usage, work};
use crate::own_codec::own_codecs;
use crate::watch::Watch;

/// Objects of Python that are codecs, by the name that follows `own:` in a scheme.
type Own<'py> = BTreeMap<String, Bound<'py, PyAny>>;

/// A run as Python asks for it, as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    workload: String,
    scale: String,
    seed: u64,
    data: Option<String>,
    input: Option<PathBuf>,
    gpu: String,
    scheme: String,
    /// What results call the scheme, in place of its own name.
    scheme_label: Option<String>,
    changes: Vec<String>,
    energy: String,
    sample_cycles: Option<u64>,
    tables: Option<PathBuf>,
    verify: bool,
    approximate_bits: Option<u32>,
}

impl Asked {
    fn read(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text).map_err(|error| Failure::Usage(error.to_string()))
    }

    fn spec(&self) -> Result<RunSpec, Failure> {
        Ok(RunSpec {
            gpu: self.gpu.clone(),
            scheme: self.scheme.clone(),
            overrides: self.changes.clone(),
            subject: self.workload.as_str().into(),
            scale: parse_scale(&self.scale)?,
            seed: self.seed,
            data: self.data.clone(),
            input: self.input.clone(),
            energy: self.energy.clone(),
            sample_cycles: self.sample_cycles,
            tables: self.tables.clone(),
            verifies: self.verify,
            approximate_bits: self.approximate_bits,
            region_entries: DEFAULT_REGION_ENTRIES,
        })
    }

    fn resolve(&self, own: &OwnCodecs) -> Result<Run, Failure> {
        let mut run = self.spec()?.resolve()?;
        if let Some(label) = &self.scheme_label {
            run.scheme.name.clone_from(label);
        }
        run.own_codecs = used_by(&run, own);
        Ok(run)
    }
}

/// Where results are kept and what is run again.
#[derive(FromPyObject)]
pub struct Keeping {
    store: Option<PathBuf>,
    threads: Option<usize>,
    fresh: bool,
    retry_failed: bool,
}

impl Keeping {
    fn open(&self) -> Result<Store, Failure> {
        Ok(Store::open(&StoreLocation::asked(self.store.as_deref())?)?)
    }

    fn options<'w>(&self, watch: &'w Watch) -> Options<'w> {
        Options {
            threads: self.threads.unwrap_or_else(batch::all_cores),
            is_fresh: self.fresh,
            retries_failed: self.retry_failed,
            interrupt: Some(&*watch.interrupt),
        }
    }
}

/// The identity of a run, under which the store keeps it.
#[pyfunction]
pub fn identity(asked: &str) -> PyResult<String> {
    let run = Asked::read(asked).and_then(|asked| asked.resolve(&OwnCodecs::new())).map_err(exception)?;
    run.identity().map(|identity| identity.as_str().to_owned()).map_err(exception)
}

/// One run, from the store or simulated, with progress by blocks of its launches.
#[pyfunction]
pub fn run_one(
    py: Python<'_>,
    asked: &str,
    own: Own<'_>,
    keeping: Keeping,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let watch = Arc::new(Watch::default());
    let asked = Asked::read(asked).map_err(exception)?;
    let run = asked.resolve(&own_codecs(&own, &watch, asked.verify)?).map_err(exception)?;
    let record = watch.supervise(py, progress, || found_or_run(&run, &keeping, &watch))?;
    json(&record.map_err(exception)?)
}

fn found_or_run(run: &Run, keeping: &Keeping, watch: &Watch) -> Result<Record, Failure> {
    let is_kept = run.own_codecs.is_empty();
    let mut store = if is_kept { keeping.open()? } else { Store::open(&StoreLocation::Memory)? };
    let identity = run.identity()?;
    if !keeping.fresh && store.known(&identity, run.sample_cycles)? == CachedState::Done {
        return store
            .get(&identity)?
            .ok_or_else(|| Failure::Work("the run was deleted meanwhile".to_owned()));
    }
    let maker = TableMaker::default();
    maker.preload(run, &store)?;
    let (tables, new) = maker.tables_for(run)?;
    if let Some((profile, made)) = new {
        store.keep_tables(&profile, &made)?;
    }
    let started = Instant::now();
    let mut watcher = LaunchProgress(watch);
    let threads = Threads::default();
    let mut watching = Watching { interrupt: Some(&*watch.interrupt), watcher: &mut watcher, threads };
    let executed = execute(run, &tables, &mut watching)?;
    if executed.is_partial {
        return Err(Failure::Work("interrupted".to_owned()));
    }
    let record = Record::new(run, RunOutcome::Done(executed.result), started.elapsed().as_secs_f64())?;
    store.record(&record)?;
    Ok(record)
}

/// Every combination of a sweep, described as its file would.
#[pyfunction]
pub fn sweep(
    py: Python<'_>,
    description: &str,
    keeping: Keeping,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    let runs = SweepFile::parse(description)
        .map_err(|message| usage(format!("sweep: {message}")))
        .and_then(|file| expand(&file).map_err(exception))?;
    let records = run_batch(py, &runs, &keeping, &Watch::default(), progress)?;
    records.iter().map(json).collect()
}

/// Schemes relative to a baseline.
#[pyclass(frozen, module = "shrinkwarp._native")]
pub struct Comparison {
    comparison: compare_module::Comparison,
}

#[pymethods]
impl Comparison {
    fn text(&self) -> String {
        compare_module::text(&self.comparison)
    }

    fn json(&self) -> String {
        self.comparison.json().to_string()
    }

    fn html(&self) -> String {
        compare_module::page(&self.comparison).html()
    }
}

/// Compares the `columns` schemes of each workload; the runs are those of the first workload, then of the next.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    asked: Vec<String>,
    columns: usize,
    own: Own<'_>,
    keeping: Keeping,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Comparison, Vec<String>)> {
    let (watch, runs) = resolved(&asked, &own)?;
    if runs.is_empty() {
        return Err(usage("there is nothing to compare"));
    }
    let records = run_batch(py, &runs, &keeping, &watch, progress)?;
    let question = Question {
        base: RunSpec::new("", parse_scale("small").map_err(exception)?),
        subjects: runs.iter().step_by(columns.max(1)).map(|run| run.subject.name().into()).collect(),
        schemes: runs.iter().take(columns).map(|run| run.scheme.name.clone()).collect(),
    };
    let texts = records.iter().map(json).collect::<PyResult<Vec<_>>>()?;
    let records: Vec<Option<Record>> = records.into_iter().map(Some).collect();
    let comparison = compare_module::Comparison::of(&question, &runs, &records);
    Ok((Comparison { comparison }, texts))
}

/// The runs in a store that have these values, newest first.
#[pyfunction]
#[pyo3(signature = (store, workload, scheme, gpu, scale, limit))]
pub fn stored(
    store: Option<PathBuf>,
    workload: Option<String>,
    scheme: Option<String>,
    gpu: Option<String>,
    scale: Option<String>,
    limit: Option<u32>,
) -> PyResult<Vec<String>> {
    let filter = Filter { workload, scheme, gpu, scale, failed: Some(false), limit };
    let place = StoreLocation::asked(store.as_deref()).map_err(exception)?;
    let store = Store::open_to_read(&place).map_err(exception)?;
    let rows = store.list(&filter).map_err(exception)?;
    let records = rows.iter().map(|row| store.get(&row.identity).map_err(exception));
    records.filter_map(Result::transpose).map(|record| json(&record?)).collect()
}

fn resolved(asked: &[String], own: &Own<'_>) -> PyResult<(Arc<Watch>, Vec<Run>)> {
    let watch = Arc::new(Watch::default());
    let mut runs = Vec::new();
    for text in asked {
        let asked = Asked::read(text).map_err(exception)?;
        let codecs = own_codecs(own, &watch, asked.verify)?;
        runs.push(asked.resolve(&codecs).map_err(exception)?);
    }
    Ok((watch, runs))
}

/// Runs what the store does not have and gives the records of all, in order. Runs with codecs of the user's own are kept
/// for this call only: the store's identities know nothing of their code.
fn run_batch(
    py: Python<'_>,
    runs: &[Run],
    keeping: &Keeping,
    watch: &Watch,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Record>> {
    let records = watch.supervise(py, progress, || {
        watch.set(0, runs.len() as u64);
        let (kept, passing): (Vec<Run>, Vec<Run>) =
            runs.iter().cloned().partition(|run| run.own_codecs.is_empty());
        let mut store = keeping.open()?;
        let mut memory = Store::open(&StoreLocation::Memory)?;
        let parts: [(&mut Store, &[Run]); 2] = [(&mut store, &kept), (&mut memory, &passing)];
        let mut before = 0;
        for (sink, runs) in parts {
            if runs.is_empty() || watch.is_interrupted() {
                continue;
            }
            let options = keeping.options(watch);
            let tally = batch::run_all(sink as &mut dyn Sink, runs, &options, &mut |record, tally| {
                watch.describe(&format!("{} {}", record.workload, record.scheme));
                let done = tally.known + tally.done + tally.failed;
                watch.set(before + done as u64, (kept.len() + passing.len()) as u64);
            })?;
            before += tally.runs as u64;
            watch.set(before, (kept.len() + passing.len()) as u64);
        }
        let mut records = Vec::new();
        for run in runs {
            let identity = run.identity()?;
            let record =
                if run.own_codecs.is_empty() { store.get(&identity)? } else { memory.get(&identity)? };
            let interrupted = || Failure::Work("interrupted".to_owned());
            records.push(record.ok_or_else(interrupted)?);
        }
        Ok(records)
    })?;
    records.map_err(|failure: Failure| exception(failure))
}

/// Those of the user's codecs that the run's scheme names.
fn used_by(run: &Run, own: &OwnCodecs) -> OwnCodecs {
    use shrinkwarp_sim::own_codec::own_name;
    let points = run.scheme.codecs();
    let named = points.iter().map(|at| at.codec).chain(run.scheme.l1.modes.iter().map(String::as_str));
    let names = named.filter_map(own_name);
    names.filter_map(|name| Some((name.to_owned(), own.get(name)?.clone()))).collect()
}

fn json(record: &Record) -> PyResult<String> {
    serde_json::to_string(record).map_err(work)
}

/// Blocks of the launch that runs.
pub struct LaunchProgress<'w>(pub &'w Watch);

impl Watcher for LaunchProgress<'_> {
    fn launch_begins(&mut self, kernel: &str) {
        self.0.describe(kernel);
    }

    fn progress(&mut self, progress: &Progress) {
        self.0.set(progress.blocks_done, progress.blocks);
    }
}
