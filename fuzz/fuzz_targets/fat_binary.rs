//! Any bytes as a fat binary: PTX or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_cudart::fat_binary::{container_bytes, read_ptx};

fuzz_target!(|data: &[u8]| {
    let _ = container_bytes(data);
    match read_ptx(data) {
        Ok(ptx) => assert!(ptx.text.len() as u64 <= 1 << 31),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
