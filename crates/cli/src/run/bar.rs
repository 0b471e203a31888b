//! A run's progress on a terminal, and Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use shrinkwarp_lab::run::Watcher;
use shrinkwarp_report::text::printable;
use shrinkwarp_sim::run::Progress;

use crate::progress::Lines;

/// A flag that Ctrl-C sets from now on.
pub fn interrupt_flag() -> Arc<AtomicBool> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    // Without a handler Ctrl-C ends the process, which is no reason not to run.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    interrupt
}

/// The blocks of the launch that runs, on standard error.
pub struct LaunchBar {
    bar: ProgressBar,
    started: Instant,
    kernel: String,
    lines: Lines,
}

impl LaunchBar {
    /// A bar that is not drawn yet, and never where standard error is not a terminal.
    pub fn new() -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} blocks, {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        Self { bar, started: Instant::now(), kernel: String::new(), lines: Lines::new() }
    }
}

impl Watcher for LaunchBar {
    fn launch_begins(&mut self, kernel: &str) {
        self.started = Instant::now();
        self.bar.reset();
        self.kernel = printable(kernel).into_owned();
        self.bar.set_prefix(self.kernel.clone());
    }

    fn progress(&mut self, progress: &Progress) {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        self.bar.set_length(progress.blocks);
        self.bar.set_position(progress.blocks_done);
        self.lines.tell(|| {
            let Progress { blocks, blocks_done, cycles, .. } = progress;
            format!("{}: {blocks_done} of {blocks} thread blocks, {cycles} cycles", self.kernel)
        });
        self.bar.set_message(format!(
            "{} cycles, IPC {:.1}, {:.1} M instructions/s",
            progress.cycles,
            progress.thread_instructions as f64 / progress.cycles.max(1) as f64,
            progress.thread_instructions as f64 / 1e6 / seconds,
        ));
    }

    fn launch_ends(&mut self) {
        self.bar.finish_and_clear();
    }
}
