//! What can be wrong with a container, and where.

use std::fmt;
use std::io;

/// Why a container cannot be read.
#[derive(Debug)]
pub enum ContainerError {
    /// The bytes themselves cannot be read or written.
    Io(io::Error),
    /// The bytes are not a container that an encoder writes.
    Format {
        /// Where, in bytes from the start of the container.
        at_byte: u64,
        /// What is wrong there.
        what: String,
    },
}

impl ContainerError {
    pub(super) fn format(at_byte: u64, what: impl Into<String>) -> Self {
        Self::Format { at_byte, what: what.into() }
    }
}

impl From<io::Error> for ContainerError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Format { at_byte, what } => write!(f, "byte {at_byte}: {what}"),
        }
    }
}

impl std::error::Error for ContainerError {}
