//! Why an experiment did not succeed. Every message names the thing, the place and the way out.

use std::fmt;

use shrinkwarp_machine::MachineError;
use shrinkwarp_sim::config::ConfigError;

/// What went wrong.
#[derive(Debug)]
pub enum LabError {
    /// The question cannot be asked: an unknown name, an impossible combination.
    Usage(String),
    /// A configuration file or a `--set` is wrong; it knows its place.
    Config(ConfigError),
    /// The run, or the keeping of its result, failed.
    Work(String),
}

impl LabError {
    /// A failure of an operation on a file.
    pub fn file(path: &std::path::Path, error: impl fmt::Display) -> Self {
        Self::Work(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Work(message) => f.write_str(message),
            Self::Config(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LabError {}

impl From<ConfigError> for LabError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<MachineError> for LabError {
    fn from(error: MachineError) -> Self {
        match error {
            MachineError::Usage(message) => Self::Usage(message),
            MachineError::Work(message) => Self::Work(message),
        }
    }
}
