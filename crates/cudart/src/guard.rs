//! What surrounds every call: one thread at a time, no panic across the border, errors kept and told.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::error::CudaError;
use crate::failure::Failure;
use crate::runtime::Runtime;

/// The runtime of this process: a C interface has no place for it but a global.
static RUNTIME: LazyLock<Mutex<Runtime>> = LazyLock::new(|| Mutex::new(Runtime::default()));

/// Missing functions that were called.
static CALLED_MISSING: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

thread_local! {
    /// What `cudaGetLastError` tells this thread.
    static LAST_ERROR: Cell<CudaError> = const { Cell::new(CudaError::Success) };
}

/// The runtime; a call that panicked leaves it usable.
pub fn runtime() -> MutexGuard<'static, Runtime> {
    RUNTIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the work of the function `name` and gives the code its caller sees.
pub fn call(name: &str, work: impl FnOnce(&mut Runtime) -> Result<(), Failure>) -> i32 {
    let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut runtime())));
    let failure = match outcome {
        Ok(Ok(())) => return CudaError::Success as i32,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(CudaError::Unknown, "a defect of this library; please report the lines above"),
    };
    if let Some(message) = &failure.message {
        tell(&format!("{name}: {message}"));
    }
    // An event that is not ready yet is an answer, not an error.
    if failure.code != CudaError::NotReady {
        LAST_ERROR.set(failure.code);
    }
    failure.code as i32
}

/// What a function that is not there answers, and says the first time.
pub fn missing(name: &'static str) -> i32 {
    let is_first = CALLED_MISSING.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
    call(name, |_| {
        if is_first {
            let message = "not supported by shrinkwarp's CUDA runtime (see docs/cudart.md)";
            return Err(Failure::new(CudaError::NotSupported, message));
        }
        Err(CudaError::NotSupported.into())
    })
}

/// The last error of this thread; forgotten when `is_taken`.
pub fn last_error(is_taken: bool) -> CudaError {
    let error = LAST_ERROR.get();
    if is_taken {
        LAST_ERROR.set(CudaError::Success);
    }
    error
}

/// A line for a person.
#[expect(clippy::print_stderr, reason = "the program has no other place for our messages")]
pub fn tell(message: &str) {
    eprintln!("shrinkwarp: {message}");
}
