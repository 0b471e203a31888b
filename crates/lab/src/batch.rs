//! Many runs, none twice: each is looked up first, the others go to the threads, and every result is kept at once.
//!
//! One simulation is one thread. Results come back to the calling thread, the only one that writes; a run that fails,
//! even one that panics, is kept with its error and the others go on. Whatever ends the process, what was kept stays,
//! and the same batch goes on where it was.

mod sink;
mod work;

pub use sink::{CachedState, Sink};

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use crate::LabError;
use crate::run::{Identity, Record, Run};
use crate::tables::TableMaker;
use work::{Message, Workshop};

/// How a batch is run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Simulations at once.
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
    /// Given up because the batch was interrupted.
    pub interrupted: usize,
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
        let must_run = match sink.known(&identity, run.sample_cycles)? {
            _ if options.is_fresh => true,
            CachedState::Absent => true,
            CachedState::Done => false,
            CachedState::Failed => options.retries_failed,
        };
        if must_run {
            pending.push(run);
        } else {
            tally.known += 1;
        }
    }
    Ok(pending)
}

/// Runs what the sink does not know yet. `on_record` sees each new record after it was kept.
pub fn run_all(
    sink: &mut dyn Sink,
    runs: &[Run],
    options: &Options<'_>,
    on_record: &mut dyn FnMut(&Record, &Tally),
) -> Result<Tally, LabError> {
    let mut tally = Tally::default();
    let pending = pending(sink, runs, options, &mut tally)?;
    let tables = TableMaker::default();
    for run in &pending {
        tables.preload(run, sink)?;
    }
    let stop = AtomicBool::new(false);
    let workshop = Workshop::new(&pending, &tables, options.interrupt, &stop);
    let mut failure = Ok(());
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..options.threads.clamp(1, pending.len().max(1)) {
            let (sender, workshop) = (sender.clone(), &workshop);
            scope.spawn(move || workshop.work(&sender));
        }
        drop(sender);
        for message in receiver {
            let kept = keep(sink, message, &mut tally, on_record);
            if failure.is_ok() && kept.is_err() {
                // Nothing more can be kept, so nothing more is begun.
                stop.store(true, Ordering::Relaxed);
                failure = kept;
            }
        }
    });
    tally.interrupted = tally.runs - tally.known - tally.done - tally.failed;
    failure.map(|()| tally)
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
