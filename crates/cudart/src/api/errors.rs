//! The last error of a thread, and what codes mean.

use std::ffi::c_char;

use crate::error;
use crate::guard::last_error;

/// The functions of this family.
pub const NAMES: &[&str] =
    &["cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName"];

/// The last error, once.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> i32 {
    last_error(true) as i32
}

/// The last error, kept.
#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> i32 {
    last_error(false) as i32
}

/// What a code means.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(code: i32) -> *const c_char {
    error::text(code).as_ptr().cast()
}

/// Name of a code.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(code: i32) -> *const c_char {
    error::name(code).as_ptr().cast()
}
