//! What `analyze` reads: files of tensors, opened without loading them.
//!
//! Every input becomes ranges of an open file. What is compressed (`.gz`, `.zst`, deflated members of `.npz`), big
//! endian, or no file at all (standard input) is first written to an unnamed temporary file, so that one code path
//! serves all and memory stays bounded; `--expand-limit-gib` bounds the disk.

mod bytes;
mod dtype;
mod expand;
mod format;
pub mod npy;
pub mod npz;
pub mod safetensors;
mod walk;

pub use bytes::{Bytes, Spool, WINDOW_BYTES};
pub use dtype::Dtype;
pub use expand::{expanded, gzip_reader, zstd_reader};
pub use format::{Format, open};
pub use walk::files_of;

use std::fmt;

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

/// A named array of numbers, still on disk.
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

/// Why an input cannot be read: where and what.
#[derive(Debug)]
pub struct InputError(pub String);

impl InputError {
    /// An error at a place in a file.
    pub fn at(at_byte: u64, what: impl fmt::Display) -> Self {
        Self(format!("byte {at_byte}: {what}"))
    }

    /// The same error inside a member of an archive.
    #[must_use]
    pub fn inside(self, member: &str) -> Self {
        Self(format!("member {member}: {self}"))
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InputError {}

impl From<std::io::Error> for InputError {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// The bytes that a shape needs, if that is a number at all.
pub(crate) fn shape_bytes(shape: &[u64], element_bytes: u64) -> Option<u64> {
    shape.iter().try_fold(element_bytes, |product, &extent| product.checked_mul(extent))
}
