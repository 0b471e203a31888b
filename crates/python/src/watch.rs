//! Long work: done by a thread of its own without the GIL, while the calling thread shows progress and looks for Ctrl-C.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::failure::work;

/// How often the calling thread looks up.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A kernel's call frames are on the stack of the thread that runs it; this is what a main thread has.
const STACK_BYTES: usize = 8 << 20;

/// What the thread that works and the one that waits tell each other.
#[derive(Default)]
pub struct Watch {
    /// Ends the work early.
    pub interrupt: Arc<AtomicBool>,
    done: AtomicU64,
    total: AtomicU64,
    what: Mutex<String>,
    failure: Mutex<Option<PyErr>>,
    is_over: Mutex<bool>,
    over: Condvar,
}

impl Watch {
    /// Adds to what is done.
    pub fn advance(&self, count: u64) {
        self.done.fetch_add(count, Ordering::Relaxed);
    }

    /// Sets what is done, and of how much.
    pub fn set(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Says what is being done.
    pub fn describe(&self, what: &str) {
        what.clone_into(&mut locked(&self.what));
    }

    /// Whether the work is to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Ends the work with an exception; the first one counts.
    pub fn fail(&self, error: PyErr) {
        locked(&self.failure).get_or_insert(error);
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Does `task` without the GIL. `progress` is called with what is done, of how much, and what; an exception that it
    /// or Ctrl-C raises ends the work.
    pub fn supervise<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        task: impl FnOnce() -> T + Send,
    ) -> PyResult<T> {
        let outcome = thread::scope(|scope| {
            let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || {
                let _ends = Ends(self);
                task()
            });
            let worker = worker.map_err(|error| work(format!("no thread can be started: {error}")))?;
            while !py.detach(|| self.wait()) {
                if !self.is_interrupted()
                    && let Err(error) = py.check_signals().and_then(|()| self.show(progress))
                {
                    self.fail(error);
                }
            }
            py.detach(|| worker.join()).map_err(|panic| work(panic_text(&*panic)))
        });
        match locked(&self.failure).take() {
            Some(error) => Err(error),
            None => outcome.and_then(|result| self.show(progress).map(|()| result)),
        }
    }

    fn show(&self, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(progress) = progress else { return Ok(()) };
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let what = locked(&self.what).clone();
        progress.call1((done, total, what)).map(|_| ())
    }

    /// Whether the work is over, after at most a short while.
    fn wait(&self) -> bool {
        let is_over = locked(&self.is_over);
        let waited = self.over.wait_timeout_while(is_over, LOOK_EVERY, |is_over| !*is_over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Says that the work is over, also when it panicked.
struct Ends<'a>(&'a Watch);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        *locked(&self.0.is_over) = true;
        self.0.over.notify_all();
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    format!("internal error: {text}")
}

/// What a thread that panicked left behind is a value all the same.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
