//! Inputs: seeded generators whose values look like the real thing, and readers for a user's own files.
//!
//! Compression sees values, so a generator's job is the distribution, not just the size: power-law and road-like graphs,
//! fractal pictures, Zipf-distributed text, smooth fields, clustered points. The same seed gives the same bytes on
//! every machine: only integer arithmetic, IEEE basic operations and the portable `libm` are used.

pub mod bf16;
pub mod c_rand;
pub mod conditioned;
pub mod field;
pub mod genome;
pub mod graph;
pub mod graphgen;
pub mod image;
pub mod kdd;
pub mod matrix;
pub mod network;
pub mod points;
pub mod rand48;
pub mod rng;
pub mod singular;
pub mod sparse;
pub mod text;

pub use rng::Rng;
