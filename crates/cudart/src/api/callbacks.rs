//! Functions of the host in a stream: called when the work before them is done, which is now. The runtime is not held
//! meanwhile, so that they may call it.

use std::ffi::{c_int, c_uint};

use super::streams::known;
use crate::error::CudaError;
use crate::guard::call;
use crate::runtime::Work;

/// The functions of this family.
pub const NAMES: &[&str] =
    &["cudaLaunchHostFunc", "cudaLaunchHostFunc_ptsz", "cudaStreamAddCallback", "cudaStreamAddCallback_ptsz"];

pub use crate::runtime::HostFunction;
/// A function of the host that is told how the stream fares.
pub type StreamCallback = extern "C" fn(stream: u64, status: c_int, data: u64);

/// Calls a function.
#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc(stream: u64, function: Option<HostFunction>, data: u64) -> c_int {
    let mut is_recorded = false;
    let code = call("cudaLaunchHostFunc", |runtime| {
        let context = known(runtime, stream)?;
        let function = function.ok_or(CudaError::InvalidValue)?;
        is_recorded = context.record(stream, || Work::Host(function, data));
        context.synchronize()
    });
    if let (0, false, Some(function)) = (code, is_recorded, function) {
        function(data);
    }
    code
}

/// Calls a function with the state of its stream.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAddCallback(
    stream: u64,
    callback: Option<StreamCallback>,
    data: u64,
    _flags: c_uint,
) -> c_int {
    let mut status = 0;
    let code = call("cudaStreamAddCallback", |runtime| {
        callback.ok_or(CudaError::InvalidValue)?;
        let context = known(runtime, stream)?;
        context.flush_printed();
        status = context.fault.map_or(0, |code| code as c_int);
        Ok(())
    });
    if let (0, Some(callback)) = (code, callback) {
        callback(stream, status, data);
    }
    code
}

/// The same for programs whose default stream is the thread's.
#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc_ptsz(stream: u64, function: Option<HostFunction>, data: u64) -> c_int {
    cudaLaunchHostFunc(stream, function, data)
}

/// The same for programs whose default stream is the thread's.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAddCallback_ptsz(
    stream: u64,
    callback: Option<StreamCallback>,
    data: u64,
    flags: c_uint,
) -> c_int {
    cudaStreamAddCallback(stream, callback, data, flags)
}
