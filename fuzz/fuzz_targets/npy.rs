//! Any bytes as an `.npy` file: an error, or a header that fits the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_formats::{Dtype, npy::Header};

fuzz_target!(|data: &[u8]| {
    if let Ok(header) = Header::read(&mut &*data, data.len() as u64, Some(Dtype::Bf16)) {
        assert_eq!(header.data_offset + header.data_len, data.len() as u64);
    }
});
