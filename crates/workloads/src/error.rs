//! What can go wrong: a user's input, the device, or a result that differs from the CPU reference.

use std::fmt;

use shrinkwarp_emu::device::DeviceError;

/// Why a workload did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The user's input file cannot be used.
    Input(InputFileError),
    /// The device refused or the kernel faulted.
    Device(DeviceError),
    /// A launch does not fit its kernel.
    Launch(String),
    /// The device result differs from the CPU reference.
    Mismatch(Mismatch),
}

/// The first wrong element of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The buffer compared.
    pub buffer: &'static str,
    /// The element's index.
    pub index: usize,
    /// What the device computed.
    pub got: String,
    /// What the reference says.
    pub expected: String,
    /// How many elements are wrong, of how many.
    pub wrong: (usize, usize),
}

/// Why a user's input file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFileError {
    /// The line, counted from 1; 0 where the file has no lines.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl InputFileError {
    /// An error at a line.
    pub fn at(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

impl fmt::Display for InputFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.what),
            line => write!(f, "line {line}: {}", self.what),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => write!(f, "input {error}"),
            Self::Device(error) => error.fmt(f),
            Self::Launch(what) => f.write_str(what),
            Self::Mismatch(Mismatch { buffer, index, got, expected, wrong: (wrong, of) }) => write!(
                f,
                "wrong result: {buffer}[{index}] is {got}, the CPU reference says {expected} ({wrong} of {of} differ)"
            ),
        }
    }
}

impl std::error::Error for InputFileError {}
impl std::error::Error for Failure {}

impl From<InputFileError> for Failure {
    fn from(error: InputFileError) -> Self {
        Self::Input(error)
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}
