//! What a program's start-up code calls, before `main`.
//!
//! A compiler writes a constructor for each source file: it registers a fat binary, then which host address is the handle of
//! which kernel or variable. Nothing is loaded yet.

use std::ffi::{c_char, c_int, c_void};

use crate::error::CudaError;
use crate::failure::Failure;
use crate::fat_binary::{self, HEADER_BYTES, Ptx};
use crate::foreign::{In, host_bytes, text};
use crate::guard::{call, tell};
use crate::runtime::{ManagedSymbol, Symbol, TextureSymbol, VariableSymbol};

/// The functions of this family.
pub const NAMES: &[&str] = &[
    "__cudaRegisterFatBinary",
    "__cudaRegisterFatBinaryEnd",
    "__cudaUnregisterFatBinary",
    "__cudaRegisterFunction",
    "__cudaRegisterVar",
    "__cudaRegisterTexture",
    "__cudaRegisterSurface",
    "__cudaRegisterManagedVar",
    "__cudaRegisterHostVar",
    "__cudaInitModule",
];

/// First word of what a compiler passes to `__cudaRegisterFatBinary`.
const WRAPPER_MAGIC: u32 = 0x4662_43b1;

/// Version of [`Wrapper`] for device code that was linked (`-rdc=true`): the linked fat binary has machine code at most, and
/// the PTX is in the fat binaries of the parts.
const LINKED: u32 = 2;
/// More parts than any program has; a list without an end must not be followed for ever.
const MAX_PARTS: u64 = 1 << 16;

/// What a compiler passes to `__cudaRegisterFatBinary`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Wrapper {
    magic: u32,
    version: u32,
    data: u64,
    /// Where the addresses of the parts are, in version 2; 0 ends them.
    parts: u64,
}

impl Wrapper {
    /// Wraps the fat binary at an address.
    pub fn new(data: u64) -> Self {
        Self { magic: WRAPPER_MAGIC, version: 1, data, parts: 0 }
    }
}

/// Registers a fat binary; the handle is its number, from 1.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinary(wrapper: In<Wrapper>) -> u64 {
    let mut handle = 0;
    call("__cudaRegisterFatBinary", |runtime| {
        handle = runtime.registry.add_module(read(wrapper)) as u64 + 1;
        Ok(())
    });
    handle
}

fn read(wrapper: In<Wrapper>) -> Result<Ptx, Failure> {
    let wrapper = wrapper.get()?;
    if wrapper.magic != WRAPPER_MAGIC {
        let message = format!("{:#x} does not begin the description of a fat binary", wrapper.magic);
        return Err(Failure::new(CudaError::InvalidKernelImage, message));
    }
    let whole = container(wrapper.data)?;
    if wrapper.version == LINKED && wrapper.parts != 0 {
        return Ok(Ptx { registers: fat_binary::read_registers(whole), ..read_parts(wrapper.parts)? });
    }
    Ok(fat_binary::read_ptx(whole)?)
}

fn container<'a>(address: u64) -> Result<&'a [u8], Failure> {
    let header = host_bytes(address, HEADER_BYTES as u64)?;
    host_bytes(address, fat_binary::container_bytes(header)? as u64)
}

/// The PTX of all parts of a linked program, one after the other: the parser links them.
fn read_parts(list: u64) -> Result<Ptx, Failure> {
    let mut linked = Ptx::default();
    let mut without_ptx = None;
    for number in 0..MAX_PARTS {
        let mut pointer = [0; 8];
        pointer.copy_from_slice(host_bytes(list + 8 * number, 8)?);
        let address = u64::from_le_bytes(pointer);
        if address == 0 {
            break;
        }
        match fat_binary::read_ptx(container(address)?) {
            Ok(part) => {
                // NVIDIA's device runtime is there for every architecture: what the program was compiled for, its kernels say.
                if part.text.contains(".entry") {
                    linked.architecture = linked.architecture.max(part.architecture);
                }
                linked.text.push_str(&part.text);
                linked.text.push('\n');
            }
            // A library's machine code: a kernel that uses it says so.
            Err(error) => without_ptx = Some(error),
        }
    }
    match without_ptx {
        Some(error) if linked.text.is_empty() => Err(error.into()),
        _ => Ok(linked),
    }
}

