//! Files of tensors, opened without loading them; and the container of encoded blocks.
//!
//! Every file becomes ranges of an open file; tensors of a caller are memory that is not copied ([`Bytes::in_memory`]). What is compressed (`.gz`, `.zst`, deflated members of `.npz`), big
//! endian, or no file at all (standard input) is first written to an unnamed temporary file, so that one code path
//! serves all and memory stays bounded; [`Options::expand_limit_bytes`] bounds the disk.

mod bytes;
pub mod container;
mod dtype;
mod error;
mod expand;
pub mod files;
mod format;
pub mod npy;
pub mod npz;
pub mod safetensors;
mod walk;

pub use bytes::{Bytes, SharedMemory, Spool, WINDOW_BYTES, Window};
pub use dtype::Dtype;
pub use error::{InputError, WayOut};
pub use expand::{expanded, gzip_reader, zstd_reader};
pub use format::{Format, open};
pub use walk::files_of;

/// How inputs are read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The element type of raw files, and of `.npy` elements that NumPy has no name for.
    pub dtype: Option<Dtype>,
    /// How many bytes compressed inputs may expand to, each.
    pub expand_limit_bytes: u64,
}

/// One file and the tensors in it.
pub struct Input {
    /// The path as the user wrote it.
    pub name: String,
    /// Its tensors, in the order of their bytes.
    pub tensors: Vec<Tensor>,
}

/// A named array of numbers, on disk or in memory.
#[derive(Clone)]
pub struct Tensor {
    /// Its name inside the file; empty where the file is the tensor.
    pub name: String,
    /// Its element type.
    pub dtype: Dtype,
    /// Its extents.
    pub shape: Vec<u64>,
    /// Its content, little-endian.
    pub bytes: Bytes,
}
