//! Errors of the library crates as exceptions, with the text that the command prints.

use std::fmt::Display;

use pyo3::PyErr;
use shrinkwarp_cli::Failure;

pyo3::import_exception!(shrinkwarp._errors, UsageError);
pyo3::import_exception!(shrinkwarp._errors, WorkError);

/// The exception of a failure: `UsageError` where the command ends with code 2, `WorkError` otherwise.
pub fn exception(failure: impl Into<Failure>) -> PyErr {
    match failure.into() {
        Failure::Usage(message) => UsageError::new_err(message),
        other => WorkError::new_err(other.to_string()),
    }
}

/// What was requested is not possible.
pub fn usage(message: impl Display) -> PyErr {
    UsageError::new_err(message.to_string())
}

/// The work failed.
pub fn work(message: impl Display) -> PyErr {
    WorkError::new_err(message.to_string())
}
