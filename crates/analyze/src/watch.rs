//! How far an analysis is, and whether it is to end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who looks on, and who may stop the analysis.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Is told of bytes done; [`Plan::work_bytes`](crate::Plan::work_bytes) are all.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Set it to end the analysis with an error of the kind `Interrupted`.
    pub interrupt: Option<&'a AtomicBool>,
}

impl<'a> Watch<'a> {
    /// One that only looks on.
    pub fn new(progress: &'a (dyn Fn(u64) + Sync)) -> Self {
        Self { progress, interrupt: None }
    }

    /// Reports bytes done.
    pub(crate) fn advance(&self, bytes: u64) -> io::Result<()> {
        (self.progress)(bytes);
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}
