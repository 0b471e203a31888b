//! Many runs, none twice: each is looked up first, the others go to the threads, and every result is kept at once.
//!
//! A simulation is one thread where there are as many as cores, and several where there are fewer. Results come back to
//! the calling thread, the only one that writes; a run that fails, even one that panics, is kept with its error and the others go on. Whatever ends the process, what was kept stays,
//! and the same batch goes on where it was. Several processes with one store divide the runs among them.

mod sink;
mod work;

pub use sink::{CachedState, Sink};

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use crate::LabError;
use crate::run::{Identity, Record, Run};
use crate::tables::TableMaker;
use shrinkwarp_sim::threads::Threads;
use work::{Message, Workshop};

/// How a batch is run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Simulations at once; where there are fewer, their threads.
    pub threads: usize,
    /// Whether runs that are there are run again.
    pub is_fresh: bool,
    /// Whether runs that failed are run again.
    pub retries_failed: bool,
    /// Set it to end the batch early: runs under way are given up.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { threads: all_cores(), is_fresh: false, retries_failed: false, interrupt: None }
    }
}

/// As many simulations at once as there are cores.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// What became of the runs of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Different runs.
    pub runs: usize,
    /// Of these: there already.
    pub known: usize,
    /// Run now, with a result.
    pub done: usize,
    /// Run now, without.
    pub failed: usize,
    /// Done by other processes on the same store meanwhile.
    pub shared: usize,
    /// Given up because the batch was interrupted.
    pub interrupted: usize,
}

impl Tally {
    /// Runs without an answer so far.
    pub fn left(&self) -> usize {
        self.runs - self.known - self.done - self.failed - self.shared
    }
}

/// The runs that a sink does not know yet, each once, in order. Of two that differ only in what they record, the one
/// that records more answers both.
pub fn pending<'r>(
    sink: &dyn Sink,
    runs: &'r [Run],
    options: &Options<'_>,
    tally: &mut Tally,
) -> Result<Vec<&'r Run>, LabError> {
    let mut different: Vec<(Identity, &'r Run)> = Vec::new();
    let mut places = BTreeMap::new();
    for run in runs {
        let identity = run.identity()?;
        let place = *places.entry(identity.clone()).or_insert(different.len());
        match different.get_mut(place) {
            Some((_, same)) if same.sample_cycles.is_none() => *same = run,
            Some(_) => {}
            None => different.push((identity, run)),
        }
    }
    tally.runs = different.len();
    let mut pending = Vec::new();
    for (identity, run) in different {
        if must_run(sink, &identity, run, options)? {
            pending.push(run);
        } else {
            tally.known += 1;
        }
    }
    Ok(pending)
}

/// Runs what the sink does not know yet. `on_record` sees each new record after it was kept.
///
/// A run is claimed before it is begun. One that another process has claimed is left to it and looked at again: when
/// that process has kept its result it counts as shared, and when the claim has ended it is run here.
pub fn run_all(
    sink: &mut dyn Sink,
    runs: &[Run],
    options: &Options<'_>,
    on_record: &mut dyn FnMut(&Record, &Tally),
) -> Result<Tally, LabError> {
    let mut tally = Tally::default();
    let pending = pending(sink, runs, options, &mut tally)?;
    let threads = options.threads.clamp(1, pending.len().max(1));
    let mut tables = TableMaker::default();
    let pending = tables.plan(pending, sink)?;
    let stop = AtomicBool::new(false);
    // Cores that no run of their own keeps busy help the others.
    let threads_per_run = Threads::new(options.threads / threads);
    let workshop = Workshop::new(&tables, options.interrupt, &stop, threads_per_run);
    let mut queue = Queue { waiting: pending.into(), tables: &tables, options, is_blocked: false };
    let mut failure = Ok(());
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let (jobs, next_job) = mpsc::channel();
        let next_job = Arc::new(Mutex::new(next_job));
        for _ in 0..threads {
            let (sender, workshop, next_job) = (sender.clone(), &workshop, Arc::clone(&next_job));
            scope.spawn(move || workshop.work(&next_job, &sender));
        }
        let (mut idle, mut renewed) = (threads, Instant::now());
        loop {
            while idle > 0
                && failure.is_ok()
                && !workshop.is_over()
                && let Some(run) = queue.next(sink, &mut tally).unwrap_or_else(|error| {
                    failure = Err(error);
                    None
                })
            {
                idle -= usize::from(jobs.send(run).is_ok());
            }
            if idle == threads && (queue.waiting.is_empty() || failure.is_err() || workshop.is_over()) {
                break;
            }
            let kept = match receiver.recv_timeout(if queue.is_blocked { LOOK_AGAIN } else { RENEW }) {
                Ok(Message::Idle) => {
                    idle += 1;
                    Ok(())
                }
                Ok(message) => keep(sink, message, &mut tally, on_record),
                Err(_) => Ok(()),
            };
            let renewal = if renewed.elapsed() < RENEW {
                Ok(())
            } else {
                renewed = Instant::now();
                sink.renew_claims()
            };
            if failure.is_ok() && kept.is_err() | renewal.is_err() {
                // Nothing more can be kept, so nothing more is begun.
                stop.store(true, Ordering::Relaxed);
                failure = kept.and(renewal);
            }
        }
    });
    let released = sink.release_claims();
    tally.interrupted = tally.left();
    failure.and(released).map(|()| tally)
}

/// How often claims are renewed: several times in a lease.
const RENEW: Duration = Duration::from_secs(10);
/// How often runs of other processes are looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(300);

/// The runs that this process has not begun.
struct Queue<'a, 'r> {
    waiting: VecDeque<&'r Run>,
    tables: &'a TableMaker,
    options: &'a Options<'a>,
    /// Whether all that are left belong to other processes for now.
    is_blocked: bool,
}

impl<'r> Queue<'_, 'r> {
    /// The next run for this process, with what the sink has of its tables.
    fn next(&mut self, sink: &mut dyn Sink, tally: &mut Tally) -> Result<Option<&'r Run>, LabError> {
        for _ in 0..self.waiting.len() {
            let Some(run) = self.waiting.pop_front() else { break };
            let identity = run.identity()?;
            if !sink.claim(&identity)? && !self.options.is_fresh {
                self.waiting.push_back(run);
                continue;
            }
            // The owner of an earlier claim may just have kept it.
            if must_run(sink, &identity, run, self.options)? {
                self.tables.preload(run, sink)?;
                self.is_blocked = false;
                return Ok(Some(run));
            }
            sink.release(&identity)?;
            tally.shared += 1;
        }
        self.is_blocked = !self.waiting.is_empty();
        Ok(None)
    }
}

/// Whether a run is not answered by what the sink has.
fn must_run(
    sink: &dyn Sink,
    identity: &Identity,
    run: &Run,
    options: &Options<'_>,
) -> Result<bool, LabError> {
    Ok(match sink.known(identity, run.sample_cycles)? {
        _ if options.is_fresh => true,
        CachedState::Absent => true,
        CachedState::Done => false,
        CachedState::Failed => options.retries_failed,
    })
}

fn keep(
    sink: &mut dyn Sink,
    message: Message,
    tally: &mut Tally,
    on_record: &mut dyn FnMut(&Record, &Tally),
) -> Result<(), LabError> {
    match message {
        Message::Tables(profile, tables) => sink.keep_tables(&profile, &tables),
        Message::Broken(error) => Err(error),
        Message::Idle => Ok(()),
        Message::Finished(record) => {
            sink.keep(&record)?;
            match record.error() {
                None => tally.done += 1,
                Some(_) => tally.failed += 1,
            }
            on_record(&record, tally);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
