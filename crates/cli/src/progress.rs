//! Progress on standard error: a bar on terminals, a line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use shrinkwarp_report::text::{human_bytes, printable};

use crate::files::print_aside;

/// How often there is a line where no bar can be drawn.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Lines in place of a bar, where standard error is not a terminal: a log must show that work goes on.
pub struct Lines {
    every: Option<Duration>,
    last: Mutex<Instant>,
}

impl Lines {
    /// None on a terminal.
    pub fn new() -> Self {
        Self::with((!io::stderr().is_terminal()).then_some(LINE_EVERY))
    }

    fn with(every: Option<Duration>) -> Self {
        Self { every, last: Mutex::new(Instant::now()) }
    }

    /// Says how far it is, if the last line is old enough.
    pub fn tell(&self, line: impl FnOnce() -> String) {
        if self.is_due() {
            print_aside(&format!("shrinkwarp: {}\n", printable(&line())));
        }
    }

    fn is_due(&self) -> bool {
        let Some(every) = self.every else { return false };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.elapsed() >= every;
        if is_due {
            *last = Instant::now();
        }
        is_due
    }
}

/// How far a command is, in bytes or steps.
pub struct Progress {
    bar: ProgressBar,
    lines: Lines,
    is_bytes: bool,
}

impl Progress {
    /// For work of a known length.
    pub fn bytes(len: u64, what: &'static str) -> Self {
        // The bar draws nothing where standard error is not a terminal.
        let bar = ProgressBar::new(len).with_message(what);
        let template = "{msg} {bar:32} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}";
        Self { bar: styled(bar, template), lines: Lines::new(), is_bytes: true }
    }

    /// For work of a known number of steps; [`Progress::advance`] counts them.
    pub fn steps(len: u64, what: &'static str) -> Self {
        let bar = styled(ProgressBar::new(len).with_message(what), "{msg} {bar:32} {pos}/{len} {eta}");
        Self { bar, lines: Lines::new(), is_bytes: false }
    }

    /// For work whose length only its end tells.
    pub fn unknown_length(what: &'static str) -> Self {
        let bar = ProgressBar::new_spinner().with_message(what);
        let bar = styled(bar, "{msg} {spinner} {bytes} {binary_bytes_per_sec}");
        Self { bar, lines: Lines::new(), is_bytes: true }
    }

    /// Reports bytes or steps done.
    pub fn advance(&self, count: u64) {
        self.bar.inc(count);
        self.lines.tell(|| {
            let amount = |count: u64| if self.is_bytes { human_bytes(count) } else { count.to_string() };
            let of = self.bar.length().map_or(String::new(), |length| format!(" of {}", amount(length)));
            format!("{}: {}{of}", self.bar.message(), amount(self.bar.position()))
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_line_every_so_often_and_none_on_a_terminal() {
        let often = Lines::with(Some(Duration::ZERO));
        assert!(often.is_due() && often.is_due());
        let seldom = Lines::with(Some(Duration::from_hours(1)));
        assert!(!seldom.is_due());
        assert!(!Lines::with(None).is_due());
    }
}
