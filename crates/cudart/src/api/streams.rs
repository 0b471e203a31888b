//! Streams: work is done at the call, so a stream is always empty.

use std::ffi::{c_int, c_uint};

use crate::failure::Failure;
use crate::foreign::Out;
use crate::runtime::{Context, Runtime};

/// Handles below are the default streams: 0, the legacy one and the thread's own.
const FIRST_OWN_STREAM: u64 = 3;

api! {
    "A new stream."
    fn [cudaStreamCreate](runtime, stream: Out<u64>) {
        stream.set(runtime.context()?.streams.add((0, 0)))
    }

    "A new stream with flags and perhaps a priority."
    fn [cudaStreamCreateWithFlags](runtime, stream: Out<u64>, flags: c_uint) {
        stream.set(runtime.context()?.streams.add((flags, 0)))
    }

    "A new stream with flags and a priority."
    fn [cudaStreamCreateWithPriority](runtime, stream: Out<u64>, flags: c_uint, priority: c_int) {
        stream.set(runtime.context()?.streams.add((flags, priority)))
    }

    "Ends a stream."
    fn [cudaStreamDestroy](runtime, stream: u64) {
        runtime.context()?.streams.remove(stream).map(drop)
    }

    "Waits for a stream."
    fn [cudaStreamSynchronize, cudaStreamSynchronize_ptsz, cudaStreamQuery, cudaStreamQuery_ptsz](runtime, stream: u64) {
        known(runtime, stream)?.synchronize()
    }

    "Makes a stream wait for an event: all work before it is already done."
    fn [cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz](runtime, stream: u64, event: u64, _flags: c_uint) {
        known(runtime, stream)?.events.get(event).map(drop)
    }

    "The flags of a stream."
    fn [cudaStreamGetFlags, cudaStreamGetFlags_ptsz](runtime, stream: u64, flags: Out<c_uint>) {
        let context = known(runtime, stream)?;
        flags.set(context.streams.get(stream).map_or(0, |stream| stream.0))
    }

    "The priority of a stream."
    fn [cudaStreamGetPriority, cudaStreamGetPriority_ptsz](runtime, stream: u64, priority: Out<c_int>) {
        let context = known(runtime, stream)?;
        priority.set(context.streams.get(stream).map_or(0, |stream| stream.1))
    }

    "A number of a stream of its own, and its device."
    fn [cudaStreamGetId, cudaStreamGetId_ptsz](runtime, stream: u64, id: Out<u64>) {
        known(runtime, stream)?;
        id.set(stream)
    }

    "The device of a stream."
    fn [cudaStreamGetDevice, cudaStreamGetDevice_ptsz](runtime, stream: u64, device: Out<c_int>) {
        known(runtime, stream)?;
        device.set(0)
    }

    "Preferences of a stream for caches, ignored."
    fn [cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz, cudaStreamCopyAttributes, cudaStreamCopyAttributes_ptsz](runtime, stream: u64)
    {
        known(runtime, stream).map(drop)
    }

    "An attribute of a stream: as it was made."
    fn [cudaStreamGetAttribute, cudaStreamGetAttribute_ptsz](runtime, stream: u64, _attribute: c_int, value: u64) {
        const VALUE_BYTES: u64 = 64;
        known(runtime, stream)?;
        crate::foreign::host_bytes_mut(value, VALUE_BYTES).map(|bytes| bytes.fill(0))
    }

    "Lowest and highest priority."
    fn [cudaDeviceGetStreamPriorityRange](_runtime, least: Out<c_int>, greatest: Out<c_int>) {
        least.set_if_wanted(0);
        greatest.set_if_wanted(0);
        Ok(())
    }
}

/// The device, if the stream exists.
pub(super) fn known(runtime: &mut Runtime, stream: u64) -> Result<&mut Context, Failure> {
    let context = runtime.context_after_fault()?;
    if stream >= FIRST_OWN_STREAM {
        context.streams.get(stream)?;
    }
    Ok(context)
}
