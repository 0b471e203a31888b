//! What happens after a kernel has gone wrong? In a process of its own, since nothing works afterwards.

mod common;

use std::ffi::c_void;

use common::{STORE_AT, launch, register};
use shrinkwarp_cudart::api::devices::{cudaDeviceReset, cudaDeviceSynchronize};
use shrinkwarp_cudart::api::errors::cudaGetLastError;
use shrinkwarp_cudart::api::memory::cudaMalloc;
use shrinkwarp_cudart::error::CudaError;
use shrinkwarp_cudart::foreign::Out;

#[test]
fn a_fault_is_told_when_the_program_waits_and_at_every_call_until_a_reset() {
    register();
    let nowhere = 0xdead_0000_u64;
    let argument: *const c_void = (&raw const nowhere).cast();
    assert_eq!(launch(STORE_AT, 1, 1, &[argument]), 0, "a launch does not wait");
    assert_eq!(cudaGetLastError(), 0);
    assert_eq!(cudaDeviceSynchronize(), CudaError::IllegalAddress as i32);
    let mut address = 0;
    assert_eq!(cudaMalloc(Out::from(&mut address), 4), CudaError::IllegalAddress as i32);
    assert_eq!(launch(STORE_AT, 1, 1, &[argument]), CudaError::IllegalAddress as i32);
    assert_eq!(cudaGetLastError(), CudaError::IllegalAddress as i32);

    assert_eq!(cudaDeviceReset(), 0);
    assert_eq!(cudaMalloc(Out::from(&mut address), 4), 0);
    let argument: *const c_void = (&raw const address).cast();
    assert_eq!(launch(STORE_AT, 1, 1, &[argument]), 0);
    assert_eq!(cudaDeviceSynchronize(), 0);
}
