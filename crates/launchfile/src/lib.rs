//! Launch files: a user's own PTX with buffers, kernels, arguments and what to do with the results.
//!
//! ```toml
//! module = "saxpy.ptx"            # in the folder of this file
//!
//! [[buffer]]
//! name = "x"
//! type = "f32"
//! count = 1024                    # or shape = [32, 32]
//! ramp = { start = 0, step = 1 }  # or fill, values, random, file; zeros without any
//!
//! [[launch]]
//! kernel = "saxpy"
//! grid = [4]
//! block = [256]
//! arguments = ["x", "y", 2.0, 1024]
//!
//! [[result]]
//! buffer = "y"
//! checksum = true                 # and/or write = "y.npy", expect = "expected.npy", tolerance = 1e-5
//! ```
//!
//! | file        | question it answers                                       |
//! |-------------|-----------------------------------------------------------|
//! | `spec`      | what may a launch file say?                               |
//! | `error`     | where is the mistake, in this file or in the PTX?         |
//! | `initial`   | which bytes does a buffer start with?                     |
//! | `number`    | which numbers fit which element type?                     |
//! | `random`    | how are random numbers made?                              |
//! | `arguments` | which bytes does a kernel get?                            |
//! | `prepare`   | what is wrong, before anything runs?                      |
//! | `comparison` | how far is a result from what is expected?               |
//! | `results`   | what happens with a buffer at the end?                    |
//! | `session`   | the order of things, on any device                        |

mod arguments;
mod comparison;
mod error;
mod initial;
mod number;
mod prepare;
mod random;
mod results;
mod session;
mod spec;

pub use arguments::number_bytes;
pub use error::{LaunchError, ptx_mistakes};
pub use initial::HostBuffer;
pub use number::Number;
pub use prepare::{Prepared, prepare};
pub use results::Finding;
pub use session::{Choices, DEFAULT_MAX_INSTRUCTIONS, Session, SessionReport, read_ptx};
pub use spec::LaunchFile;
