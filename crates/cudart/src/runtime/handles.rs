//! Streams and events. A stream is always empty, since work is done at the call; an event is a moment of
//! simulated time.

use std::collections::BTreeMap;

use crate::error::CudaError;
use crate::failure::Failure;

/// Handles are multiples of this from here, so that no small number is one by accident.
const FIRST_HANDLE: u64 = 0x5000_0000;
const HANDLE_STEP: u64 = 16;

/// Named things of one sort.
#[derive(Debug)]
pub struct Handles<T> {
    live: BTreeMap<u64, T>,
    made: u64,
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Self { live: BTreeMap::new(), made: 0 }
    }
}

impl<T> Handles<T> {
    /// A new handle.
    pub fn add(&mut self, value: T) -> u64 {
        let handle = FIRST_HANDLE + HANDLE_STEP * self.made;
        self.made += 1;
        self.live.insert(handle, value);
        handle
    }

    /// What a handle names.
    pub fn get(&self, handle: u64) -> Result<&T, Failure> {
        self.live.get(&handle).ok_or_else(|| CudaError::InvalidResourceHandle.into())
    }

    /// What a handle names, to change.
    pub fn get_mut(&mut self, handle: u64) -> Result<&mut T, Failure> {
        self.live.get_mut(&handle).ok_or_else(|| CudaError::InvalidResourceHandle.into())
    }

    /// Everything named.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.live.values_mut()
    }

    /// Forgets a handle.
    pub fn remove(&mut self, handle: u64) -> Result<T, Failure> {
        self.live.remove(&handle).ok_or_else(|| CudaError::InvalidResourceHandle.into())
    }
}
