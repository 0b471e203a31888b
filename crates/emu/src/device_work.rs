//! Work that kernels ask for: launches, copies and fills of CUDA's device runtime (dynamic parallelism).
//!
//! A kernel only queues it, in the order in which its threads execute the calls. The host runs the queue when the grid has
//! ended: a grid may begin its children at any time before it counts as complete, so that this is one of the orders that CUDA
//! allows, and it orders all streams and events of the device.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::launch::Dim3;

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceWork {
    /// What to do.
    pub kind: DeviceWorkKind,
    /// Whether it waits for the grid that asked and for everything else that the grid asked for
    /// (`cudaStreamTailLaunch`).
    pub is_tail: bool,
}

/// What a kernel asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceWorkKind {
    /// A grid.
    Launch(ChildLaunch),
    /// Rows of bytes from one place to another.
    Copy {
        /// First byte of the destination.
        to: u64,
        /// First byte of the source.
        from: u64,
        /// Bytes between two rows of the destination.
        to_pitch: u64,
        /// Bytes between two rows of the source.
        from_pitch: u64,
        /// Bytes of a row.
        row_bytes: u64,
        /// Rows.
        rows: u64,
    },
    /// Rows of equal bytes.
    Fill {
        /// First byte.
        at: u64,
        /// Bytes between two rows.
        pitch: u64,
        /// The value.
        value: u8,
        /// Bytes of a row.
        row_bytes: u64,
        /// Rows.
        rows: u64,
    },
}

/// A grid that a kernel launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildLaunch {
    /// The kernel's address in its module: a key of [`crate::kernel::Module::kernel_addresses`].
    pub kernel: u64,
    /// Thread blocks.
    pub grid: Dim3,
    /// Threads.
    pub block: Dim3,
    /// Dynamic shared memory.
    pub shared_bytes: u32,
    /// The parameter space, as the parent filled it.
    pub parameters: Vec<u8>,
}

/// What kernels have asked for and the host has not run yet.
#[derive(Debug, Default)]
pub(crate) struct DeviceQueue {
    /// Whether the host runs it.
    is_served: bool,
    work: Mutex<Vec<DeviceWork>>,
    /// Addresses of the texts that kernels were given, by their content.
    texts: Mutex<BTreeMap<&'static str, u64>>,
}

impl DeviceQueue {
    pub(crate) fn serve(&mut self) {
        self.is_served = true;
    }

    pub(crate) fn is_served(&self) -> bool {
        self.is_served
    }

    pub(crate) fn push(&self, work: DeviceWork) {
        self.work.lock().unwrap_or_else(PoisonError::into_inner).push(work);
    }

    pub(crate) fn take(&self) -> Vec<DeviceWork> {
        std::mem::take(&mut *self.work.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The address of a text; `place` gives it one the first time.
    pub(crate) fn text(&self, text: &'static str, place: impl FnOnce() -> u64) -> u64 {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        *texts.entry(text).or_insert_with(place)
    }
}
