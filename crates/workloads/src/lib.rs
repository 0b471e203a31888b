//! The workload suite: every program that the four compression systems were judged on, and three of today's.
//!
//! A workload is one kernel file (`kernels/NAME.cu` with its `NAME.ptx`), one Rust file in `programs/` that makes the
//! input, launches the kernels and compares the result with a CPU reference, and its lines in `programs.rs`. Everything
//! else here is the framework that they share.

pub mod check;
pub mod error;
pub mod host;
pub mod input;
pub mod metric;
mod programs;
pub mod quality;
pub mod setup;
pub mod workload;

pub use check::Tolerance;
pub use error::{Failure, InputFileError};
pub use host::{Host, WorkloadReport};
pub use input::conditioned::Factors;
pub use metric::Metric;
pub use programs::WORKLOADS;
pub use quality::{Constraint, Quality};
pub use setup::{InputProperties, Output, Setup};
pub use workload::{Class, DataSet, InputKind, Paper, Scale, Workload};

/// The workload with this name.
pub fn find(name: &str) -> Option<&'static Workload> {
    WORKLOADS.iter().copied().find(|workload| workload.name == name)
}
