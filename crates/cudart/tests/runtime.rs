//! Does a program get through the functions what it asks for? They are called as C calls them.

mod common;

use std::ffi::c_void;
use std::sync::Mutex;

use common::{FACTOR, NOT_IN_THE_MODULE, SCALE_AND_ADD, STORES, launch, register};
use shrinkwarp_cudart::api::copies::{cudaMemcpy, cudaMemcpy2D, cudaMemset};
use shrinkwarp_cudart::api::devices::{cudaDeviceGetAttribute, cudaDeviceSynchronize};
use shrinkwarp_cudart::api::errors::{cudaGetLastError, cudaPeekAtLastError};
use shrinkwarp_cudart::api::functions::{
    FunctionAttributes, cudaFuncGetAttributes, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
};
use shrinkwarp_cudart::api::host_memory::{cudaFreeHost, cudaMallocHost, cudaMallocManaged};
use shrinkwarp_cudart::api::memory::{
    PointerAttributes, cudaFree, cudaMalloc, cudaMallocPitch, cudaPointerGetAttributes,
};
use shrinkwarp_cudart::api::missing::cudaGraphGetId;
use shrinkwarp_cudart::api::streams::{cudaStreamCreate, cudaStreamDestroy, cudaStreamSynchronize};
use shrinkwarp_cudart::api::symbols::{cudaGetSymbolSize, cudaMemcpyFromSymbol, cudaMemcpyToSymbol};
use shrinkwarp_cudart::error::CudaError;
use shrinkwarp_cudart::foreign::Out;

const TO_DEVICE: i32 = 1;
const TO_HOST: i32 = 2;

/// The device is one for all tests; those that use the module's variables take their turn.
static TURN: Mutex<()> = Mutex::new(());

fn malloc(bytes: usize) -> u64 {
    let mut address = 0;
    assert_eq!(cudaMalloc(Out::from(&mut address), bytes), 0);
    address
}

fn set_factor(factor: i32) {
    assert_eq!(cudaMemcpyToSymbol(FACTOR, (&raw const factor) as u64, 4, 0, TO_DEVICE), 0);
}

/// `a + factor * b` of `count` elements.
fn scale_and_add(count: u32, factor: i32) -> Vec<i32> {
    let bytes = 4 * count as usize;
    let buffers = [malloc(bytes), malloc(bytes), malloc(bytes)];
    let host: Vec<i32> = (0..count as i32).collect();
    for buffer in &buffers[..2] {
        assert_eq!(cudaMemcpy(*buffer, host.as_ptr() as u64, bytes, TO_DEVICE), 0);
    }
    set_factor(factor);
    let [a, b, sum] = buffers;
    let arguments: [*const c_void; 4] =
        [(&raw const a).cast(), (&raw const b).cast(), (&raw const sum).cast(), (&raw const count).cast()];
    assert_eq!(launch(SCALE_AND_ADD, count.div_ceil(64), 64, &arguments), 0);
    let mut got = vec![0; count as usize];
    assert_eq!(cudaMemcpy(got.as_mut_ptr() as u64, sum, bytes, TO_HOST), 0);
    got
}

#[test]
fn a_kernel_computes_with_buffers_constants_and_variables() {
    let _turn = TURN.lock();
    register();
    let mut before = 0_i32;
    assert_eq!(cudaMemcpyFromSymbol((&raw mut before) as u64, STORES, 4, 0, TO_HOST), 0);
    let got = scale_and_add(200, 3);
    assert!(got.iter().enumerate().all(|(index, &sum)| sum == 4 * index as i32));
    let mut after = 0_i32;
    assert_eq!(cudaMemcpyFromSymbol((&raw mut after) as u64, STORES, 4, 0, TO_HOST), 0);
    assert_eq!(after - before, 200);
    let mut bytes = 0;
    assert_eq!(cudaGetSymbolSize(Out::from(&mut bytes), FACTOR), 0);
    assert_eq!(bytes, 4);
}

