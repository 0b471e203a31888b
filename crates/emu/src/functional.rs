//! A device without time: runs whole launches, thread block by thread block.

use std::sync::Arc;

use crate::device::{Device, DeviceError, LaunchReport};
use crate::grid::run_grid;
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::memory::Memory;

/// Most threads of a thread block, as every CUDA device has it.
pub const MAX_THREADS_PER_BLOCK: u64 = 1024;
/// Most shared memory of a thread block.
pub const MAX_SHARED_BYTES: u64 = 228 * 1024;

/// A GPU that only computes.
#[derive(Debug, Default)]
pub struct Functional {
    memory: Memory,
    is_sequential: bool,
}

impl Functional {
    /// A device with empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// A device that uses one core only.
    pub fn on_one_core() -> Self {
        Self { is_sequential: true, ..Self::default() }
    }

    /// Its memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Its memory, for hosts that need more than [`Device`] offers.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }
}

impl Device for Functional {
    fn device_memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn launch(&mut self, kernel: &Arc<Kernel>, launch: &Launch) -> Result<LaunchReport, DeviceError> {
        check_launch(kernel, launch)?;
        Ok(run_grid(kernel, launch, &self.memory, !self.is_sequential)?)
    }
}

/// Refuses launches that no device could run.
pub fn check_launch(kernel: &Kernel, launch: &Launch) -> Result<(), DeviceError> {
    let refuse = |message: String| Err(DeviceError::Launch(format!("kernel {}: {message}", kernel.name)));
    let extents = launch.grid.iter().chain(&launch.block);
    if extents.clone().any(|&extent| extent == 0) {
        return refuse(format!(
            "grid {:?} and thread block {:?} must not be empty",
            launch.grid, launch.block
        ));
    }
    let threads = launch.block.iter().map(|&extent| u64::from(extent)).product::<u64>();
    let limit = kernel.max_threads.map_or(MAX_THREADS_PER_BLOCK, u64::from);
    if threads > limit.min(MAX_THREADS_PER_BLOCK) {
        return refuse(format!("{threads} threads per thread block; at most {limit} are allowed"));
    }
    let shared = u64::from(kernel.static_shared_bytes) + u64::from(launch.dynamic_shared_bytes);
    if shared > MAX_SHARED_BYTES {
        return refuse(format!("{shared} bytes of shared memory, at most {MAX_SHARED_BYTES} are allowed"));
    }
    if (launch.parameters.len() as u64) < u64::from(kernel.parameter_bytes) {
        return refuse(format!(
            "{} bytes of arguments, {} are needed for {}",
            launch.parameters.len(),
            kernel.parameter_bytes,
            kernel.signature()
        ));
    }
    Ok(())
}
