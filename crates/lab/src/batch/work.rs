//! What a thread of a batch does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::Instant;

use shrinkwarp_sim::scheme::Tables;

use crate::LabError;
use crate::run::{Executed, Identity, Outcome, Record, Run, Watching, execute};
use crate::tables::TableMaker;

/// What a thread tells the one that keeps.
pub enum Message {
    /// A run has ended.
    Finished(Box<Record>),
    /// A profiling run gave tables.
    Tables(Identity, Tables),
    /// Something is wrong that concerns all runs.
    Broken(LabError),
}

/// The runs to do and what the threads share.
pub struct Workshop<'a> {
    runs: &'a [&'a Run],
    next: AtomicUsize,
    tables: &'a TableMaker,
    interrupt: Option<&'a AtomicBool>,
    stop: &'a AtomicBool,
}

impl<'a> Workshop<'a> {
    /// Nothing is begun yet.
    pub fn new(
        runs: &'a [&'a Run],
        tables: &'a TableMaker,
        interrupt: Option<&'a AtomicBool>,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { runs, next: AtomicUsize::new(0), tables, interrupt, stop }
    }

    /// Takes one run after the other until there are no more.
    pub fn work(&self, sender: &Sender<Message>) {
        while !self.is_over()
            && let Some(run) = self.runs.get(self.next.fetch_add(1, Ordering::Relaxed))
        {
            let message = match self.finish(run, sender) {
                Ok(Some(record)) => Message::Finished(Box::new(record)),
                Ok(None) => return,
                Err(error) => Message::Broken(error),
            };
            if sender.send(message).is_err() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        is_set(self.stop) || self.interrupt.is_some_and(is_set)
    }

    /// The record of a run; `None` if it was interrupted.
    fn finish(&self, run: &Run, sender: &Sender<Message>) -> Result<Option<Record>, LabError> {
        let started = Instant::now();
        // A panic is a fault of this program; it must not take the other runs with it.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.execute(run, sender)));
        let outcome = match outcome {
            Ok(Ok(executed)) if executed.is_partial => return Ok(None),
            Ok(Ok(executed)) => Outcome::Done(executed.result),
            Ok(Err(error)) => Outcome::Failed(error.to_string()),
            Err(panic) => Outcome::Failed(format!("internal error: {}", panic_text(&*panic))),
        };
        Record::new(run, outcome, started.elapsed().as_secs_f64()).map(Some)
    }

    fn execute(&self, run: &Run, sender: &Sender<Message>) -> Result<Executed, LabError> {
        let (tables, new) = self.tables.tables_for(run)?;
        if let Some((profile, made)) = new {
            // The receiver may be gone; the run has its tables all the same.
            let _ = sender.send(Message::Tables(profile, made));
        }
        execute(run, &tables, &mut Watching { interrupt: self.interrupt, watcher: &mut () })
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}
