//! Any bytes as an `.npz` file: an error, or members inside the file or the spool.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use shrinkwarp_formats::{Spool, npz};

const SPOOL_BYTES: u64 = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let mut spool = Spool::new(SPOOL_BYTES).unwrap();
    let Ok(members) = npz::read(Cursor::new(data), &mut spool) else { return };
    for member in members {
        let limit = if member.is_expanded { SPOOL_BYTES } else { data.len() as u64 };
        assert!(member.offset + member.len <= limit, "{} lies outside", member.name);
    }
});
