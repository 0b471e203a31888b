//! The driver API (`libcuda.so.1`), as far as programs and launchers of compiled kernels use it. There is one device, one
//! context for everybody, and the streams, events and memory are those of the runtime API; error codes are the same.

use std::ffi::{c_char, c_int, c_uint, c_void};

use shrinkwarp_emu::memory::DEVICE_BYTES;

use super::callbacks::{HostFunction, StreamCallback};
use super::copies::ready;
use super::streams::known;
use crate::error::{self, CudaError};
use crate::failure::Failure;
use crate::fat_binary::{self, HEADER_BYTES, Ptx};
use crate::foreign::{In, Out, host_bytes, host_bytes_mut, text};
use crate::guard::call;
use crate::runtime::{Arguments, CopyKind, LaunchRequest, Runtime, Span, Symbol, Work};
use crate::version::RuntimeVersion;

/// The handle of the only context.
const CONTEXT: u64 = 0x5e00_0000;
/// Kernels are numbered from here.
const FIRST_FUNCTION: u64 = 0x5d00_0000;
const FUNCTION_STEP: u64 = 16;

/// `CUlaunchConfig`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DriverLaunch {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    stream: u64,
    attributes: u64,
    attribute_count: c_uint,
}

/// Dynamic shared memory of a thread block of a given number of threads, as the program tells it.
pub type SharedBytesOf = extern "C" fn(threads: c_int) -> usize;

/// One side of a `CUDA_MEMCPY2D`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlaneSide {
    x_bytes: usize,
    y: usize,
    /// 1 host, 2 device, 3 array, 4 as the address says.
    kind: c_int,
    host: u64,
    device: u64,
    array: u64,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlaneCopy {
    from: PlaneSide,
    to: PlaneSide,
    width_bytes: usize,
    height: usize,
}

impl PlaneSide {
    fn span(&self, runtime: &mut Runtime) -> Result<Span, Failure> {
        const HOST: c_int = 1;
        const ARRAY: c_int = 3;
        if self.kind == ARRAY {
            return Ok(super::arrays::find(runtime, self.array)?.span(self.x_bytes as u64, self.y as u64, 0));
        }
        let start = if self.kind == HOST { self.host } else { self.device };
        Ok(Span::plane(start + (self.y * self.pitch + self.x_bytes) as u64, self.pitch as u64))
    }
}

impl PlaneCopy {
    fn work(&self, runtime: &mut Runtime) -> Result<Work, Failure> {
        Ok(Work::Copy {
            to: self.to.span(runtime)?,
            from: self.from.span(runtime)?,
            extents: [self.width_bytes as u64, self.height as u64, 1],
            kind: CopyKind::Default,
        })
    }
}

/// Functions that have no runtime behind them.
pub const OTHER_NAMES: &[&str] = &["cuGetErrorString", "cuGetErrorName"];

