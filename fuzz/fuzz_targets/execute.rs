//! Any text as a module to run: each kernel that loads ends, or stops with a fault that can be told.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_emu::device::{Device, DeviceError};
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::launch::Launch;

/// Enough for every instruction of a kernel a few times.
const MAX_THREAD_INSTRUCTIONS: u64 = 20_000;
/// One buffer that all 64-bit parameters point to.
const BUFFER_BYTES: u64 = 4096;

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    let mut device = Functional::on_one_core();
    let buffer = device.alloc(BUFFER_BYTES).unwrap();
    let Ok(module) = device.load_module(source) else { return };
    for kernel in module.kernels.values() {
        let mut parameters = vec![0; kernel.parameter_bytes as usize];
        for parameter in kernel.parameters.iter().filter(|parameter| parameter.bytes == 8) {
            let at = parameter.offset as usize;
            parameters[at..at + 8].copy_from_slice(&buffer.to_le_bytes());
        }
        let launch = Launch {
            dynamic_shared_bytes: 256,
            max_thread_instructions: Some(MAX_THREAD_INSTRUCTIONS),
            ..Launch::new([2, 1, 1], [24, 2, 1], parameters)
        };
        match device.launch(kernel, &launch) {
            Ok(report) => assert!(report.thread_instructions <= MAX_THREAD_INSTRUCTIONS),
            Err(DeviceError::Fault(fault)) => assert!(!fault.to_string().is_empty()),
            Err(_) => {}
        }
    }
});
