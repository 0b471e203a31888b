//! What every command that keeps results shares: `--store`, and a bar over many runs.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use shrinkwarp_lab::batch::{self, Options, Tally};
use shrinkwarp_lab::run::{Record, Run};
use shrinkwarp_lab::store::{Store, StoreLocation};

use crate::failure::Failure;
use crate::progress::Lines;
use crate::run::interrupt_flag;

/// Where results are kept.
#[derive(Args, Clone, Debug)]
pub struct StoreArgs {
    /// Store of results: a file, or "none" to keep nothing [default: shrinkwarp/runs.sqlite in your data directory]
    #[arg(long, value_name = "PATH")]
    pub store: Option<PathBuf>,
}

impl StoreArgs {
    /// The option as it was given, for a command that a hint names.
    pub fn flag(&self) -> String {
        self.store.as_ref().map_or(String::new(), |path| format!(" --store {}", path.display()))
    }

    /// Where it is.
    pub fn place(&self) -> Result<StoreLocation, Failure> {
        Ok(StoreLocation::asked(self.store.as_deref())?)
    }

    /// Opens it to read and write.
    pub fn open(&self) -> Result<Store, Failure> {
        Ok(Store::open(&self.place()?)?)
    }

    /// Opens it to change what is there; one that is not there is not made.
    pub fn open_existing(&self) -> Result<Store, Failure> {
        self.open_to_read()?;
        self.open()
    }

    /// Opens it to read.
    pub fn open_to_read(&self) -> Result<Store, Failure> {
        let place = self.place()?;
        if place == StoreLocation::Memory {
            let message =
                "--store none: keeps nothing, so there is nothing to read; give the path of a store";
            return Err(Failure::Usage(message.to_owned()));
        }
        Ok(Store::open_to_read(&place)?)
    }
}

/// Where results are kept, and how what is not there is run.
#[derive(Args, Clone, Debug)]
pub struct KeptArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub batch: BatchArgs,
}

/// How a command runs what is not in the store.
#[derive(Args, Clone, Debug)]
pub struct BatchArgs {
    /// Threads of the simulations: one for each, or more where there are fewer simulations [default: one for each core]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Also run again what is in the store
    #[arg(long)]
    pub fresh: bool,
    /// Also run again what failed before
    #[arg(long)]
    pub retry_failed: bool,
}

impl BatchArgs {
    /// The options of a batch that `interrupt` ends.
    pub fn options<'i>(&self, interrupt: &'i AtomicBool) -> Options<'i> {
        Options {
            threads: self.threads.map_or_else(batch::all_cores, usize::from),
            is_fresh: self.fresh,
            retries_failed: self.retry_failed,
            interrupt: Some(interrupt),
        }
    }

    /// Runs a batch with a bar on standard error; Ctrl-C ends it with everything kept that is whole.
    pub fn run(&self, sink: &mut dyn batch::Sink, runs: &[Run]) -> Result<Tally, Failure> {
        let interrupt = interrupt_flag();
        let options = self.options(&interrupt);
        let (bar, lines) = (bar(), Lines::new());
        let tally = batch::run_all(sink, runs, &options, &mut |record, tally| {
            show(&bar, record, tally);
            let (over, all) = (tally.runs - tally.left(), tally.runs);
            lines.tell(|| format!("{over} of {all} runs, {} failed", tally.failed));
        })?;
        bar.finish_and_clear();
        if tally.interrupted > 0 {
            let message = format!(
                "interrupted: {} runs are in the store, {} are left; the same command continues",
                tally.runs - tally.interrupted,
                tally.interrupted
            );
            return Err(Failure::Interrupted(message));
        }
        Ok(tally)
    }
}

/// A bar that draws nothing where standard error is not a terminal.
fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    match ProgressStyle::with_template("runs {bar:32} {pos}/{len}, {eta} left  {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn show(bar: &ProgressBar, record: &Record, tally: &Tally) {
    bar.set_length((tally.runs - tally.known) as u64);
    bar.set_position((tally.done + tally.failed) as u64);
    let failed = if tally.failed > 0 { format!(", {} failed", tally.failed) } else { String::new() };
    bar.set_message(format!("{} {}{failed}", record.workload, record.scheme));
}
