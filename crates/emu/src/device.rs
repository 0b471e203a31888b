//! What host code sees of a GPU: allocate, copy, load, launch, count.
//!
//! `Functional` implements it without time; a timing model implements it with.

use std::fmt;
use std::sync::Arc;

use crate::fault::Fault;
use crate::kernel::{Kernel, Module};
use crate::launch::Launch;
use crate::memory::{FloatFormat, MemoryError, Texture};

/// A GPU, as host code uses it.
pub trait Device {
    /// Zeroed device memory.
    fn alloc(&mut self, bytes: u64) -> Result<u64, DeviceError>;

    /// Zeroed device memory for floating-point elements whose `bits` least significant bits kernels load as zero.
    /// Host copies stay exact. The map of such regions has a limited number of entries.
    fn alloc_approximable(&mut self, bytes: u64, element: FloatFormat, bits: u32)
    -> Result<u64, DeviceError>;

    /// Sets how many approximable regions there can be at once.
    fn set_region_entries(&mut self, entries: usize);

    /// Gives memory back.
    fn free(&mut self, address: u64) -> Result<(), DeviceError>;

    /// Host to device.
    fn copy_in(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Device to host.
    fn copy_out(&mut self, address: u64, out: &mut [u8]) -> Result<(), DeviceError>;

    /// Sets bytes.
    fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<(), DeviceError>;

    /// Parses and loads PTX: its kernels can be launched and its variables have addresses.
    fn load_module(&mut self, source: &str) -> Result<Arc<Module>, DeviceError>;

    /// Makes a texture object; its handle is a 64-bit kernel argument.
    fn create_texture(&mut self, texture: Texture) -> Result<u64, DeviceError> {
        let _ = texture;
        Err(DeviceError::Launch("this device has no textures".into()))
    }

    /// Binds the `.texref` variable at `handle` (its address in [`Module::variables`]) to texels in memory.
    fn bind_texture(&mut self, handle: u64, texture: Texture) -> Result<(), DeviceError> {
        let _ = (handle, texture);
        Err(DeviceError::Launch("this device has no textures".into()))
    }

    /// Writes to the constant bank: `offset` is the address of a `.const` variable in [`Module::variables`].
    fn write_constants(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let _ = (offset, bytes);
        Err(DeviceError::Launch("this device has no constant bank".into()))
    }

    /// Runs one launch to its end.
    fn launch(&mut self, kernel: &Arc<Kernel>, launch: &Launch) -> Result<LaunchReport, DeviceError>;
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
