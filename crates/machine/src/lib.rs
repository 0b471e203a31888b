//! A machine to simulate, described by names and files, and what it counted, as a result.
//!
//! The simulator takes texts and gives counters; this crate reads the files and names the numbers. Everything that runs
//! a machine uses it: experiments, the command, the CUDA runtime library.
//!
//! | module            | question it answers                                             |
//! |-------------------|-----------------------------------------------------------------|
//! | [`configuration`] | which GPU, scheme and energy set does a name or a path mean?    |
//! | [`tables`]        | which tables do trained codecs have, in a file?                 |
//! | [`result`]        | what came out of a run?                                         |
//! | [`counters`]      | what is each number called?                                     |
//! | `names`           | which names can a number have?                                  |
//! | [`derived`]       | which numbers follow from the counted ones?                     |
//! | [`summary`]       | what does a person want to know of a run?                       |
//! | [`traffic`]       | what does a machine move to and from DRAM?                      |

pub mod configuration;
pub mod counters;
pub mod derived;
mod error;
mod names;
pub mod result;
pub mod summary;
pub mod tables;
pub mod traffic;

pub use error::MachineError;
pub use names::{Counter, counter_names};
