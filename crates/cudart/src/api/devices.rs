//! The device: there is one, number 0.

use std::ffi::{c_char, c_int, c_uint};

use super::copies::ready;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, Out, host_bytes_mut, text};
use crate::properties::{Layout, Properties};
use crate::runtime::Runtime;
use crate::version::RuntimeVersion;

/// Where the device would be on a bus.
const BUS_ADDRESS: &str = "0000:00:00.0";

api! {
    "How many devices there are: one."
    fn [cudaGetDeviceCount](runtime, count: Out<c_int>) {
        runtime.context_after_fault()?;
        count.set(1)
    }

    "The device in use."
    fn [cudaGetDevice](runtime, device: Out<c_int>) {
        runtime.context_after_fault()?;
        device.set(0)
    }

    "Chooses the device."
    fn [cudaSetDevice, cudaInitDevice](runtime, device: c_int) {
        runtime.context_after_fault()?;
        only(device)
    }

    "The device that fits given properties best: the only one."
    fn [cudaChooseDevice](runtime, device: Out<c_int>) {
        runtime.context_after_fault()?;
        device.set(0)
    }

    "Sets how the host waits for the device; it never has to wait here."
    fn [cudaSetDeviceFlags, cudaSetValidDevices](_runtime, _flags: c_uint) {
        Ok(())
    }

    "How the host waits for the device."
    fn [cudaGetDeviceFlags](_runtime, flags: Out<c_uint>) {
        flags.set(0)
    }

    "The device's properties, in the layout of the program's runtime version."
    fn [cudaGetDeviceProperties](runtime, target: Out<u8>, device: c_int) {
        let layout = match runtime.context_after_fault()?.version {
            RuntimeVersion::V11 | RuntimeVersion::V12 => Layout::V11,
            RuntimeVersion::V13 => Layout::V13,
        };
        describe(runtime, target, device, layout)
    }

    "The device's properties, in the layout of version 12."
    fn [cudaGetDeviceProperties_v2](runtime, target: Out<u8>, device: c_int) {
        describe(runtime, target, device, Layout::V12)
    }

    "One property of the device."
    fn [cudaDeviceGetAttribute](runtime, value: Out<c_int>, attribute: c_int, device: c_int) {
        only(device)?;
        value.set(properties(runtime)?.attribute(attribute).ok_or(CudaError::InvalidValue)?)
    }

    "Waits for the device."
    fn [cudaDeviceSynchronize, cudaThreadSynchronize, cudaDeviceSynchronize_ptds](runtime) {
        ready(runtime).map(drop)
    }

    "Resets the device. Memory and counters are kept, because the result reports them."
    fn [cudaDeviceReset, cudaThreadExit](runtime) {
        let context = runtime.context_after_fault()?;
        context.flush_printed();
        context.fault = None;
        Ok(())
    }

    "A preference for caches or limits, ignored: the GPU's configuration decides."
    fn [cudaDeviceSetCacheConfig, cudaDeviceSetSharedMemConfig, cudaThreadSetCacheConfig, cudaCtxResetPersistingL2Cache](_runtime)
    {
        Ok(())
    }

    "The preference for caches: none."
    fn [cudaDeviceGetCacheConfig, cudaThreadGetCacheConfig](_runtime, config: Out<c_int>) {
        config.set(0)
    }

    "The width of the banks of shared memory: four bytes."
    fn [cudaDeviceGetSharedMemConfig](_runtime, config: Out<c_int>) {
        const FOUR_BYTES: c_int = 1;
        config.set(FOUR_BYTES)
    }

    "Sets a limit: the heap of kernels grows; stack and printf have enough."
    fn [cudaDeviceSetLimit, cudaThreadSetLimit](runtime, limit: c_int, value: usize) {
        limit_value(runtime, limit)?;
        let context = runtime.context()?;
        if limit == HEAP_LIMIT && value as u64 > context.heap_bytes {
            context.machine.memory_mut().add_to_heap(value as u64)?;
            context.heap_bytes = value as u64;
        }
        Ok(())
    }

    "A limit."
    fn [cudaDeviceGetLimit, cudaThreadGetLimit](runtime, value: Out<usize>, limit: c_int) {
        value.set(limit_value(runtime, limit)?)
    }

    "Whether another device can be accessed: there is none."
    fn [cudaDeviceCanAccessPeer](_runtime, can_access: Out<c_int>, _device: c_int, _peer: c_int) {
        can_access.set(0)
    }

    "Access to another device: there is none."
    fn [cudaDeviceEnablePeerAccess, cudaDeviceDisablePeerAccess](_runtime, _peer: c_int) {
        Err(CudaError::PeerAccessUnsupported.into())
    }

    "A property of the link to another device: there is none."
    fn [cudaDeviceGetP2PAttribute](_runtime, value: Out<c_int>, _attribute: c_int, _device: c_int, _peer: c_int) {
        value.set(0)
    }

    "The device at an address of the bus."
    fn [cudaDeviceGetByPCIBusId](_runtime, device: Out<c_int>, address: In<c_char>) {
        if text(address)? == BUS_ADDRESS { device.set(0) } else { Err(CudaError::InvalidDevice.into()) }
    }

    "Where the device would be on a bus."
    fn [cudaDeviceGetPCIBusId](_runtime, address: u64, bytes: c_int, device: c_int) {
        only(device)?;
        if (bytes as usize) <= BUS_ADDRESS.len() {
            return Err(CudaError::InvalidValue.into());
        }
        let target = host_bytes_mut(address, BUS_ADDRESS.len() as u64 + 1)?;
        target[..BUS_ADDRESS.len()].copy_from_slice(BUS_ADDRESS.as_bytes());
        target[BUS_ADDRESS.len()] = 0;
        Ok(())
    }

    "The version of the runtime that the program was built for."
    fn [cudaRuntimeGetVersion, cudaDriverGetVersion](_runtime, version: Out<c_int>) {
        version.set(RuntimeVersion::of_process().number())
    }

    "Starts or stops a profiler, ignored: the result has all counters."
    fn [cudaProfilerStart, cudaProfilerStop](_runtime) {
        Ok(())
    }
}

fn only(device: c_int) -> Result<(), Failure> {
    if device == 0 { Ok(()) } else { Err(CudaError::InvalidDevice.into()) }
}

pub(super) fn properties(runtime: &mut Runtime) -> Result<Properties, Failure> {
    let architecture = runtime.registry.newest_architecture();
    Ok(Properties::new(&runtime.context_after_fault()?.settings.gpu, architecture))
}

fn describe(runtime: &mut Runtime, target: Out<u8>, device: c_int, layout: Layout) -> Result<(), Failure> {
    only(device)?;
    let bytes = properties(runtime)?.bytes(layout);
    host_bytes_mut(target.address(), bytes.len() as u64)?.copy_from_slice(&bytes);
    Ok(())
}

/// `cudaLimitMallocHeapSize`
const HEAP_LIMIT: c_int = 2;

/// Values of `cudaLimit`, as CUDA has them by default.
fn limit_value(runtime: &mut Runtime, limit: c_int) -> Result<usize, Failure> {
    match limit {
        // Stack of a thread, printf's buffer.
        0 => Ok(1024),
        1 => Ok(1 << 20),
        HEAP_LIMIT => Ok(runtime.context()?.heap_bytes as usize),
        _ => Err(CudaError::UnsupportedLimit.into()),
    }
}
