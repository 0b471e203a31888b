//! Launches. `kernel<<<grid, block>>>(…)` pushes a configuration and calls the kernel's host stub, which pops it and
//! launches; nvcc 13 first asks for the stub's kernel, which for us is the stub's address.

use std::cell::RefCell;
use std::ffi::c_void;

use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, Out};
use crate::runtime::{Arguments, LaunchRequest, PreparedLaunch, Runtime, Work};

/// Extents as C passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Extents {
    /// In x.
    pub x: u32,
    /// In y.
    pub y: u32,
    /// In z.
    pub z: u32,
}

/// `cudaLaunchConfig_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LaunchConfig {
    grid: Extents,
    block: Extents,
    shared_bytes: usize,
    stream: u64,
    attributes: In<LaunchAttribute>,
    attribute_count: u32,
}

/// `cudaLaunchAttribute`; of its values only the first word is read.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LaunchAttribute {
    id: i32,
    padding: i32,
    value: [i32; 16],
}

/// `cudaLaunchAttributeCooperative`
const ATTRIBUTE_COOPERATIVE: i32 = 2;
/// `cudaLaunchAttributeClusterDimension`
const ATTRIBUTE_CLUSTER: i32 = 4;

/// A configuration between `<<<` and the stub.
#[derive(Clone, Copy)]
struct Pushed {
    grid: Extents,
    block: Extents,
    shared_bytes: usize,
    stream: u64,
}

thread_local! {
    static PUSHED: RefCell<Vec<Pushed>> = const { RefCell::new(Vec::new()) };
}

impl From<Extents> for [u32; 3] {
    fn from(extents: Extents) -> Self {
        [extents.x, extents.y, extents.z]
    }
}

impl From<[u32; 3]> for Extents {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Self { x, y, z }
    }
}

api! {
    "Pushes a launch configuration for the kernel's host stub."
    fn [__cudaPushCallConfiguration](_runtime, grid: Extents, block: Extents, shared_bytes: usize, stream: u64) {
        PUSHED.with_borrow_mut(|pushed| pushed.push(Pushed { grid, block, shared_bytes, stream }));
        Ok(())
    }

    "Pops the launch configuration in the kernel's host stub."
    fn [__cudaPopCallConfiguration](
        _runtime, grid: Out<Extents>, block: Out<Extents>, shared_bytes: Out<usize>, stream: Out<u64>,
    ) {
        let pushed = PUSHED.with_borrow_mut(Vec::pop).ok_or(CudaError::MissingConfiguration)?;
        grid.set(pushed.grid)?;
        block.set(pushed.block)?;
        shared_bytes.set(pushed.shared_bytes)?;
        stream.set(pushed.stream)
    }

    "The handle of a kernel."
    fn [__cudaGetKernel, cudaGetKernel, cudaGetFuncBySymbol](runtime, kernel: Out<u64>, function: u64) {
        runtime.registry.kernel(function).ok_or(CudaError::InvalidDeviceFunction)?;
        kernel.set(function)
    }

    "Launches a kernel."
    fn [cudaLaunchKernel, cudaLaunchKernel_ptsz, __cudaLaunchKernel, __cudaLaunchKernel_ptsz](
        runtime, function: u64, grid: Extents, block: Extents, arguments: In<*const c_void>, shared_bytes: usize,
        stream: u64,
    ) {
        let request = request(grid, block, arguments, shared_bytes, false);
        launch(runtime, function, &request, stream)
    }

    "Launches a kernel whose thread blocks are all resident."
    fn [cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz](
        runtime, function: u64, grid: Extents, block: Extents, arguments: In<*const c_void>, shared_bytes: usize,
        stream: u64,
    ) {
        let request = request(grid, block, arguments, shared_bytes, true);
        launch(runtime, function, &request, stream)
    }

    "Launches a kernel with attributes."
    fn [cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz](
        runtime, config: In<LaunchConfig>, function: u64, arguments: In<*const c_void>,
    ) {
        let config = config.get()?;
        let mut is_cooperative = false;
        for index in 0..config.attribute_count as usize {
            let attribute = config.attributes.get_at(index)?;
            if attribute.id == ATTRIBUTE_CLUSTER && attribute.value[..3] != [1; 3] {
                let message = "clusters of more than one thread block are not supported";
                return Err(Failure::new(CudaError::NotSupported, message));
            }
            is_cooperative |= attribute.id == ATTRIBUTE_COOPERATIVE && attribute.value[0] != 0;
        }
        let LaunchConfig { grid, block, shared_bytes, .. } = config;
        let request = request(grid, block, arguments, shared_bytes, is_cooperative);
        launch(runtime, function, &request, config.stream)
    }
}

/// A launch whose arguments are given one by one.
fn request(
    grid: Extents,
    block: Extents,
    arguments: In<*const c_void>,
    shared_bytes: usize,
    is_cooperative: bool,
) -> LaunchRequest<'static> {
    LaunchRequest {
        grid: grid.into(),
        block: block.into(),
        shared_bytes: shared_bytes as u64,
        arguments: Arguments::Each(arguments),
        is_cooperative,
    }
}

/// Checks a launch.
pub(super) fn prepare(
    runtime: &mut Runtime,
    function: u64,
    request: &LaunchRequest,
) -> Result<PreparedLaunch, Failure> {
    let (context, registry) = runtime.with_registry()?;
    let symbol = registry.kernel(function).ok_or_else(|| {
        Failure::new(CudaError::InvalidDeviceFunction, format!("no kernel is registered for {function:#x}"))
    })?;
    let mut prepared = context.prepare(symbol, request)?;
    prepared.function = function;
    Ok(prepared)
}

/// Launches a kernel, or records the launch where the stream does so.
pub(super) fn launch(
    runtime: &mut Runtime,
    function: u64,
    request: &LaunchRequest,
    stream: u64,
) -> Result<(), Failure> {
    let prepared = prepare(runtime, function, request)?;
    let context = runtime.context()?;
    if context.record(stream, || Work::Launch(prepared.clone())) {
        return Ok(());
    }
    context.run(&prepared)
}
