//! Any text as a module to load: mistakes, refusals with a line of the text, or kernels whose tables fit each other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_emu::device::{Device, DeviceError};
use shrinkwarp_emu::functional::Functional;

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    match Functional::on_one_core().load_module(source) {
        Ok(module) => {
            for kernel in module.kernels.values() {
                assert!(!kernel.signature().is_empty());
                // Constants that need a register come on top of the kernel's own.
                assert!(kernel.registers.on(70) <= 64 + 4 * kernel.code.len() as u32);
            }
        }
        Err(DeviceError::Load(refusals)) => {
            let lines = source.lines().count() as u32;
            assert!(!refusals.is_empty());
            assert!(refusals.iter().all(|refusal| refusal.line <= lines.max(1)));
        }
        Err(_) => {}
    }
});
