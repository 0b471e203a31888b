//! A progress bar on standard error, on terminals only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How far a command is, in bytes or steps.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// For work of a known length.
    pub fn bytes(len: u64, what: &'static str) -> Self {
        // The bar draws nothing where standard error is no terminal.
        let bar = ProgressBar::new(len).with_message(what);
        let template = "{msg} {bar:32} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}";
        Self { bar: styled(bar, template) }
    }

    /// For work of a known number of steps; [`Progress::advance`] counts them.
    pub fn steps(len: u64, what: &'static str) -> Self {
        Self { bar: styled(ProgressBar::new(len).with_message(what), "{msg} {bar:32} {pos}/{len} {eta}") }
    }

    /// For work whose length only its end tells.
    pub fn unknown_length(what: &'static str) -> Self {
        let bar = ProgressBar::new_spinner().with_message(what);
        Self { bar: styled(bar, "{msg} {spinner} {bytes} {binary_bytes_per_sec}") }
    }

    /// Reports bytes or steps done.
    pub fn advance(&self, count: u64) {
        self.bar.inc(count);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    bar.enable_steady_tick(Duration::from_millis(200));
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
