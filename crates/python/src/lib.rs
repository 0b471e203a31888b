//! The native part of the Python package: `shrinkwarp._native`, which the modules in `python/shrinkwarp/` wrap.
//!
//! What crosses the border is bytes of arrays, which are shared and not copied, plain values, and JSON for what has
//! structure. Names, types and checks of arrays are Python's business; everything else is a call of the library crates.
//!
//! | file         | question it answers                                                      |
//! |--------------|--------------------------------------------------------------------------|
//! | `failure`    | which exception is an error?                                             |
//! | `watch`      | how is long work done without the GIL, shown and stopped?                |
//! | `arrays`     | which bytes does an array have?                                          |
//! | `codec`      | what do the block codecs make of bytes?                                  |
//! | `own_codec`  | how does a class of Python sit in a simulation?                          |
//! | `analysis`   | what would shrink?                                                       |
//! | `machine`    | which GPU, scheme or list does a name mean?                              |
//! | `simulation` | what came out of runs, from the store or simulated?                      |
//! | `launch`     | what does a kernel of the user's own do to arrays?                       |
#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments of Python are converted into values that a function owns"
)]

mod analysis;
mod arrays;
mod codec;
mod failure;
mod launch;
mod machine;
mod own_codec;
mod simulation;
mod watch;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the `shrinkwarp` command with these arguments, its own name first, and gives its exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| shrinkwarp_cli::main_with(arguments))
}

/// The module.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::command;

    #[pymodule_export]
    use super::analysis::{Report, analyze_arrays, analyze_files};
    #[pymodule_export]
    use super::codec::{Codec, codec_list};
    #[pymodule_export]
    use super::launch::launch;
    #[pymodule_export]
    use super::machine::{gpu_json, gpu_list, scheme_json, scheme_list, workload_list, workload_names};
    #[pymodule_export]
    use super::simulation::{Comparison, compare, identity, run_one, stored, sweep};
}
