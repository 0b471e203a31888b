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
        let ptx = Ptx::new(70, MODULE.to_owned());
        let binary = write(&[ptx], Packing::Zstd).unwrap().leak();
        let handle = __cudaRegisterFatBinary(In::from(&Wrapper::new(binary.as_ptr() as u64)));
        for (host, name) in [
            (SCALE_AND_ADD, c"scale_and_add"),
            (STORE_AT, c"store_at"),
            (NOT_IN_THE_MODULE, c"not_in_the_module"),
            (APPEND, c"append"),
            (PARENT, c"parent"),
        ] {
            __cudaRegisterFunction(handle, host, text(name), text(name), -1);
        }
        for (host, name) in [(FACTOR, c"factor"), (STORES, c"stores")] {
            __cudaRegisterVar(handle, host, text(name), text(name), 0, 4);
        }
    });
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
