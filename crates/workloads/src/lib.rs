//! The workload suite: every program that the four compression systems were judged on, and three of today's.
//!
//! A workload is one kernel file (`kernels/NAME.cu` with its `NAME.ptx`), one Rust file here that makes the input,
//! launches the kernels and compares the result with a CPU reference, and one line in [`WORKLOADS`].

pub mod check;
pub mod error;
pub mod host;
pub mod input;
pub mod workload;

mod atax;
mod bfs;
mod bicg;
mod conv2d;
mod conv_separable;
mod gaussian;
mod histogram;
mod hotspot;
mod lud;
mod matmul;
mod pathfinder;
mod reduction;
mod scalar_prod;
mod scan;
mod sgemm;
mod stencil;
mod transpose;

pub use check::Tolerance;
pub use error::{Failure, InputError};
pub use host::{Host, Outcome};
pub use workload::{Class, InputKind, Paper, Scale, Workload};

/// All workloads, by name.
pub const WORKLOADS: &[&Workload] = &[
    &atax::WORKLOAD,
    &bfs::WORKLOAD,
    &bicg::WORKLOAD,
    &conv_separable::WORKLOAD,
    &conv2d::WORKLOAD,
    &gaussian::WORKLOAD,
    &histogram::WORKLOAD,
    &hotspot::WORKLOAD,
    &lud::WORKLOAD,
    &matmul::WORKLOAD,
    &pathfinder::WORKLOAD,
    &reduction::WORKLOAD,
    &scalar_prod::WORKLOAD,
    &scan::WORKLOAD,
    &sgemm::WORKLOAD,
    &stencil::WORKLOAD,
    &transpose::WORKLOAD,
];

/// The workload with this name.
pub fn find(name: &str) -> Option<&'static Workload> {
    WORKLOADS.iter().copied().find(|workload| workload.name == name)
}
