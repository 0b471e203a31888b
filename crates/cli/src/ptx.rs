//! What `shrinkwarp ptx` prints.

pub mod check;
pub mod diagnostics;
pub mod dot;
pub mod graph;
pub mod svg;
