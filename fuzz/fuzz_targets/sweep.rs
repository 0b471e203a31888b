//! Any text as a sweep file: a mistake that can be shown, or a bounded number of runs with identities.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_lab::sweep::{SweepFile, expand};

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    // Files of the host are other targets' subject.
    if source.contains(['/', '\\']) || source.contains(".toml") {
        return;
    }
    match SweepFile::parse(source) {
        Err(message) => assert!(!message.is_empty()),
        Ok(sweep) => {
            for run in expand(&sweep).unwrap_or_default().iter().take(4) {
                assert_eq!(run.identity().unwrap().as_str().len(), 64);
            }
        }
    }
});