api! {
    "Initialises the driver: there is nothing to do."
    fn [cuInit](_runtime, _flags: c_uint) {
        Ok(())
    }

    "The version of the driver."
    fn [cuDriverGetVersion](_runtime, version: Out<c_int>) {
        version.set(RuntimeVersion::of_process().number())
    }

    "How many devices there are: one."
    fn [cuDeviceGetCount](_runtime, count: Out<c_int>) {
        count.set(1)
    }

    "A device by its number."
    fn [cuDeviceGet](_runtime, device: Out<c_int>, number: c_int) {
        if number == 0 { device.set(0) } else { Err(CudaError::InvalidDevice.into()) }
    }

    "The name of the device."
    fn [cuDeviceGetName](runtime, name: u64, bytes: c_int, _device: c_int) {
        let gpu = format!("Shrinkwarp {}", runtime.context_after_fault()?.settings.gpu.name);
        let room = usize::try_from(bytes).map_err(|_| CudaError::InvalidValue)?;
        let target = host_bytes_mut(name, room as u64)?;
        target.fill(0);
        let kept = gpu.len().min(room.saturating_sub(1));
        target[..kept].copy_from_slice(&gpu.as_bytes()[..kept]);
        Ok(())
    }

    "Bytes of device memory."
    fn [cuDeviceTotalMem, cuDeviceTotalMem_v2](_runtime, bytes: Out<usize>, _device: c_int) {
        bytes.set(DEVICE_BYTES as usize)
    }

    "One property of the device."
    fn [cuDeviceGetAttribute](runtime, value: Out<c_int>, attribute: c_int, _device: c_int) {
        value.set(super::devices::properties(runtime)?.attribute(attribute).ok_or(CudaError::InvalidValue)?)
    }

    "The compute capability of the device."
    fn [cuDeviceComputeCapability](runtime, major: Out<c_int>, minor: Out<c_int>, _device: c_int) {
        const MAJOR: i32 = 75;
        let properties = super::devices::properties(runtime)?;
        major.set(properties.attribute(MAJOR).unwrap_or(0))?;
        minor.set(properties.attribute(MAJOR + 1).unwrap_or(0))
    }

    "The UUID of the device."
    fn [cuDeviceGetUuid, cuDeviceGetUuid_v2](_runtime, uuid: u64, _device: c_int) {
        host_bytes_mut(uuid, 16).map(|bytes| bytes.fill(0x5a))
    }

    "Whether another device can be accessed: there is none."
    fn [cuDeviceCanAccessPeer](_runtime, can_access: Out<c_int>, _device: c_int, _peer: c_int) {
        can_access.set(0)
    }

    "The context: there is always one."
    fn [cuDevicePrimaryCtxRetain](runtime, context: Out<u64>, _device: c_int) {
        runtime.context_after_fault()?;
        context.set(CONTEXT)
    }

    "The state of the context: in use."
    fn [cuDevicePrimaryCtxGetState](_runtime, _device: c_int, flags: Out<c_uint>, is_active: Out<c_int>) {
        flags.set(0)?;
        is_active.set(1)
    }

    "Settings and destruction of the context, ignored: it stays as it is."
    fn [cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, cuCtxDestroy, cuCtxDestroy_v2, cuCtxSetCurrent, cuCtxPushCurrent, cuCtxPushCurrent_v2, cuCtxSetCacheConfig, cuCtxSetSharedMemConfig, cuCtxSetLimit, cuProfilerStart, cuProfilerStop, cuProfilerInitialize, cuCtxDetach](
        runtime,
    ) {
        runtime.context_after_fault().map(drop)
    }

    "A context: the one that there is."
    fn [cuCtxCreate, cuCtxCreate_v2, cuCtxCreate_v3, cuCtxCreate_v4, cuCtxGetCurrent, cuCtxPopCurrent, cuCtxPopCurrent_v2](
        runtime, context: Out<u64>,
    ) {
        runtime.context_after_fault()?;
        context.set_if_wanted(CONTEXT);
        Ok(())
    }

    "The device of the context."
    fn [cuCtxGetDevice](_runtime, device: Out<c_int>) {
        device.set(0)
    }

    "The flags of the context: none."
    fn [cuCtxGetFlags](_runtime, flags: Out<c_uint>) {
        flags.set(0)
    }

    "The version of the context's interface."
    fn [cuCtxGetApiVersion](_runtime, _context: u64, version: Out<c_uint>) {
        version.set(3020)
    }

    "Lowest and highest priority."
    fn [cuCtxGetStreamPriorityRange](_runtime, least: Out<c_int>, greatest: Out<c_int>) {
        least.set_if_wanted(0);
        greatest.set_if_wanted(0);
        Ok(())
    }

    "Waits for the device."
    fn [cuCtxSynchronize](runtime) {
        ready(runtime).map(drop)
    }

    "Loads PTX or a fat binary."
    fn [cuModuleLoadData, cuModuleLoadDataEx, cuModuleLoadFatBinary, cuLibraryLoadData, cudaLibraryLoadData](runtime, module: Out<u64>, image: u64) {
        let ptx = read_image(image)?;
        load(runtime, module, ptx)
    }

    "Loads a file of PTX or a fat binary."
    fn [cuModuleLoad, cuLibraryLoadFromFile, cudaLibraryLoadFromFile](runtime, module: Out<u64>, path: In<c_char>) {
        let path = text(path)?;
        let mut bytes = std::fs::read(&path)
            .map_err(|error| Failure::new(CudaError::FileNotFound, format!("{path}: {error}")))?;
        bytes.push(0);
        let ptx = read_image(bytes.as_ptr() as u64)?;
        load(runtime, module, ptx)
    }

    "Unloads a module."
    fn [cuModuleUnload, cuLibraryUnload, cudaLibraryUnload](runtime, module: u64) {
        runtime.registry.remove_symbols(number_of(module)?);
        Ok(())
    }

    "A kernel of a module."
    fn [cuModuleGetFunction, cuLibraryGetKernel, cudaLibraryGetKernel](runtime, function: Out<u64>, module: u64, name: In<c_char>) {
        let symbol = Symbol { module: number_of(module)?, name: text(name)? };
        let (context, _) = runtime.with_registry()?;
        context.modules.kernel(&symbol).map_err(|failure| match failure.code {
            CudaError::InvalidDeviceFunction => Failure { code: CudaError::SymbolNotFound, ..failure },
            _ => failure,
        })?;
        context.driver_functions += 1;
        let handle = FIRST_FUNCTION + FUNCTION_STEP * context.driver_functions;
        runtime.registry.add_kernel(handle, symbol);
        function.set(handle)
    }

    "The function of a kernel: itself."
    fn [cuKernelGetFunction](_runtime, function: Out<u64>, kernel: u64) {
        function.set(kernel)
    }

    "A variable of a module."
    fn [cuModuleGetGlobal, cuModuleGetGlobal_v2, cuLibraryGetGlobal, cudaLibraryGetGlobal](
        runtime, address: Out<u64>, bytes: Out<usize>, module: u64, name: In<c_char>,
    ) {
        let symbol = Symbol { module: number_of(module)?, name: text(name)? };
        let (place, size) = super::symbols::place_of(runtime, &symbol)
            .map_err(|failure| Failure { code: CudaError::SymbolNotFound, ..failure })?;
        address.set_if_wanted(place);
        bytes.set_if_wanted(size as usize);
        Ok(())
    }

    "The attributes of a kernel: registers, shared and local memory, threads."
    fn [cuFuncGetAttribute](runtime, value: Out<c_int>, attribute: c_int, function: u64) {
        let (found, _) = super::functions::describe(runtime, function)?;
        value.set(match attribute {
            0 => found.max_threads_per_block,
            1 => found.shared_bytes as c_int,
            2 => found.constant_bytes as c_int,
            3 => found.local_bytes as c_int,
            4 => found.registers,
            5 => found.ptx_version,
            6 => found.binary_version,
            7 => found.caches_in_l1,
            8 => found.max_dynamic_shared_bytes,
            9 => found.shared_carveout,
            _ => return Err(CudaError::InvalidValue.into()),
        })
    }

    "A preference for cache or shared memory, ignored: the GPU's configuration decides."
    fn [cuFuncSetAttribute, cuFuncSetCacheConfig, cuFuncSetSharedMemConfig](runtime, function: u64) {
        super::functions::describe(runtime, function).map(drop)
    }

    "Thread blocks of a kernel that an SM holds at once."
    fn [cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags](
        runtime, blocks: Out<c_int>, function: u64, threads: c_int, shared_bytes: usize,
    ) {
        super::functions::resident(runtime, blocks, function, threads, shared_bytes)
    }

    "A thread block that fills an SM with as few thread blocks as fit, and the thread blocks that fill the device."
    fn [cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSizeWithFlags](
        runtime, grid: Out<c_int>, block: Out<c_int>, function: u64, shared_bytes_of: Option<SharedBytesOf>,
        shared_bytes: usize, limit: c_int,
    ) {
        let (found, _) = super::functions::describe(runtime, function)?;
        let most = if limit > 0 { limit.min(found.max_threads_per_block) } else { found.max_threads_per_block };
        let mut best = (0, 0, 0);
        for threads in (1..=most).rev().filter(|&threads| threads == most || threads % 32 == 0) {
            let shared_bytes = shared_bytes_of.map_or(shared_bytes, |bytes| bytes(threads));
            let mut resident = 0;
            super::functions::resident(runtime, Out::from(&mut resident), function, threads, shared_bytes)?;
            if resident * threads > best.0 {
                best = (resident * threads, resident, threads);
            }
        }
        let sms = runtime.context()?.settings.gpu.sm.count as c_int;
        grid.set(best.1 * sms)?;
        block.set(best.2)
    }

    "The allocation that an address lies in."
    fn [cuMemGetAddressRange, cuMemGetAddressRange_v2](runtime, start: Out<u64>, bytes: Out<usize>, address: u64) {
        let memory = runtime.context()?.machine.memory();
        let (allocation, _) = memory.find(address, 1).ok_or(CudaError::InvalidValue)?;
        start.set_if_wanted(allocation.start());
        bytes.set_if_wanted(allocation.bytes() as usize);
        Ok(())
    }

    "Copies a plane."
    fn [cuMemcpy2D, cuMemcpy2D_v2, cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2](runtime, copy: In<PlaneCopy>) {
        let work = copy.get()?.work(runtime)?;
        ready(runtime)?.perform(&work)
    }

    "Copies a plane in a stream."
    fn [cuMemcpy2DAsync, cuMemcpy2DAsync_v2](runtime, copy: In<PlaneCopy>, stream: u64) {
        let work = copy.get()?.work(runtime)?;
        super::copies::put(runtime, stream, || work)
    }

    "Sets the bytes of rows."
    fn [cuMemsetD2D8, cuMemsetD2D8_v2](runtime, to: u64, pitch: usize, value: u8, width: usize, height: usize) {
        ready(runtime)?.fill_elements(Span::plane(to, pitch as u64), &[value], [width as u64, height as u64, 1])
    }

    "Sets the 32-bit words of rows."
    fn [cuMemsetD2D32, cuMemsetD2D32_v2](runtime, to: u64, pitch: usize, value: u32, width: usize, height: usize) {
        let extents = [4 * width as u64, height as u64, 1];
        ready(runtime)?.fill_elements(Span::plane(to, pitch as u64), &value.to_le_bytes(), extents)
    }

    "Launches a kernel."
    fn [cuLaunchKernel, cuLaunchKernel_ptsz](
        runtime, function: u64, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: u64, arguments: In<*const c_void>, extra: u64,
    ) {
        let request = LaunchRequest {
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            shared_bytes: u64::from(shared_bytes),
            arguments: Arguments::of(arguments, extra)?,
            is_cooperative: false,
        };
        super::launch::launch(runtime, function, &request, stream)
    }

    "Launches a kernel whose thread blocks are all resident."
    fn [cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz](
        runtime, function: u64, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: u64, arguments: In<*const c_void>,
    ) {
        let request = LaunchRequest {
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            shared_bytes: u64::from(shared_bytes),
            arguments: Arguments::of(arguments, 0)?,
            is_cooperative: true,
        };
        super::launch::launch(runtime, function, &request, stream)
    }

    "Launches a kernel with attributes, which are ignored."
    fn [cuLaunchKernelEx, cuLaunchKernelEx_ptsz](
        runtime, config: In<DriverLaunch>, function: u64, arguments: In<*const c_void>, extra: u64,
    ) {
        let config = config.get()?;
        let request = LaunchRequest {
            grid: config.grid,
            block: config.block,
            shared_bytes: u64::from(config.shared_bytes),
            arguments: Arguments::of(arguments, extra)?,
            is_cooperative: false,
        };
        super::launch::launch(runtime, function, &request, config.stream)
    }

    "Copies bytes; the addresses give the direction."
    fn [cuMemcpy, cuMemcpyHtoD, cuMemcpyHtoD_v2, cuMemcpyDtoH, cuMemcpyDtoH_v2, cuMemcpyDtoD, cuMemcpyDtoD_v2](
        runtime, to: u64, from: u64, bytes: usize,
    ) {
        ready(runtime)?.copy(to, from, bytes as u64, CopyKind::Default)
    }

    "Copies bytes in a stream."
    fn [cuMemcpyAsync, cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2](
        runtime, to: u64, from: u64, bytes: usize, stream: u64,
    ) {
        const DEFAULT: c_int = 4;
        super::copies::put_bytes(runtime, stream, to, from, bytes, DEFAULT)
    }

    "Sets bytes."
    fn [cuMemsetD8, cuMemsetD8_v2, cuMemsetD8Async](runtime, to: u64, value: u8, count: usize) {
        ready(runtime)?.fill_elements(Span::plane(to, 0), &[value], [count as u64, 1, 1])
    }

    "Sets 16-bit words."
    fn [cuMemsetD16, cuMemsetD16_v2, cuMemsetD16Async](runtime, to: u64, value: u16, count: usize) {
        ready(runtime)?.fill_elements(Span::plane(to, 0), &value.to_le_bytes(), [2 * count as u64, 1, 1])
    }

    "Sets 32-bit words."
    fn [cuMemsetD32, cuMemsetD32_v2, cuMemsetD32Async](runtime, to: u64, value: u32, count: usize) {
        ready(runtime)?.fill_elements(Span::plane(to, 0), &value.to_le_bytes(), [4 * count as u64, 1, 1])
    }

    "One property of an address: its kind, its device, or itself."
    fn [cuPointerGetAttribute](runtime, value: u64, attribute: c_int, address: u64) {
        let context = runtime.context()?;
        let is_shared = context.host_memory.kind_of(address).is_some();
        if !is_shared && !context.is_device(address) {
            return Err(CudaError::InvalidValue.into());
        }
        let (number, bytes) = match attribute {
            1 => (CONTEXT, 8),
            // 1 is the host's memory, 2 the device's.
            2 => (if is_shared { 1 } else { 2 }, 4),
            3 | 4 => (address, 8),
            9 => (0, 4),
            _ => return Err(CudaError::NotSupported.into()),
        };
        host_bytes_mut(value, bytes)?.copy_from_slice(&u64::to_le_bytes(number)[..bytes as usize]);
        Ok(())
    }

    "Makes a stream wait for an event: all work before it is already done."
    fn [cuStreamWaitEvent, cuStreamWaitEvent_ptsz](runtime, stream: u64, event: u64, _flags: c_uint) {
        known(runtime, stream)?.events.get(event).map(drop)
    }

    "The address of a function of this library."
    fn [cuGetProcAddress, cuGetProcAddress_v2](
        _runtime, name: In<c_char>, function: Out<u64>, _version: c_int, _flags: u64, status: Out<c_int>,
    ) {
        find_function(name, function, status)
    }

    "The address of a function of the driver API."
    fn [cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz](
        _runtime, name: In<c_char>, function: Out<u64>, _flags: u64, status: Out<c_int>,
    ) {
        find_function(name, function, status)
    }

    "The address of a function of the driver API, of a version."
    fn [cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz](
        _runtime, name: In<c_char>, function: Out<u64>, _version: c_uint, _flags: u64, status: Out<c_int>,
    ) {
        find_function(name, function, status)
    }
}

