//! The bytes of arrays: shared with NumPy, not copied.
//!
//! Python hands over every array as a flat, contiguous array of `uint8`. While the GIL is released another thread of the
//! program may write to it; the package's documentation asks for arrays to be left alone during a call, as NumPy's own does.

use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::failure::usage;

/// The bytes of an array that stays alive as long as this does.
pub struct SharedBytes {
    start: *const u8,
    len: usize,
    /// Keeps the memory where it is.
    _array: Py<PyArray1<u8>>,
}

// SAFETY: the memory belongs to an array that `_array` keeps alive; it is only read, and `Py` may be dropped anywhere.
unsafe impl Send for SharedBytes {}
// SAFETY: as above; reading needs no exclusion.
unsafe impl Sync for SharedBytes {}

impl SharedBytes {
    /// Of a contiguous array.
    pub fn of(array: &Bound<'_, PyArray1<u8>>) -> PyResult<Self> {
        if !array.is_c_contiguous() {
            return Err(usage("the bytes of an array are not contiguous"));
        }
        Ok(Self { start: array.data().cast_const(), len: array.len(), _array: array.clone().unbind() })
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the array has `len` contiguous bytes from `start`, and it is alive.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}
