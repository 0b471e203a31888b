//! Attributes of kernels, and how many of their thread blocks fit an SM.

use std::ffi::c_int;

use shrinkwarp_sim::{SmSpec, compiled_registers};

use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::Out;
use crate::runtime::{LoadedKernel, Runtime};
use crate::version::RuntimeVersion;

/// `cudaFuncAttributes` of 11.x; later ones are longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FunctionAttributes {
    /// Static shared memory.
    pub shared_bytes: u64,
    /// Constant memory of the kernel's own.
    pub constant_bytes: u64,
    /// Local memory of a thread.
    pub local_bytes: u64,
    /// Most threads of a thread block.
    pub max_threads_per_block: i32,
    /// Registers of a thread.
    pub registers: i32,
    /// PTX architecture, 70 for `compute_70`.
    pub ptx_version: i32,
    /// Machine code architecture.
    pub binary_version: i32,
    /// Whether the L1 caches global memory.
    pub caches_in_l1: i32,
    /// Most dynamic shared memory.
    pub max_dynamic_shared_bytes: i32,
    /// Wish for shared memory, in percent; -1 for none.
    pub shared_carveout: i32,
}

/// Words that 12.x and later have behind the fields of 11.x.
const LATER_WORDS: usize = 23;

api! {
    "The attributes of a kernel: registers, shared and local memory, threads."
    fn [cudaFuncGetAttributes](runtime, attributes: Out<FunctionAttributes>, function: u64) {
        let (found, version) = describe(runtime, function)?;
        attributes.set(found)?;
        if version > RuntimeVersion::V11 {
            let behind = attributes.address() + std::mem::offset_of!(FunctionAttributes, shared_carveout) as u64 + 4;
            crate::foreign::host_bytes_mut(behind, 4 * LATER_WORDS as u64)?.fill(0);
        }
        Ok(())
    }

    "A preference for cache or shared memory, ignored: the GPU's configuration decides."
    fn [cudaFuncSetCacheConfig, cudaFuncSetSharedMemConfig, cudaFuncSetAttribute](runtime, function: u64, _value: c_int) {
        kernel(runtime, function).map(drop)
    }

    "The name of a kernel in PTX."
    fn [cudaFuncGetName](runtime, name: Out<*const i8>, function: u64) {
        let symbol = runtime.registry.kernel(function).ok_or(CudaError::InvalidDeviceFunction)?;
        let text = std::ffi::CString::new(symbol.name.as_str()).map_err(|_| CudaError::Unknown)?;
        // The program may keep it as long as it likes; there are as many as calls with a kernel's name.
        name.set(text.into_raw())
    }

    "Thread blocks of a kernel that an SM holds at once."
    fn [cudaOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags](
        runtime, blocks: Out<c_int>, function: u64, threads: c_int, shared_bytes: usize,
    ) {
        resident(runtime, blocks, function, threads, shared_bytes)
    }

    "Dynamic shared memory per thread block that lets the given number of thread blocks share an SM."
    fn [cudaOccupancyAvailableDynamicSMemPerBlock](
        runtime, bytes: Out<usize>, function: u64, blocks: c_int, _threads: c_int,
    ) {
        let found = kernel(runtime, function)?;
        let sm_bytes = runtime.context()?.settings.gpu.sm.shared_kib * 1024;
        let share = sm_bytes / usize::try_from(blocks).ok().filter(|&blocks| blocks > 0).ok_or(CudaError::InvalidValue)?;
        bytes.set(share.saturating_sub(found.kernel.static_shared_bytes as usize))
    }
}

pub(super) fn resident(
    runtime: &mut Runtime,
    blocks: Out<c_int>,
    function: u64,
    threads: c_int,
    shared_bytes: usize,
) -> Result<(), Failure> {
    let threads =
        u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(CudaError::InvalidValue)?;
    let found = kernel(runtime, function)?;
    let context = runtime.context()?;
    blocks.set(context.blocks_per_sm(&found.kernel, threads, shared_bytes as u64).unwrap_or(0) as c_int)
}

fn kernel(runtime: &mut Runtime, function: u64) -> Result<LoadedKernel, Failure> {
    let (context, registry) = runtime.with_registry()?;
    let symbol = registry.kernel(function).ok_or(CudaError::InvalidDeviceFunction)?;
    Ok(LoadedKernel { kernel: context.modules.kernel(symbol)?, architecture: registry.architecture(symbol) })
}

pub(super) fn describe(
    runtime: &mut Runtime,
    function: u64,
) -> Result<(FunctionAttributes, RuntimeVersion), Failure> {
    let LoadedKernel { kernel, architecture } = kernel(runtime, function)?;
    let context = runtime.context()?;
    let sm_bytes = context.settings.gpu.sm.shared_kib as i32 * 1024;
    let attributes = FunctionAttributes {
        shared_bytes: u64::from(kernel.static_shared_bytes),
        constant_bytes: 0,
        local_bytes: u64::from(kernel.local_bytes_per_thread),
        max_threads_per_block: kernel.max_threads.map_or(1024, |threads| threads.min(1024) as i32),
        registers: compiled_registers(&kernel, &SmSpec::from(&context.settings.gpu).resources) as i32,
        ptx_version: architecture as i32,
        binary_version: architecture as i32,
        caches_in_l1: 0,
        max_dynamic_shared_bytes: sm_bytes - kernel.static_shared_bytes as i32,
        shared_carveout: -1,
    };
    Ok((attributes, context.version))
}
