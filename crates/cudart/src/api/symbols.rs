//! `__device__` and `__constant__` variables, by the address of their shadow on the host.

use std::ffi::c_int;

use shrinkwarp_emu::memory::CONSTANT_WINDOW;

use super::copies::{put_bytes, ready};
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::Out;
use crate::runtime::{CopyKind, Runtime, Symbol};

api! {
    "Copies to a variable."
    fn [cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds](
        runtime, symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_int,
    ) {
        let to = inside(runtime, symbol, bytes, offset)?;
        ready(runtime)?.copy(to, from, bytes as u64, CopyKind::from_number(kind)?)
    }

    "Copies from a variable."
    fn [cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds](
        runtime, to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_int,
    ) {
        let from = inside(runtime, symbol, bytes, offset)?;
        ready(runtime)?.copy(to, from, bytes as u64, CopyKind::from_number(kind)?)
    }

    "Copies to a variable in a stream."
    fn [cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz](
        runtime, symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_int, stream: u64,
    ) {
        let to = inside(runtime, symbol, bytes, offset)?;
        put_bytes(runtime, stream, to, from, bytes, kind)
    }

    "Copies from a variable in a stream."
    fn [cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz](
        runtime, to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_int, stream: u64,
    ) {
        let from = inside(runtime, symbol, bytes, offset)?;
        put_bytes(runtime, stream, to, from, bytes, kind)
    }

    "The address of a variable."
    fn [cudaGetSymbolAddress](runtime, address: Out<u64>, symbol: u64) {
        address.set(place(runtime, symbol)?.0)
    }

    "The size of a variable in bytes."
    fn [cudaGetSymbolSize](runtime, bytes: Out<usize>, symbol: u64) {
        let variable = runtime.registry.variable(symbol).ok_or(CudaError::InvalidSymbol)?;
        bytes.set(variable.bytes as usize)
    }
}

/// Generic address and size of a variable.
fn place(runtime: &mut Runtime, symbol: u64) -> Result<(u64, u64), Failure> {
    let registered = runtime.registry.variable(symbol).ok_or(CudaError::InvalidSymbol)?.symbol.clone();
    place_of(runtime, &registered)
}

/// The same by name.
pub(super) fn place_of(runtime: &mut Runtime, symbol: &Symbol) -> Result<(u64, u64), Failure> {
    let variable = runtime.context()?.modules.variable(symbol)?;
    let window = if variable.is_constant { CONSTANT_WINDOW } else { 0 };
    Ok((window + variable.address, variable.bytes))
}

/// The address of an offset in a variable with at least that number of bytes behind it.
pub(super) fn inside(
    runtime: &mut Runtime,
    symbol: u64,
    bytes: usize,
    offset: usize,
) -> Result<u64, Failure> {
    let (address, variable_bytes) = place(runtime, symbol)?;
    match offset.checked_add(bytes) {
        Some(end) if end as u64 <= variable_bytes => Ok(address + offset as u64),
        _ => {
            let message = format!("{bytes} bytes at offset {offset} of a variable of {variable_bytes} bytes");
            Err(Failure::new(CudaError::InvalidValue, message))
        }
    }
}
