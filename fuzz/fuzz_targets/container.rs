//! Any bytes as a container: an error or the original.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_formats::container::Reader;

fuzz_target!(|data: &[u8]| {
    let mut original = Vec::new();
    if let Ok(length) = Reader::open(data).and_then(|reader| reader.decode(&mut original, &|_| {})) {
        assert_eq!(length, original.len() as u64);
    }
});