/// Functions that are those of the runtime API under another name.
macro_rules! same_as {
    ($($name:ident($($argument:ident: $ty:ty),*) = $family:ident::$other:ident;)*) => {
        $(
            #[doc = concat!("As `", stringify!($other), "`.")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($argument: $ty),*) -> c_int {
                super::$family::$other($($argument),*)
            }
        )*

        /// The functions that are those of the runtime API under another name.
        pub const SAME_NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

same_as! {
    cuMemAlloc(address: Out<u64>, bytes: usize) = memory::cudaMalloc;
    cuMemAlloc_v2(address: Out<u64>, bytes: usize) = memory::cudaMalloc;
    cuMemAllocAsync(address: Out<u64>, bytes: usize) = memory::cudaMalloc;
    cuMemFree(address: u64) = memory::cudaFree;
    cuMemFree_v2(address: u64) = memory::cudaFree;
    cuMemFreeAsync(address: u64) = memory::cudaFree;
    cuMemAllocPitch(address: Out<u64>, pitch: Out<usize>, width: usize, height: usize) = memory::cudaMallocPitch;
    cuMemAllocPitch_v2(address: Out<u64>, pitch: Out<usize>, width: usize, height: usize) = memory::cudaMallocPitch;
    cuMemGetInfo(free: Out<usize>, total: Out<usize>) = memory::cudaMemGetInfo;
    cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) = memory::cudaMemGetInfo;
    cuMemAllocHost(address: Out<u64>, bytes: usize) = host_memory::cudaMallocHost;
    cuMemAllocHost_v2(address: Out<u64>, bytes: usize) = host_memory::cudaMallocHost;
    cuMemHostAlloc(address: Out<u64>, bytes: usize) = host_memory::cudaHostAlloc;
    cuMemFreeHost(address: u64) = host_memory::cudaFreeHost;
    cuMemHostGetDevicePointer(device: Out<u64>, host: u64, flags: c_uint) = host_memory::cudaHostGetDevicePointer;
    cuMemHostGetDevicePointer_v2(device: Out<u64>, host: u64, flags: c_uint) = host_memory::cudaHostGetDevicePointer;
    cuMemHostRegister(address: u64, bytes: usize, flags: c_uint) = host_memory::cudaHostRegister;
    cuMemHostRegister_v2(address: u64, bytes: usize, flags: c_uint) = host_memory::cudaHostRegister;
    cuMemHostUnregister(address: u64) = host_memory::cudaHostUnregister;
    cuMemAllocManaged(address: Out<u64>, bytes: usize, flags: c_uint) = host_memory::cudaMallocManaged;
    cuMemHostGetFlags(flags: Out<c_uint>, host: u64) = host_memory::cudaHostGetFlags;
    cuMemPrefetchAsync(address: u64, bytes: usize, place: c_int) = host_memory::cudaMemPrefetchAsync;
    cuMemPrefetchAsync_v2(address: u64, bytes: usize, place: c_int) = host_memory::cudaMemPrefetchAsync;
    cuMemAdvise(address: u64, bytes: usize, advice: c_int) = host_memory::cudaMemAdvise;
    cuMemAdvise_v2(address: u64, bytes: usize, advice: c_int) = host_memory::cudaMemAdvise;
    cuCtxGetLimit(value: Out<usize>, limit: c_int) = devices::cudaDeviceGetLimit;
    cuCtxEnablePeerAccess(peer: c_int) = devices::cudaDeviceEnablePeerAccess;
    cuCtxDisablePeerAccess(peer: c_int) = devices::cudaDeviceDisablePeerAccess;
    cuDeviceGetPCIBusId(address: u64, bytes: c_int, device: c_int) = devices::cudaDeviceGetPCIBusId;
    cuDeviceGetByPCIBusId(device: Out<c_int>, address: In<c_char>) = devices::cudaDeviceGetByPCIBusId;
    cuStreamGetFlags(stream: u64, flags: Out<c_uint>) = streams::cudaStreamGetFlags;
    cuStreamGetPriority(stream: u64, priority: Out<c_int>) = streams::cudaStreamGetPriority;
    cuLaunchHostFunc(stream: u64, function: Option<HostFunction>, data: u64) = callbacks::cudaLaunchHostFunc;
    cuStreamAddCallback(stream: u64, callback: Option<StreamCallback>, data: u64, flags: c_uint) = callbacks::cudaStreamAddCallback;
    cuStreamCreate(stream: Out<u64>, flags: c_uint) = streams::cudaStreamCreateWithFlags;
    cuStreamCreateWithPriority(stream: Out<u64>, flags: c_uint, priority: c_int) = streams::cudaStreamCreateWithPriority;
    cuStreamDestroy(stream: u64) = streams::cudaStreamDestroy;
    cuStreamDestroy_v2(stream: u64) = streams::cudaStreamDestroy;
    cuStreamSynchronize(stream: u64) = streams::cudaStreamSynchronize;
    cuStreamQuery(stream: u64) = streams::cudaStreamQuery;
    cuEventCreate(event: Out<u64>, flags: c_uint) = events::cudaEventCreateWithFlags;
    cuEventDestroy(event: u64) = events::cudaEventDestroy;
    cuEventDestroy_v2(event: u64) = events::cudaEventDestroy;
    cuEventRecord(event: u64, stream: u64) = events::cudaEventRecord;
    cuEventSynchronize(event: u64) = events::cudaEventSynchronize;
    cuEventQuery(event: u64) = events::cudaEventQuery;
    cuEventElapsedTime(milliseconds: Out<f32>, start: u64, end: u64) = events::cudaEventElapsedTime;
    cuEventElapsedTime_v2(milliseconds: Out<f32>, start: u64, end: u64) = events::cudaEventElapsedTime;
}