#[test]
fn memory_of_the_host_is_the_same_for_kernels() {
    let _turn = TURN.lock();
    register();
    let mut buffers = [0_u64; 3];
    assert_eq!(cudaMallocManaged(Out::from(&mut buffers[0]), 400, 1), 0);
    assert_eq!(cudaMallocHost(Out::from(&mut buffers[1]), 400), 0);
    assert_eq!(cudaMallocManaged(Out::from(&mut buffers[2]), 400, 1), 0);
    let as_host = |address: u64| {
        // SAFETY: 400 bytes were allocated there, for host and device.
        unsafe { std::slice::from_raw_parts_mut(address as *mut i32, 100) }
    };
    for (index, value) in as_host(buffers[0]).iter_mut().enumerate() {
        *value = index as i32;
    }
    as_host(buffers[1]).fill(10);
    set_factor(2);
    let [a, b, sum] = buffers;
    let count = 100_u32;
    let arguments: [*const c_void; 4] =
        [(&raw const a).cast(), (&raw const b).cast(), (&raw const sum).cast(), (&raw const count).cast()];
    assert_eq!(launch(SCALE_AND_ADD, 2, 64, &arguments), 0);
    assert_eq!(cudaDeviceSynchronize(), 0);
    assert_eq!((as_host(sum)[0], as_host(sum)[99]), (20, 119));
    let mut attributes = PointerAttributes::default();
    assert_eq!(cudaPointerGetAttributes(Out::from(&mut attributes), (sum + 8) as *const c_void), 0);
    assert_eq!((attributes.kind, attributes.device_pointer), (3, sum + 8));
    assert_eq!((cudaFree(a), cudaFreeHost(b), cudaFree(sum)), (0, 0, 0));
    assert_eq!(cudaFreeHost(b), CudaError::InvalidValue as i32, "it was given back before");
}

#[test]
fn rows_are_copied_at_their_pitches() {
    let (mut address, mut pitch) = (0, 0);
    assert_eq!(cudaMallocPitch(Out::from(&mut address), Out::from(&mut pitch), 12, 3), 0);
    assert_eq!(pitch, 256);
    assert_eq!(cudaMemset(address, 0xff, 3 * pitch), 0);
    let host: Vec<u8> = (0..36).collect();
    assert_eq!(cudaMemcpy2D(address, pitch, host.as_ptr() as u64, 12, 10, 3, TO_DEVICE), 0);
    let mut got = vec![0_u8; 3 * 256];
    assert_eq!(cudaMemcpy(got.as_mut_ptr() as u64, address, got.len(), TO_HOST), 0);
    assert_eq!(got[..12], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff, 0xff]);
    assert_eq!(got[512..523], [24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 0xff]);
}

#[test]
fn what_a_kernel_needs_and_how_often_it_fits() {
    register();
    let mut attributes = [FunctionAttributes::default(); 4];
    assert_eq!(cudaFuncGetAttributes(Out::from(&mut attributes[0]), SCALE_AND_ADD), 0);
    assert_eq!((attributes[0].max_threads_per_block, attributes[0].ptx_version), (1024, 70));
    assert!(attributes[0].registers > 0);
    let mut blocks = 0;
    let occupancy = |blocks: &mut i32, threads| {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(Out::from(blocks), SCALE_AND_ADD, threads, 0)
    };
    assert_eq!(occupancy(&mut blocks, 256), 0);
    assert_eq!(blocks, 6, "1536 threads of an SM");
    assert_eq!(occupancy(&mut blocks, 0), CudaError::InvalidValue as i32);
    let mut sms = 0;
    assert_eq!(cudaDeviceGetAttribute(Out::from(&mut sms), 16, 0), 0);
    assert_eq!(sms, 15);
}

#[test]
fn a_stream_exists_until_it_is_destroyed() {
    let mut stream = 0;
    assert_eq!(cudaStreamCreate(Out::from(&mut stream)), 0);
    assert_eq!(cudaStreamSynchronize(stream), 0);
    assert_eq!(cudaStreamDestroy(stream), 0);
    assert_eq!(cudaStreamSynchronize(stream), CudaError::InvalidResourceHandle as i32);
}

#[test]
fn a_kernel_that_is_not_in_its_module_and_a_missing_function_are_errors() {
    register();
    assert_eq!(launch(NOT_IN_THE_MODULE, 1, 1, &[]), CudaError::InvalidDeviceFunction as i32);
    assert_eq!(cudaPeekAtLastError(), CudaError::InvalidDeviceFunction as i32);
    assert_eq!(cudaGetLastError(), CudaError::InvalidDeviceFunction as i32);
    assert_eq!(cudaGetLastError(), 0);
    assert_eq!(cudaGraphGetId(), CudaError::NotSupported as i32);
}
