//! `__device__` and `__constant__` variables, by the address of their shadow on the host.

use std::ffi::c_int;

use shrinkwarp_emu::memory::CONSTANT_WINDOW;

use super::copies::ready;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::Out;
use crate::runtime::{CopyKind, Runtime, Symbol};

api! {
    "Copies to a variable."
    fn [cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync, cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbolAsync_ptsz](
        runtime, symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_int,
    ) {
        let to = inside(runtime, symbol, bytes, offset)?;
        ready(runtime)?.copy(to, from, bytes as u64, CopyKind::from_number(kind)?)
    }

    "Copies from a variable."
    fn [cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbolAsync_ptsz](
        runtime, to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_int,
    ) {
        let from = inside(runtime, symbol, bytes, offset)?;
        ready(runtime)?.copy(to, from, bytes as u64, CopyKind::from_number(kind)?)
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

fn inside(runtime: &mut Runtime, symbol: u64, bytes: usize, offset: usize) -> Result<u64, Failure> {
    let (address, variable_bytes) = place(runtime, symbol)?;
    match offset.checked_add(bytes) {
        Some(end) if end as u64 <= variable_bytes => Ok(address + offset as u64),
        _ => {
            let message = format!("{bytes} bytes at offset {offset} of a variable of {variable_bytes} bytes");
            Err(Failure::new(CudaError::InvalidValue, message))
        }
    }
}
