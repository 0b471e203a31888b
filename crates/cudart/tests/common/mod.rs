//! A module for the runtime, registered as a compiler's start-up code does it.
#![allow(dead_code, clippy::unwrap_used, reason = "each test program uses what it needs of this module")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::Once;

use shrinkwarp_cudart::api::launch::{Extents, cudaLaunchKernel};
use shrinkwarp_cudart::api::registration::{
    __cudaRegisterFatBinary, __cudaRegisterFunction, __cudaRegisterVar, Wrapper,
};
use shrinkwarp_cudart::fat_binary::{Packing, Ptx, write};
use shrinkwarp_cudart::foreign::In;

pub const MODULE: &str = include_str!("module.ptx");

/// Kernels that launch kernels, which the simulator alone refuses.
const CHILDREN: &str = include_str!("children.ptx");

/// Host addresses of the module's symbols.
pub const SCALE_AND_ADD: u64 = 0x1001;
pub const STORE_AT: u64 = 0x1002;
pub const NOT_IN_THE_MODULE: u64 = 0x1003;
pub const APPEND: u64 = 0x1004;
pub const PARENT: u64 = 0x1005;
pub const FACTOR: u64 = 0x2001;
pub const STORES: u64 = 0x2002;

/// Registers the module, once in a process.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let kernels = [
            (SCALE_AND_ADD, c"scale_and_add"),
            (STORE_AT, c"store_at"),
            (NOT_IN_THE_MODULE, c"not_in_the_module"),
        ];
        let handle = register_module(MODULE, &kernels);
        for (host, name) in [(FACTOR, c"factor"), (STORES, c"stores")] {
            __cudaRegisterVar(handle, host, text(name), text(name), 0, 4);
        }
    });
}

/// Registers the kernels that launch kernels.
pub fn register_children() {
    register_module(CHILDREN, &[(APPEND, c"append"), (PARENT, c"parent")]);
}

/// Registers kernels of a module under their host addresses.
fn register_module(ptx: &str, kernels: &[(u64, &'static CStr)]) -> u64 {
    let binary = write(&[Ptx::new(70, ptx.to_owned())], Packing::Zstd).unwrap().leak();
    let handle = __cudaRegisterFatBinary(In::from(&Wrapper::new(binary.as_ptr() as u64)));
    for (host, name) in kernels {
        __cudaRegisterFunction(handle, *host, text(name), text(name), -1);
    }
    handle
}

fn text(name: &'static CStr) -> In<c_char> {
    // SAFETY: a C string has at least its NUL.
    In::from(unsafe { &*name.as_ptr() })
}

/// Launches in one dimension.
pub fn launch(kernel: u64, blocks: u32, threads: u32, arguments: &[*const c_void]) -> i32 {
    let extents = |x: u32| Extents { x, y: 1, z: 1 };
    let none: *const c_void = std::ptr::null();
    let first = arguments.first().unwrap_or(&none);
    cudaLaunchKernel(kernel, extents(blocks), extents(threads), In::from(first), 0, 0)
}
