//! Pinned and managed memory: one memory for both sides (`runtime/host_memory.rs`).

use std::ffi::{c_int, c_uint};

use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::Out;
use crate::runtime::{HostKind, Runtime};

api! {
    "Memory that host and kernels use at the same address."
    fn [cudaMallocManaged](runtime, address: Out<u64>, bytes: usize, _flags: c_uint) {
        if bytes == 0 {
            return Err(CudaError::InvalidValue.into());
        }
        address.set(alloc(runtime, bytes, HostKind::Managed)?)
    }

    "Host memory that kernels can use as well."
    fn [cudaMallocHost, cudaHostAlloc](runtime, address: Out<u64>, bytes: usize) {
        address.set(alloc(runtime, bytes, HostKind::Pinned)?)
    }

    "Frees host memory."
    fn [cudaFreeHost](runtime, address: u64) {
        if address == 0 {
            return Ok(());
        }
        let context = runtime.context()?;
        context.host_memory.free(context.machine.memory_mut(), address, HostKind::Pinned)
    }

    "The address under which kernels find host memory: the same."
    fn [cudaHostGetDevicePointer](runtime, device: Out<u64>, host: u64, _flags: c_uint) {
        match runtime.context()?.host_memory.kind_of(host) {
            Some(_) => device.set(host),
            None => Err(CudaError::InvalidValue.into()),
        }
    }

    "The flags of host memory: always mapped and portable."
    fn [cudaHostGetFlags](runtime, flags: Out<c_uint>, host: u64) {
        const PORTABLE_AND_MAPPED: c_uint = 3;
        match runtime.context()?.host_memory.kind_of(host) {
            Some(HostKind::Pinned | HostKind::Registered) => flags.set(PORTABLE_AND_MAPPED),
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    "Pins memory of the program and lets kernels use it."
    fn [cudaHostRegister](runtime, address: u64, bytes: usize, _flags: c_uint) {
        if address == 0 || bytes == 0 {
            return Err(CudaError::InvalidValue.into());
        }
        let context = runtime.context()?;
        context.host_memory.register(context.machine.memory_mut(), address, bytes as u64)
    }

    "Unpins memory of the program."
    fn [cudaHostUnregister](runtime, address: u64) {
        let context = runtime.context()?;
        context.host_memory.unregister(context.machine.memory_mut(), address)
    }

    "What was advised for managed memory: nothing, since nothing moves."
    fn [cudaMemRangeGetAttribute](runtime, data: u64, data_bytes: usize, attribute: c_int, _address: u64, _bytes: usize) {
        const READ_MOSTLY: c_int = 1;
        const NO_DEVICE: i32 = -2;
        runtime.context()?;
        let value = if attribute == READ_MOSTLY { 0 } else { NO_DEVICE };
        for word in crate::foreign::host_bytes_mut(data, data_bytes as u64)?.chunks_exact_mut(4) {
            word.copy_from_slice(&value.to_le_bytes());
        }
        Ok(())
    }

    "Advice about managed memory, ignored: it is one memory for host and device."
    fn [cudaMemAdvise, cudaMemPrefetchAsync, cudaMemAdvise_v2, cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync_ptsz, cudaStreamAttachMemAsync, cudaStreamAttachMemAsync_ptsz](runtime, _address: u64, _bytes: usize, _where: c_int)
    {
        runtime.context().map(drop)
    }
}

fn alloc(runtime: &mut Runtime, bytes: usize, kind: HostKind) -> Result<u64, Failure> {
    let context = runtime.context()?;
    context.host_memory.alloc(context.machine.memory_mut(), bytes as u64, kind)
}
