//! Device memory.

use std::ffi::{c_int, c_void};

use shrinkwarp_emu::memory::DEVICE_BYTES;

use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::Out;
use crate::runtime::{HostKind, Runtime, Work};

/// Rows of pitched memory begin at multiples of this.
pub const PITCH_ALIGN_BYTES: usize = 256;

/// `cudaPitchedPtr`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PitchedPointer {
    /// First byte.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch_bytes: usize,
    /// Bytes of a row.
    pub width_bytes: usize,
    /// Rows.
    pub height: usize,
}

/// `cudaExtent`; the width counts bytes, or elements where an array takes part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Extent {
    /// Bytes or elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

/// `cudaPointerAttributes`; that of 13.x has 64 reserved bytes behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PointerAttributes {
    /// 0 unregistered, 1 host, 2 device, 3 managed.
    pub kind: c_int,
    /// Device.
    pub device: c_int,
    /// Address for kernels.
    pub device_pointer: u64,
    /// Address for the host.
    pub host_pointer: u64,
}

api! {
    "Zeroed device memory."
    fn [cudaMalloc, cudaMallocAsync, cudaMallocAsync_ptsz](runtime, address: Out<u64>, bytes: usize) {
        address.set(runtime.context()?.alloc(bytes as u64)?)
    }

    "Frees device memory; a null pointer is ignored."
    fn [cudaFree](runtime, address: u64) {
        free(runtime, address)
    }

    "Frees device memory in a stream. One that records keeps it: each launch of the graph uses it again."
    fn [cudaFreeAsync, cudaFreeAsync_ptsz](runtime, address: u64, stream: u64) {
        if runtime.context()?.record(stream, || Work::Nothing) {
            return Ok(());
        }
        free(runtime, address)
    }

    "Device memory for rows, each at an aligned pitch."
    fn [cudaMallocPitch](runtime, address: Out<u64>, pitch_bytes: Out<usize>, width_bytes: usize, height: usize) {
        let pitch = width_bytes.checked_next_multiple_of(PITCH_ALIGN_BYTES).ok_or(CudaError::InvalidValue)?;
        let bytes = pitch.checked_mul(height).ok_or(CudaError::MemoryAllocation)?;
        address.set(runtime.context()?.alloc(bytes as u64)?)?;
        pitch_bytes.set(pitch)
    }

    "Device memory for slices of rows, each at an aligned pitch."
    fn [cudaMalloc3D](runtime, pointer: Out<PitchedPointer>, extent: Extent) {
        let pitch_bytes = extent.width.checked_next_multiple_of(PITCH_ALIGN_BYTES).ok_or(CudaError::InvalidValue)?;
        let rows = extent.height.checked_mul(extent.depth).ok_or(CudaError::MemoryAllocation)?;
        let bytes = pitch_bytes.checked_mul(rows).ok_or(CudaError::MemoryAllocation)?;
        let address = runtime.context()?.alloc(bytes as u64)?;
        pointer.set(PitchedPointer { address, pitch_bytes, width_bytes: extent.width, height: extent.height })
    }

    "Free and total device memory; unused device memory takes no host memory."
    fn [cudaMemGetInfo](runtime, free: Out<usize>, total: Out<usize>) {
        free.set(runtime.context()?.machine.memory().free_bytes() as usize)?;
        total.set(DEVICE_BYTES as usize)
    }

    "Whether an address is device, pinned, managed or unregistered memory."
    fn [cudaPointerGetAttributes](runtime, attributes: Out<PointerAttributes>, pointer: *const c_void) {
        let context = runtime.context()?;
        let address = pointer as u64;
        let (kind, device_pointer, host_pointer) = match context.host_memory.kind_of(address) {
            Some(HostKind::Pinned | HostKind::Registered) => (1, address, address),
            Some(HostKind::Managed) => (3, address, address),
            None if context.is_device(address) => (2, address, 0),
            None => (0, 0, address),
        };
        let device = if kind == 0 { -2 } else { 0 };
        attributes.set(PointerAttributes { kind, device, device_pointer, host_pointer })
    }
}

fn free(runtime: &mut Runtime, address: u64) -> Result<(), Failure> {
    let context = runtime.context()?;
    context.flush_printed();
    if address == 0 {
        return Ok(());
    }
    let memory = context.machine.memory_mut();
    match context.host_memory.kind_of(address) {
        Some(HostKind::Registered) => Err(CudaError::InvalidValue.into()),
        Some(kind) => context.host_memory.free(memory, address, kind),
        None => Ok(memory.free(address)?),
    }
}
