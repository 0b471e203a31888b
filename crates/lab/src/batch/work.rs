//! What a thread of a batch does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use shrinkwarp_sim::scheme::Tables;
use shrinkwarp_sim::threads::Threads;

use crate::LabError;
use crate::run::{Identity, Performed, Record, Run, RunOutcome, perform};
use crate::tables::TableMaker;

/// What a thread tells the one that keeps.
pub enum Message {
    /// A run has ended.
    Finished(Box<Record>),
    /// A profiling run gave tables.
    Tables(Identity, Tables),
    /// The thread waits for its next run.
    Idle,
    /// Something is wrong that concerns all runs.
    Broken(LabError),
}

/// What the threads share.
pub struct Workshop<'a> {
    tables: &'a TableMaker,
    interrupt: Option<&'a AtomicBool>,
    stop: &'a AtomicBool,
    /// Threads of each simulation.
    threads: Threads,
}

impl<'a> Workshop<'a> {
    /// Nothing is begun yet.
    pub fn new(
        tables: &'a TableMaker,
        interrupt: Option<&'a AtomicBool>,
        stop: &'a AtomicBool,
        threads: Threads,
    ) -> Self {
        Self { tables, interrupt, stop, threads }
    }

    /// Takes one run after the other until there are no more.
    pub fn work(&self, jobs: &Mutex<Receiver<&Run>>, sender: &Sender<Message>) {
        // The lock is held while this thread waits for a run; the others wait for the lock.
        while let Ok(run) = { jobs.lock().unwrap_or_else(PoisonError::into_inner).recv() } {
            let message = match self.finish(run, sender) {
                Ok(Some(record)) => Some(Message::Finished(Box::new(record))),
                Ok(None) => None,
                Err(error) => Some(Message::Broken(error)),
            };
            if message.into_iter().chain([Message::Idle]).any(|message| sender.send(message).is_err()) {
                return;
            }
        }
    }

    /// Whether no further run is to be begun.
    pub fn is_over(&self) -> bool {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        is_set(self.stop) || self.interrupt.is_some_and(is_set)
    }

    /// The record of a run; `None` if it was interrupted.
    fn finish(&self, run: &Run, sender: &Sender<Message>) -> Result<Option<Record>, LabError> {
        let started = Instant::now();
        // A panic is a fault of this program; it must not take the other runs with it.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.execute(run, sender)));
        let (outcome, output) = match outcome {
            Ok(performed) if performed.is_partial => return Ok(None),
            Ok(Performed { outcome: Ok(result), output, .. }) => (RunOutcome::Done(result), output),
            Ok(Performed { outcome: Err(error), output, .. }) => {
                (RunOutcome::Failed(error.to_string()), output)
            }
            Err(panic) => (RunOutcome::Failed(format!("internal error: {}", panic_text(&*panic))), None),
        };
        let record = Record::new(run, outcome, started.elapsed().as_secs_f64())?;
        Ok(Some(Record { output, ..record }))
    }

    fn execute(&self, run: &Run, sender: &Sender<Message>) -> Performed {
        if let Some(performed) = self.tables.perform_profiling(run, self.interrupt, self.threads) {
            return performed;
        }
        let (tables, new) = match self.tables.tables_for(run) {
            Ok(found) => found,
            Err(error) => return Performed::failed(error),
        };
        if let Some((profile, made)) = new {
            // The receiver may be gone; the run has its tables all the same.
            let _ = sender.send(Message::Tables(profile, made));
        }
        perform(run, &tables, self.interrupt, self.threads)
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}
