//! Why a machine cannot be described, or its result not be written.

use std::fmt;
use std::path::Path;

/// What went wrong.
#[derive(Debug)]
pub enum MachineError {
    /// A file or a name is not what it should be.
    Usage(String),
    /// A file cannot be read, or a result not be written.
    Work(String),
}

impl MachineError {
    /// A failure of an operation on a file.
    pub fn file(path: &Path, error: impl fmt::Display) -> Self {
        Self::Work(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Work(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for MachineError {}
