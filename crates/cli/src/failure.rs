//! Why a command stops: a message for a person and an exit code for a script.

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::Path;

use shrinkwarp_analyze::AnalyzeError;
use shrinkwarp_formats::files::WriteError;
use shrinkwarp_formats::{InputError, WayOut};
use shrinkwarp_lab::LabError;
use shrinkwarp_launchfile::LaunchError;
use shrinkwarp_report::excerpt;
use shrinkwarp_report::text::printable;
use shrinkwarp_sim::config::ConfigError;

use crate::files::print_aside;

/// 128 + SIGINT, as shells report it.
pub const INTERRUPTED: u8 = 130;

/// What went wrong. Every message names the flag or file, the place, and the way out.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something impossible: exit code 2, as for a misspelt flag.
    Usage(String),
    /// The work failed: exit code 1.
    Work(String),
    /// The work failed, and the message is ready for the terminal, with colours: exit code 1.
    Shown(String),
    /// Ctrl-C ended the work early: exit code 130, as shells report it.
    Interrupted(String),
    /// A program that was run failed, and has said why itself: its exit code.
    Program(i32),
    /// A signal ended a program that was run.
    Signal(i32),
    /// Launches of a program failed, and none may.
    Strict(usize),
    /// The reader of standard output went away.
    OutputClosed,
}

impl Failure {
    /// A failure of an operation on a file.
    pub fn file(path: &Path, error: impl fmt::Display) -> Self {
        Self::Work(format!("{}: {error}", path.display()))
    }

    /// A failure to write standard output.
    pub fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Work(format!("standard output: {error}")),
        }
    }

    /// Says on standard error what went wrong.
    pub fn report(&self) {
        print_aside(&format!("shrinkwarp: {self}\n"));
    }

    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Work(_) | Self::Shown(_) => 1,
            Self::Interrupted(_) => INTERRUPTED,
            Self::Program(code) => u8::try_from(*code).unwrap_or(1),
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(1),
            Self::Strict(_) => 3,
            Self::OutputClosed => 0,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Work(message) | Self::Interrupted(message) => {
                f.write_str(&printable(message))
            }
            Self::Shown(message) => f.write_str(message),
            Self::Program(code) => write!(f, "the program ended with code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal} ended the program; it has no report"),
            Self::Strict(launches) => write!(f, "{launches} launches were refused or ended by a fault"),
            Self::OutputClosed => f.write_str("standard output was closed"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Usage(message) => Self::Usage(message),
            LabError::Config(error) => Self::Usage(located(&error)),
            LabError::Work(message) => Self::Work(message),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::Work(error.to_string())
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        match error.way_out {
            Some(WayOut::GiveElementType) => {
                Self::Usage(format!("{error}; give the element type with --dtype, such as f32"))
            }
            Some(WayOut::RaiseExpandLimit) => {
                Self::Work(format!("{error}; raise it with --expand-limit-gib"))
            }
            None => Self::Work(error.to_string()),
        }
    }
}

impl From<AnalyzeError> for Failure {
    fn from(error: AnalyzeError) -> Self {
        match error {
            AnalyzeError::Codec(error) => Self::Usage(format!("--codec: {error}")),
            AnalyzeError::Read { .. } => Self::Work(error.to_string()),
        }
    }
}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Output(error) => Self::output(&error),
            error => Self::Shown(error.text(io::stderr().is_terminal())),
        }
    }
}

/// A mistake in a configuration, and its place in the file where there is one.
fn located(error: &ConfigError) -> String {
    let Some(span) = error.span.clone() else { return error.to_string() };
    let excerpt = excerpt::place(&error.file, &error.source, span, &error.message);
    format!("{error}\n{}", excerpt.trim_end())
}
