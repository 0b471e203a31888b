//! CUDA arrays, and copies between them and other memory.

use std::ffi::{c_int, c_uint};

use super::copies::ready;
use super::memory::Extent;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, Out};
use crate::runtime::{Array, ChannelDescriptor, CopyKind, Runtime, Span};

/// The functions that return no code.
pub const OTHER_NAMES: &[&str] = &["cudaCreateChannelDesc"];

/// Describes a texel.
#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_int,
) -> ChannelDescriptor {
    ChannelDescriptor { bits: [x, y, z, w], kind }
}

api! {
    "An array of one or two dimensions."
    fn [cudaMallocArray](
        runtime, array: Out<u64>, descriptor: In<ChannelDescriptor>, width: usize, height: usize, flags: c_uint,
    ) {
        array.set(alloc(runtime, descriptor, [width, height, 0], flags)?)
    }

    "An array of three dimensions, or with layers."
    fn [cudaMalloc3DArray](
        runtime, array: Out<u64>, descriptor: In<ChannelDescriptor>, extent: Extent, flags: c_uint,
    ) {
        array.set(alloc(runtime, descriptor, [extent.width, extent.height, extent.depth], flags)?)
    }

    "Frees an array."
    fn [cudaFreeArray](runtime, array: u64) {
        if array == 0 {
            return Ok(());
        }
        let context = runtime.context()?;
        let array = context.arrays.remove(array)?;
        Ok(context.machine.memory_mut().free(array.address)?)
    }

    "The format, extent and flags of an array."
    fn [cudaArrayGetInfo](
        runtime, descriptor: Out<ChannelDescriptor>, extent: Out<Extent>, flags: Out<c_uint>, array: u64,
    ) {
        let array = *runtime.context()?.arrays.get(array)?;
        let [width, height, depth] = array.given.map(|extent| extent as usize);
        descriptor.set_if_wanted(array.descriptor);
        extent.set_if_wanted(Extent { width, height, depth });
        flags.set_if_wanted(array.flags);
        Ok(())
    }

    "The texel format of an array."
    fn [cudaGetChannelDesc](runtime, descriptor: Out<ChannelDescriptor>, array: u64) {
        descriptor.set(runtime.context()?.arrays.get(array)?.descriptor)
    }

    "Copies bytes to an array, row after row."
    fn [cudaMemcpyToArray, cudaMemcpyToArrayAsync](
        runtime, array: u64, x_bytes: usize, y: usize, from: u64, bytes: usize, kind: c_int,
    ) {
        copy_bytes(runtime, [array, x_bytes as u64, y as u64], |to| (to, from), bytes, kind)
    }

    "Copies bytes from an array, row after row."
    fn [cudaMemcpyFromArray, cudaMemcpyFromArrayAsync](
        runtime, to: u64, array: u64, x_bytes: usize, y: usize, bytes: usize, kind: c_int,
    ) {
        copy_bytes(runtime, [array, x_bytes as u64, y as u64], |from| (to, from), bytes, kind)
    }

    "Copies rows to an array."
    fn [cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArrayAsync_ptsz](
        runtime, array: u64, x_bytes: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind: c_int,
    ) {
        let from = Span::plane(from, pitch as u64);
        copy_rows(runtime, [array, x_bytes as u64, y as u64], |to| (to, from), [width, height], kind)
    }

    "Copies rows from an array to another."
    fn [cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds](
        runtime, to: u64, to_x_bytes: usize, to_y: usize, from: u64, from_x_bytes: usize, from_y: usize, width: usize,
        height: usize, kind: c_int,
    ) {
        let to = find(runtime, to)?.span(to_x_bytes as u64, to_y as u64, 0);
        copy_rows(runtime, [from, from_x_bytes as u64, from_y as u64], |from| (to, from), [width, height], kind)
    }

    "Copies rows from an array."
    fn [cudaMemcpy2DFromArray, cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArrayAsync_ptsz](
        runtime, to: u64, pitch: usize, array: u64, x_bytes: usize, y: usize, width: usize, height: usize, kind: c_int,
    ) {
        let to = Span::plane(to, pitch as u64);
        copy_rows(runtime, [array, x_bytes as u64, y as u64], |from| (to, from), [width, height], kind)
    }
}

/// Copies between an array, from a byte of a row on, and other memory; `ends` tells from the array's end of the copy where
/// the copy goes to and comes from.
fn copy_bytes(
    runtime: &mut Runtime,
    [array, x_bytes, y]: [u64; 3],
    ends: impl FnOnce(u64) -> (u64, u64),
    bytes: usize,
    kind: c_int,
) -> Result<(), Failure> {
    let context = ready(runtime)?;
    let (to, from) = ends(context.arrays.get(array)?.span(x_bytes, y, 0).address);
    context.copy(to, from, bytes as u64, CopyKind::from_number(kind)?)
}

/// The same for rows of `width` bytes.
fn copy_rows(
    runtime: &mut Runtime,
    [array, x_bytes, y]: [u64; 3],
    ends: impl FnOnce(Span) -> (Span, Span),
    [width, height]: [usize; 2],
    kind: c_int,
) -> Result<(), Failure> {
    let context = ready(runtime)?;
    let (to, from) = ends(context.arrays.get(array)?.span(x_bytes, y, 0));
    context.copy_rows(to, from, [width as u64, height as u64, 1], CopyKind::from_number(kind)?)
}

fn alloc(
    runtime: &mut Runtime,
    descriptor: In<ChannelDescriptor>,
    extents: [usize; 3],
    flags: c_uint,
) -> Result<u64, Failure> {
    let mut array = Array::new(descriptor.get()?, extents.map(|extent| extent as u64), flags)?;
    let context = runtime.context()?;
    array.address = context.machine.device().alloc(array.bytes()?)?;
    Ok(context.arrays.add(array))
}

/// Refuses a handle that is not an array.
pub(super) fn find(runtime: &mut Runtime, array: u64) -> Result<Array, Failure> {
    if array == 0 {
        return Err(CudaError::InvalidResourceHandle.into());
    }
    runtime.context()?.arrays.get(array).copied()
}