/// Everything of a fat binary has been registered.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_handle: u64) {}

/// The code of a fat binary is about to leave the process.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(handle: u64) {
    call("__cudaUnregisterFatBinary", |runtime| {
        runtime.registry.remove_symbols(module(handle)?);
        Ok(())
    });
}

/// Registers a kernel by the address of its host stub.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFunction(
    handle: u64,
    host: u64,
    _device: In<c_char>,
    name: In<c_char>,
    _thread_limit: c_int,
) {
    register("__cudaRegisterFunction", handle, name, |registry, symbol| registry.add_kernel(host, symbol));
}

/// Registers a variable by the address of its host shadow.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterVar(
    handle: u64,
    host: u64,
    _device: In<c_char>,
    name: In<c_char>,
    _is_external: c_int,
    bytes: usize,
) {
    register("__cudaRegisterVar", handle, name, |registry, symbol| {
        registry.add_variable(host, VariableSymbol { symbol, bytes: bytes as u64 });
    });
}

/// Registers a texture reference by its address on the host.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterTexture(
    handle: u64,
    host: u64,
    _device: In<*const c_void>,
    name: In<c_char>,
    _dimensions: c_int,
    reads_normalised: c_int,
) {
    register("__cudaRegisterTexture", handle, name, |registry, symbol| {
        registry.add_texture(host, TextureSymbol { symbol, reads_normalised: reads_normalised != 0 });
    });
}

/// Registers a surface reference by its address on the host.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterSurface(
    handle: u64,
    host: u64,
    _device: In<*const c_void>,
    name: In<c_char>,
    _dimensions: c_int,
    _is_external: c_int,
) {
    register("__cudaRegisterSurface", handle, name, |registry, symbol| {
        registry.add_texture(host, TextureSymbol { symbol, reads_normalised: false });
    });
}

/// Registers a managed variable by where the host keeps its address.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterManagedVar(
    handle: u64,
    pointer: u64,
    _device: In<c_char>,
    name: In<c_char>,
    _is_external: c_int,
    bytes: usize,
) {
    register("__cudaRegisterManagedVar", handle, name, |registry, symbol| {
        let bytes = bytes as u64;
        registry.add_variable(pointer, VariableSymbol { symbol: symbol.clone(), bytes });
        registry.managed.push(ManagedSymbol { symbol, bytes, pointer });
    });
}

/// Registers a variable of the host that kernels may use: they cannot, and a kernel that tries faults.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterHostVar(_handle: u64, _name: In<c_char>, _address: u64, _bytes: usize) {}

/// A program with managed variables asks whether they are there: they are once its modules are loaded.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaInitModule(_handle: u64) -> c_char {
    call("__cudaInitModule", |runtime| runtime.context().map(drop));
    1
}

/// Adds a symbol. The start-up code ignores what this returns, so a failure is reported at once.
fn register(
    function: &str,
    handle: u64,
    name: In<c_char>,
    add: impl FnOnce(&mut crate::runtime::Registry, Symbol),
) {
    let code = call(function, |runtime| {
        // nvcc 11 names texture references as C++ does, from the outermost scope.
        let name = text(name)?;
        let name = name.strip_prefix("::").unwrap_or(&name).to_owned();
        let symbol = Symbol { module: module(handle)?, name };
        add(&mut runtime.registry, symbol);
        Ok(())
    });
    if code != CudaError::Success as i32 {
        tell(&format!("{function}: a symbol could not be registered"));
    }
}

fn module(handle: u64) -> Result<usize, Failure> {
    Ok(handle.checked_sub(1).ok_or(CudaError::InvalidResourceHandle)? as usize)
}
