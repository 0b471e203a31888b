//! Any text as a launch file of a known module: mistakes inside the text, or launches that fit their kernels.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_launchfile::{LaunchFile, prepare};
use shrinkwarp_report::excerpt::{Mistake, render};

const MODULE: &str = include_str!("../../crates/cli/tests/launch/kernels.ptx");

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    let show = |mistake: Mistake| assert!(!render("launch.toml", source, &[mistake], false).is_empty());
    let file = match LaunchFile::parse(source) {
        Ok(file) => file,
        Err(mistake) => return show(mistake),
    };
    // Files of the host are other targets' subject.
    if file.buffers.iter().any(|buffer| buffer.file.is_some()) {
        return;
    }
    let mut device = Functional::on_one_core();
    let module = device.load_module(MODULE).unwrap();
    match prepare(&file, Path::new("."), None, &module, &mut device) {
        Ok(prepared) => {
            for (_, kernel, launch) in prepared.launches {
                assert_eq!(launch.parameters.len(), kernel.parameter_bytes as usize);
            }
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty());
            mistakes.into_iter().for_each(show);
        }
    }
});
