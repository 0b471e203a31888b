//! What host code sees of a GPU: allocate, copy, load, launch, count.
//!
//! `Functional` implements it without time; a timing model implements it with.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::fault::Fault;
use crate::kernel::{Kernel, Module};
use crate::launch::Launch;
use crate::load::load;
use crate::memory::{Allocation, FloatFormat, Memory, MemoryError, Texture};

/// A GPU, as host code uses it. A device says where its memory is and how it launches; if it has to know what the host does to
/// memory, it is told.
pub trait Device {
    /// Its memory.
    fn device_memory(&mut self) -> &mut Memory;

    /// Runs one launch to its end.
    fn launch(&mut self, kernel: &Arc<Kernel>, launch: &Launch) -> Result<LaunchReport, DeviceError>;

    /// How many SMs it has. One that runs thread blocks one after the other counts as one SM.
    fn sm_count(&self) -> u32 {
        1
    }

    /// How many thread blocks of `threads` threads of a kernel without dynamic shared memory an SM holds at once.
    fn resident_blocks(&self, _kernel: &Kernel, _threads: u32) -> u32 {
        1
    }

    /// `bytes` at `address` have been allocated, and are zero.
    fn note_allocation(&mut self, _address: u64, _bytes: u64) {}

    /// The host has written `bytes` at `address`.
    fn note_host_write(&mut self, _address: u64, _bytes: u64) {}

    /// Zeroed device memory.
    fn alloc(&mut self, bytes: u64) -> Result<u64, DeviceError> {
        let address = self.device_memory().alloc(bytes)?;
        self.note_allocation(address, bytes);
        Ok(address)
    }

    /// Zeroed device memory for floating-point elements whose `bits` least significant bits kernels load as zero.
    /// Host copies stay exact. The map of such regions has a limited number of entries.
    fn alloc_approximable(
        &mut self,
        bytes: u64,
        element: FloatFormat,
        bits: u32,
    ) -> Result<u64, DeviceError> {
        let address = self.device_memory().alloc_approximable(bytes, element, bits)?;
        self.note_allocation(address, bytes);
        Ok(address)
    }

    /// Sets how many approximable regions there can be at once.
    fn set_region_entries(&mut self, entries: usize) {
        self.device_memory().set_region_entries(entries);
    }

    /// Gives memory back.
    fn free(&mut self, address: u64) -> Result<(), DeviceError> {
        Ok(self.device_memory().free(address)?)
    }

    /// Host to device.
    fn copy_in(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.device_memory().copy_in(address, bytes)?;
        self.note_host_write(address, bytes.len() as u64);
        Ok(())
    }

    /// Device to host.
    fn copy_out(&mut self, address: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        Ok(self.device_memory().copy_out(address, out)?)
    }

    /// Sets bytes.
    fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        self.device_memory().fill(address, value, bytes)?;
        self.note_host_write(address, bytes);
        Ok(())
    }

    /// Parses and loads PTX: its kernels can be launched and its variables have addresses.
    fn load_module(&mut self, source: &str) -> Result<Arc<Module>, DeviceError> {
        let ast = shrinkwarp_ptx::parse(source)
            .map_err(|errors| DeviceError::Parse(errors.iter().map(ToString::to_string).collect()))?;
        let module = place_module(self, |memory| load(&ast, memory))?;
        Ok(Arc::new(module))
    }

    /// Makes a texture object; its handle is a 64-bit kernel argument.
    fn create_texture(&mut self, texture: Texture) -> Result<u64, DeviceError> {
        Ok(self.device_memory().create_texture(texture)?)
    }

    /// Binds the `.texref` variable at `handle` (its address in [`Module::variables`]) to texels in memory.
    fn bind_texture(&mut self, handle: u64, texture: Texture) -> Result<(), DeviceError> {
        Ok(self.device_memory().bind_texture(handle, texture)?)
    }

    /// Writes to the constant bank: `offset` is the address of a `.const` variable in [`Module::variables`].
    fn write_constants(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        if self.device_memory().constants_mut().write(offset, bytes) {
            return Ok(());
        }
        let end = offset + bytes.len() as u64;
        Err(DeviceError::Launch(format!("bytes {offset} to {end} reach beyond the constants of the module")))
    }
}

/// Places a module's variables in memory with `place`, and tells the device of those that are new.
pub fn place_module<D: Device + ?Sized, T>(
    device: &mut D,
    place: impl FnOnce(&mut Memory) -> Result<T, DeviceError>,
) -> Result<T, DeviceError> {
    let memory = device.device_memory();
    let before: BTreeSet<u64> = memory.allocations().iter().map(Allocation::start).collect();
    let placed = place(memory)?;
    let is_new = |variable: &&Allocation| !before.contains(&variable.start());
    let variables = memory.allocations().iter().filter(is_new);
    let variables: Vec<_> = variables.map(|variable| (variable.start(), variable.bytes())).collect();
    for (address, bytes) in variables {
        device.note_host_write(address, bytes);
    }
    Ok(placed)
}

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchReport {
    /// PTX instructions times lanes that executed them.
    pub thread_instructions: u64,
    /// PTX instructions issued by warps.
    pub warp_instructions: u64,
    /// Core cycles; `None` on a device without time.
    pub cycles: Option<u64>,
    /// What device-side `printf` wrote.
    pub output: Vec<u8>,
}

/// Why a request failed.
#[derive(Clone, Debug)]
pub enum DeviceError {
    /// Memory management.
    Memory(MemoryError),
    /// The PTX could not be read; every error found.
    Parse(Vec<String>),
    /// The PTX could be read but holds something that cannot be executed.
    Load(Vec<LoadError>),
    /// The launch does not fit the kernel or the device.
    Launch(String),
    /// The kernel stopped.
    Fault(Box<Fault>),
}

/// Something in a module that cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// Line of the PTX source, from 1.
    pub line: u32,
    /// What and why.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}", self.line, self.message)
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::Memory(error) => error.fmt(f),
            DeviceError::Parse(errors) => f.write_str(&errors.join("\n")),
            DeviceError::Load(errors) => {
                let lines: Vec<_> = errors.iter().map(LoadError::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            DeviceError::Launch(message) => f.write_str(message),
            DeviceError::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for DeviceError {}

impl From<MemoryError> for DeviceError {
    fn from(error: MemoryError) -> Self {
        DeviceError::Memory(error)
    }
}

impl From<Box<Fault>> for DeviceError {
    fn from(fault: Box<Fault>) -> Self {
        DeviceError::Fault(fault)
    }
}
