//! Experiments: what turns the simulator into answers.
//!
//! [`chart`] draws; the other modules decide what is run, keep what came out and say what it means.

pub mod chart;
pub mod figure;
pub mod markup;
pub mod page;
