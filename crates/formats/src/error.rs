//! Why an input cannot be read.

use std::fmt;
use std::path::Path;

/// Where and what is wrong with an input, and what the caller can change.
#[derive(Debug)]
pub struct InputError {
    message: String,
    /// The option that would help, where there is one.
    pub way_out: Option<WayOut>,
}

/// An option that makes an input readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// Give the element type ([`crate::Options::dtype`]), or another one.
    GiveElementType,
    /// Raise the limit of what may be expanded ([`crate::Options::expand_limit_bytes`]).
    RaiseExpandLimit,
}

impl InputError {
    /// An error that no option mends.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), way_out: None }
    }

    /// An error at a place in a file.
    pub fn at(at_byte: u64, what: impl fmt::Display) -> Self {
        Self::new(format!("byte {at_byte}: {what}"))
    }

    /// The same error with the option that would help.
    #[must_use]
    pub fn mended_by(self, way_out: WayOut) -> Self {
        Self { way_out: Some(way_out), ..self }
    }

    /// The same error inside a member of an archive.
    #[must_use]
    pub fn inside(self, member: &str) -> Self {
        Self { message: format!("member {member}: {}", self.message), ..self }
    }

    /// The same error of a file.
    #[must_use]
    pub fn of_file(self, path: &Path) -> Self {
        Self { message: format!("{}: {}", path.display(), self.message), ..self }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InputError {}

impl From<std::io::Error> for InputError {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}
