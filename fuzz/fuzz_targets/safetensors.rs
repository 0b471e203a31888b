//! Any bytes as a `.safetensors` file: an error, or tensors inside the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_formats::safetensors;

fuzz_target!(|data: &[u8]| {
    let Ok(entries) = safetensors::read(&mut &*data, data.len() as u64) else { return };
    for entry in entries {
        assert!(entry.offset + entry.len <= data.len() as u64, "{} lies outside", entry.name);
    }
});