/// What a code means.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorString(code: c_int, string: Out<*const c_char>) -> c_int {
    call("cuGetErrorString", |_| string.set(error::text(code).as_ptr().cast()))
}

/// Name of a code.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorName(code: c_int, string: Out<*const c_char>) -> c_int {
    call("cuGetErrorName", |_| string.set(error::driver_name(code).as_ptr().cast()))
}

fn find_function(name: In<c_char>, function: Out<u64>, status: Out<c_int>) -> Result<(), Failure> {
    const NOT_FOUND: c_int = 1;
    let name = text(name)?;
    // A name without a version means the newest.
    let found =
        [format!("{name}_v2"), name.clone()].iter().find_map(|name| crate::foreign::own_function(name));
    status.set_if_wanted(if found.is_some() { 0 } else { NOT_FOUND });
    function.set(found.unwrap_or(0))?;
    match found {
        Some(_) => Ok(()),
        None => Err(Failure::new(CudaError::SymbolNotFound, format!("{name} is not supported"))),
    }
}

fn number_of(module: u64) -> Result<usize, Failure> {
    Ok(module.checked_sub(1).ok_or(CudaError::InvalidResourceHandle)? as usize)
}

/// Adds a module and loads it, so that a mistake in it is told now.
fn load(runtime: &mut Runtime, module: Out<u64>, ptx: Ptx) -> Result<(), Failure> {
    let number = runtime.registry.add_module(Ok(ptx));
    let (context, _) = runtime.with_registry()?;
    context.modules.check(number)?;
    module.set(number as u64 + 1)
}

