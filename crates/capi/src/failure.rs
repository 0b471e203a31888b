//! What a function returns, and the text of the last error of a thread.

use std::cell::RefCell;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::memory;

/// How a call ended. All but `SHRINKWARP_STATUS_OK` leave a text for `shrinkwarp_last_error`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShrinkwarpStatus {
    /// All was done.
    Ok = 0,
    /// A pointer is null or a length does not fit the others.
    Argument = 1,
    /// No such codec, parameter or block size.
    Spec = 2,
    /// The tables do not belong to this codec, or are damaged.
    Tables = 3,
    /// The buffer for the result is too small.
    Room = 4,
    /// The encoding is damaged.
    Encoding = 5,
    /// A defect of the library. Whatever the call should have written is unspecified.
    Internal = 6,
}

/// Why a call failed.
pub(crate) struct Failure {
    status: ShrinkwarpStatus,
    text: String,
}

impl Failure {
    pub(crate) fn new(status: ShrinkwarpStatus, text: &dyn ToString) -> Self {
        Self { status, text: text.to_string() }
    }

    pub(crate) fn argument(text: &str) -> Self {
        Self::new(ShrinkwarpStatus::Argument, &text)
    }
}

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the body of a function: no panic leaves it, and its error is kept for this thread.
pub(crate) fn guarded(body: impl FnOnce() -> Result<(), Failure>) -> ShrinkwarpStatus {
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let failure = match outcome {
        Ok(Ok(())) => return ShrinkwarpStatus::Ok,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(ShrinkwarpStatus::Internal, &"the library panicked; please report this"),
    };
    LAST_ERROR.with_borrow_mut(|last| *last = failure.text);
    failure.status
}

/// Copies the text of this thread's last error into `text`, cut to `capacity` bytes with the final NUL, and returns its
/// whole length without the NUL. With a `capacity` of 0 it only returns the length.
///
/// # Safety
/// `text` points to `capacity` bytes that may be written, or is null and `capacity` is 0.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_last_error(text: *mut c_char, capacity: usize) -> usize {
    LAST_ERROR.with_borrow(|last| {
        // SAFETY: the caller's promise is the same.
        if let Ok([target @ .., end]) = unsafe { memory::slice_mut(text.cast::<u8>(), capacity) } {
            let count = last.len().min(target.len());
            target[..count].copy_from_slice(&last.as_bytes()[..count]);
            match target.get_mut(count) {
                Some(after) => *after = 0,
                None => *end = 0,
            }
        }
        last.len()
    })
}
