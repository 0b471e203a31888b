//! Memory pools: every pool is the device's memory, and gives back at once what it gets back.

use std::ffi::c_int;

use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::Out;

/// The handle of the only pool.
const POOL: u64 = 0x5f00_0000;

api! {
    "The pool of a device."
    fn [cudaDeviceGetDefaultMemPool, cudaDeviceGetMemPool](runtime, pool: Out<u64>, _device: c_int) {
        runtime.context()?;
        pool.set(POOL)
    }

    "A new memory pool: it shares the device's memory."
    fn [cudaMemPoolCreate](runtime, pool: Out<u64>) {
        runtime.context()?;
        pool.set(POOL)
    }

    "Attributes of a pool, ignored: it keeps no freed memory."
    fn [cudaMemPoolDestroy, cudaMemPoolTrimTo, cudaMemPoolSetAttribute, cudaMemPoolSetAccess](_runtime, pool: u64) {
        known(pool)
    }

    "Who may access a pool: the device, for reading and writing."
    fn [cudaMemPoolGetAccess](_runtime, access: Out<c_int>, pool: u64) {
        const READ_AND_WRITE: c_int = 3;
        known(pool)?;
        access.set(READ_AND_WRITE)
    }

    "Chooses the pool of a device."
    fn [cudaDeviceSetMemPool](_runtime, _device: c_int, pool: u64) {
        known(pool)
    }

    "The attributes of a pool: it keeps no freed memory."
    fn [cudaMemPoolGetAttribute](_runtime, pool: u64, attribute: c_int, value: Out<u64>) {
        known(pool)?;
        // The first three are switches of 32 bits, the others counts of bytes.
        if (1..=3).contains(&attribute) {
            return crate::foreign::host_bytes_mut(value.address(), 4).map(|bytes| bytes.fill(0));
        }
        value.set(0)
    }

    "Zeroed memory of a pool."
    fn [cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz](runtime, address: Out<u64>, bytes: usize, pool: u64) {
        known(pool)?;
        address.set(runtime.context()?.alloc(bytes as u64)?)
    }
}

fn known(pool: u64) -> Result<(), Failure> {
    if pool == POOL { Ok(()) } else { Err(CudaError::InvalidValue.into()) }
}
