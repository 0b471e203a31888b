//! Does a kernel take the same cycles as through the simulator's own interface? In a process of its own, since caches
//! remember what ran before.
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::ffi::c_void;

use common::{MODULE, SCALE_AND_ADD, launch, register};
use shrinkwarp_cudart::api::events::{cudaEventCreate, cudaEventElapsedTime, cudaEventRecord};
use shrinkwarp_cudart::api::memory::cudaMalloc;
use shrinkwarp_cudart::foreign::Out;
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_sim::gpu::Gpu;

const COUNT: u32 = 3000;
const BYTES: usize = 4 * COUNT as usize;
const LAUNCHES: usize = 2;

/// Simulated milliseconds of each launch, through the runtime.
fn by_runtime() -> Vec<f32> {
    register();
    let [mut a, mut b, mut sum, mut start, mut end] = [0_u64; 5];
    for address in [&mut a, &mut b, &mut sum] {
        assert_eq!(cudaMalloc(Out::from(address), BYTES), 0);
    }
    assert_eq!((cudaEventCreate(Out::from(&mut start)), cudaEventCreate(Out::from(&mut end))), (0, 0));
    let count = COUNT;
    let arguments: [*const c_void; 4] =
        [(&raw const a).cast(), (&raw const b).cast(), (&raw const sum).cast(), (&raw const count).cast()];
    let time_launch = |_| {
        assert_eq!(cudaEventRecord(start, 0), 0);
        assert_eq!(launch(SCALE_AND_ADD, COUNT.div_ceil(64), 64, &arguments), 0);
        assert_eq!(cudaEventRecord(end, 0), 0);
        let mut milliseconds = 0.0;
        assert_eq!(cudaEventElapsedTime(Out::from(&mut milliseconds), start, end), 0);
        milliseconds
    };
    (0..LAUNCHES).map(time_launch).collect()
}

/// Core cycles of each launch, through the simulator.
fn by_simulator() -> Vec<u64> {
    let mut gpu = Gpu::new(shrinkwarp_sim::config::load("gtx480", &[]).unwrap());
    let module = gpu.load_module(MODULE).unwrap();
    let mut parameters: Vec<u8> = Vec::new();
    for _ in 0..3 {
        parameters.extend(gpu.alloc(BYTES as u64).unwrap().to_le_bytes());
    }
    parameters.extend(COUNT.to_le_bytes());
    let launch = Launch::new([COUNT.div_ceil(64), 1, 1], [64, 1, 1], parameters);
    (0..LAUNCHES)
        .map(|_| gpu.launch(&module.kernels["scale_and_add"], &launch).unwrap().cycles.unwrap())
        .collect()
}

#[test]
fn a_launch_takes_exactly_the_cycles_that_the_simulator_gives_it() {
    // 700 MHz: core cycles per millisecond.
    let cycles: Vec<u64> =
        by_runtime().iter().map(|milliseconds| (milliseconds * 700e3).round() as u64).collect();
    assert_eq!(cycles, by_simulator());
}
