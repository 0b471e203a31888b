//! Events: moments of simulated time. Kernels take it; copies and the host take none.

use std::ffi::c_uint;

use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::Out;
use crate::runtime::Work;

api! {
    "A new event."
    fn [cudaEventCreate](runtime, event: Out<u64>) {
        event.set(runtime.context()?.events.add(None))
    }

    "A new event with flags; none of them matters here."
    fn [cudaEventCreateWithFlags](runtime, event: Out<u64>, _flags: c_uint) {
        event.set(runtime.context()?.events.add(None))
    }

    "Destroys an event."
    fn [cudaEventDestroy](runtime, event: u64) {
        runtime.context()?.events.remove(event).map(drop)
    }

    "Records an event."
    fn [cudaEventRecord, cudaEventRecord_ptsz, cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz](runtime, event: u64, stream: u64) {
        let context = runtime.context()?;
        context.events.get(event)?;
        if context.record(stream, || Work::Event(event)) {
            return Ok(());
        }
        *context.events.get_mut(event)? = Some(context.cycles);
        Ok(())
    }

    "Waits for an event: all work before it is already done."
    fn [cudaEventSynchronize, cudaEventQuery](runtime, event: u64) {
        let context = runtime.context_after_fault()?;
        context.events.get(event)?;
        context.synchronize()
    }

    "Simulated milliseconds between two events."
    fn [cudaEventElapsedTime, cudaEventElapsedTime_v2](runtime, milliseconds: Out<f32>, start: u64, end: u64) {
        let context = runtime.context()?;
        let recorded = |event: u64| -> Result<u64, Failure> {
            Ok(context.events.get(event)?.ok_or(CudaError::InvalidResourceHandle)?)
        };
        let (start, end) = (recorded(start)?, recorded(end)?);
        milliseconds.set((context.milliseconds(end) - context.milliseconds(start)) as f32)
    }
}
