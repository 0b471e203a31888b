//! Steps before a codec that change the data on purpose, each with its name and a measure of what it costs.

pub mod approximation;
pub mod error_meter;

pub use approximation::{Approximation, FloatFormat};
pub use error_meter::{ApproximationError, ErrorMeter};
