//! Why an analysis did not come to its end.

use std::fmt;
use std::io;

use shrinkwarp_codec::SpecError;
use shrinkwarp_formats::Input;

/// What went wrong.
#[derive(Debug)]
pub enum AnalyzeError {
    /// A codec that was requested does not exist, or not with these parameters.
    Codec(SpecError),
    /// An input cannot be read.
    Read {
        /// The input.
        name: String,
        /// Why.
        error: io::Error,
    },
}

impl AnalyzeError {
    pub(crate) fn read(input: &Input, error: io::Error) -> Self {
        Self::Read { name: input.name.clone(), error }
    }
}

impl fmt::Display for AnalyzeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codec(error) => error.fmt(f),
            Self::Read { name, error } => write!(f, "{name}: {error}"),
        }
    }
}

impl std::error::Error for AnalyzeError {}

impl From<SpecError> for AnalyzeError {
    fn from(error: SpecError) -> Self {
        Self::Codec(error)
    }
}
