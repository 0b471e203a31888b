//! What `shrinkwarp ptx` prints.

pub mod check;
pub mod dot;
pub mod graph;
pub mod svg;
