//! Copies and fills of lines and planes.

use std::ffi::c_int;

use crate::failure::Failure;
use crate::runtime::{Context, CopyKind, Runtime, Span, Work};

use super::memory::{Extent, PitchedPointer};

/// `cudaMemcpyDeviceToDevice`
const DEVICE_TO_DEVICE: c_int = 3;

api! {
    "Copies bytes."
    fn [cudaMemcpy, cudaMemcpy_ptds](
        runtime, to: u64, from: u64, bytes: usize, kind: c_int,
    ) {
        let kind = CopyKind::from_number(kind)?;
        ready(runtime)?.copy(to, from, bytes as u64, kind)
    }

    "Copies bytes between devices: there is one."
    fn [cudaMemcpyPeer](runtime, to: u64, _to_device: c_int, from: u64, _from_device: c_int, bytes: usize) {
        ready(runtime)?.copy(to, from, bytes as u64, CopyKind::DeviceToDevice)
    }

    "Copies bytes between devices in a stream: there is one."
    fn [cudaMemcpyPeerAsync](
        runtime, to: u64, _to_device: c_int, from: u64, _from_device: c_int, bytes: usize, stream: u64,
    ) {
        put_bytes(runtime, stream, to, from, bytes, DEVICE_TO_DEVICE)
    }

    "Copies rows."
    fn [cudaMemcpy2D, cudaMemcpy2D_ptds](
        runtime, to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_int,
    ) {
        let kind = CopyKind::from_number(kind)?;
        let (to, from) = (Span::plane(to, to_pitch as u64), Span::plane(from, from_pitch as u64));
        ready(runtime)?.copy_rows(to, from, [width as u64, height as u64, 1], kind)
    }

    "Sets bytes."
    fn [cudaMemset, cudaMemset_ptds](
        runtime, to: u64, value: c_int, bytes: usize,
    ) {
        ready(runtime)?.fill_rows(Span::plane(to, 0), value as u8, [bytes as u64, 1, 1])
    }

    "Sets the bytes of rows."
    fn [cudaMemset2D, cudaMemset2D_ptds](
        runtime, to: u64, pitch: usize, value: c_int, width: usize, height: usize,
    ) {
        ready(runtime)?.fill_rows(Span::plane(to, pitch as u64), value as u8, [width as u64, height as u64, 1])
    }

    "Copies bytes in a stream."
    fn [cudaMemcpyAsync, cudaMemcpyAsync_ptsz](runtime, to: u64, from: u64, bytes: usize, kind: c_int, stream: u64) {
        put_bytes(runtime, stream, to, from, bytes, kind)
    }

    "Copies rows in a stream."
    fn [cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz](
        runtime, to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_int,
        stream: u64,
    ) {
        let kind = CopyKind::from_number(kind)?;
        let (to, from) = (Span::plane(to, to_pitch as u64), Span::plane(from, from_pitch as u64));
        put(runtime, stream, || Work::Copy { to, from, extents: [width as u64, height as u64, 1], kind })
    }

    "Sets bytes in a stream."
    fn [cudaMemsetAsync, cudaMemsetAsync_ptsz](runtime, to: u64, value: c_int, bytes: usize, stream: u64) {
        let (to, element) = (Span::plane(to, 0), vec![value as u8]);
        put(runtime, stream, || Work::Fill { to, element, extents: [bytes as u64, 1, 1] })
    }

    "Sets the bytes of rows in a stream."
    fn [cudaMemset2DAsync, cudaMemset2DAsync_ptsz](
        runtime, to: u64, pitch: usize, value: c_int, width: usize, height: usize, stream: u64,
    ) {
        let (to, element) = (Span::plane(to, pitch as u64), vec![value as u8]);
        put(runtime, stream, || Work::Fill { to, element, extents: [width as u64, height as u64, 1] })
    }

    "Sets the bytes of slices of rows."
    fn [cudaMemset3D, cudaMemset3DAsync, cudaMemset3D_ptds, cudaMemset3DAsync_ptsz](
        runtime, to: PitchedPointer, value: c_int, extent: Extent,
    ) {
        let span = Span {
            address: to.address,
            pitch_bytes: to.pitch_bytes as u64,
            slice_bytes: (to.pitch_bytes * to.height) as u64,
        };
        let extents = [extent.width as u64, extent.height as u64, extent.depth as u64];
        ready(runtime)?.fill_rows(span, value as u8, extents)
    }
}

/// Copies bytes, or records the copy where the stream does so.
pub(super) fn put_bytes(
    runtime: &mut Runtime,
    stream: u64,
    to: u64,
    from: u64,
    bytes: usize,
    kind: c_int,
) -> Result<(), Failure> {
    let kind = CopyKind::from_number(kind)?;
    let (to, from) = (Span::plane(to, 0), Span::plane(from, 0));
    put(runtime, stream, || Work::Copy { to, from, extents: [bytes as u64, 1, 1], kind })
}

/// Does the work, or records it where the stream does so.
pub(super) fn put(runtime: &mut Runtime, stream: u64, work: impl FnOnce() -> Work) -> Result<(), Failure> {
    let work = work();
    let context = ready(runtime)?;
    if context.record(stream, || work.clone()) {
        return Ok(());
    }
    context.perform(&work)
}

/// The device after everything before: a copy waits for kernels.
pub(super) fn ready(runtime: &mut Runtime) -> Result<&mut Context, Failure> {
    let context = runtime.context_after_fault()?;
    context.synchronize()?;
    Ok(context)
}