/// PTX as text, a fat binary, or the description of one.
pub(super) fn read_image(image: u64) -> Result<Ptx, Failure> {
    const WRAPPER: [u8; 4] = 0x4662_43b1u32.to_le_bytes();
    const ELF: [u8; 4] = *b"\x7fELF";
    let start = host_bytes(image, 4)?;
    if start == WRAPPER {
        let pointer = host_bytes(image + 8, 8)?;
        let address = pointer.iter().rev().fold(0, |address, &byte| address << 8 | u64::from(byte));
        return read_image(address);
    }
    if start == fat_binary::MAGIC.to_le_bytes() {
        let bytes = fat_binary::container_bytes(host_bytes(image, HEADER_BYTES as u64)?)?;
        return Ok(fat_binary::read_ptx(host_bytes(image, bytes as u64)?)?);
    }
    if start == ELF {
        let message = "the module is machine code (a cubin); the simulator runs PTX: load the .ptx file, or compile with \
                       -ptx or -fatbin and -gencode arch=compute_75,code=compute_75";
        return Err(Failure::new(CudaError::NoKernelImageForDevice, message));
    }
    let text = text(In::at(image))?;
    let architecture = text
        .split_once(".target")
        .and_then(|(_, rest)| rest.trim_start().strip_prefix("sm_"))
        .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0);
    Ok(Ptx::new(architecture, text))
}
