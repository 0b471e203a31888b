//! A device without time: runs whole launches, block by block.

use std::sync::Arc;

use crate::device::{Device, DeviceError, LaunchReport};
use crate::grid::run_grid;
use crate::kernel::{Kernel, Module};
use crate::launch::Launch;
use crate::load::load;
use crate::memory::{FloatFormat, Memory, Texture};

/// Most threads of a block, as every CUDA device has it.
pub const MAX_THREADS_PER_BLOCK: u64 = 1024;
/// Most shared memory of a block.
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
    fn alloc(&mut self, bytes: u64) -> Result<u64, DeviceError> {
        Ok(self.memory.alloc(bytes)?)
    }

    fn alloc_approximable(
        &mut self,
        bytes: u64,
        element: FloatFormat,
        bits: u32,
    ) -> Result<u64, DeviceError> {
        Ok(self.memory.alloc_approximable(bytes, element, bits)?)
    }

    fn set_region_entries(&mut self, entries: usize) {
        self.memory.set_region_entries(entries);
    }

    fn free(&mut self, address: u64) -> Result<(), DeviceError> {
        Ok(self.memory.free(address)?)
    }

    fn copy_in(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        Ok(self.memory.copy_in(address, bytes)?)
    }

    fn copy_out(&mut self, address: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        Ok(self.memory.copy_out(address, out)?)
    }

    fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        Ok(self.memory.fill(address, value, bytes)?)
    }

    fn load_module(&mut self, source: &str) -> Result<Arc<Module>, DeviceError> {
        let ast = shrinkwarp_ptx::parse(source)
            .map_err(|errors| DeviceError::Parse(errors.iter().map(ToString::to_string).collect()))?;
        Ok(Arc::new(load(&ast, &mut self.memory)?))
    }

    fn create_texture(&mut self, texture: Texture) -> Result<u64, DeviceError> {
        Ok(self.memory.create_texture(texture)?)
    }

    fn write_constants(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        if self.memory.constants_mut().write(offset, bytes) {
            return Ok(());
        }
        let end = offset + bytes.len() as u64;
        Err(DeviceError::Launch(format!("bytes {offset} to {end} reach beyond the constants of the module")))
    }

    fn bind_texture(&mut self, handle: u64, texture: Texture) -> Result<(), DeviceError> {
        Ok(self.memory.bind_texture(handle, texture)?)
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
        return refuse(format!("grid {:?} and block {:?} must not be empty", launch.grid, launch.block));
    }
    let threads = launch.block.iter().map(|&extent| u64::from(extent)).product::<u64>();
    let limit = kernel.max_threads.map_or(MAX_THREADS_PER_BLOCK, u64::from);
    if threads > limit.min(MAX_THREADS_PER_BLOCK) {
        return refuse(format!("{threads} threads per block, at most {limit} are allowed"));
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
