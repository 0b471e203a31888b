//! Any bytes as gzip or zstd data: an error or bytes, in bounded memory.
#![no_main]

use std::io::{Read, copy, sink};

use libfuzzer_sys::fuzz_target;
use shrinkwarp_formats::{gzip_reader, zstd_reader};

const LIMIT_BYTES: u64 = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let _ = copy(&mut gzip_reader(data).take(LIMIT_BYTES), &mut sink());
    if let Ok(reader) = zstd_reader(data) {
        let _ = copy(&mut reader.take(LIMIT_BYTES), &mut sink());
    }
});
