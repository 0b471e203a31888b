//! How many thread instructions per second the emulator executes on one core.
//!
//! `cargo bench -p shrinkwarp-emu`: one line per workload, the floor beside it.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints its result")]

use std::time::{Duration, Instant};

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::launch::{Dim3, Launch};

/// The calibration kernels.
const PTX: &str = include_str!("../../../reference/calibration.ptx");

/// Repetitions; the best counts, as noise only ever slows down.
const REPETITIONS: usize = 5;

struct Workload {
    kernel: &'static str,
    grid: Dim3,
    block: Dim3,
    floats: Vec<f32>,
    words: Vec<u32>,
    buffers: usize,
    buffer_bytes: u64,
    floor_per_second: f64,
}

fn main() {
    let workloads = [
        Workload {
            kernel: "fma_wide",
            grid: [60, 1, 1],
            block: [256, 1, 1],
            floats: vec![0.999, 0.001],
            words: vec![1000],
            buffers: 1,
            buffer_bytes: 15_360 * 4,
            floor_per_second: 400e6,
        },
        Workload {
            kernel: "stencil5",
            grid: [64, 256, 1],
            block: [32, 8, 1],
            floats: vec![],
            words: vec![2048, 2048],
            buffers: 2,
            buffer_bytes: 2048 * 2048 * 4,
            floor_per_second: 100e6,
        },
        Workload {
            kernel: "matmul_tiled",
            grid: [16, 16, 1],
            block: [16, 16, 1],
            floats: vec![],
            words: vec![256],
            buffers: 3,
            buffer_bytes: 256 * 256 * 4,
            floor_per_second: 100e6,
        },
    ];
    println!("{:<14} {:>14} {:>14} {:>10}", "kernel", "instructions", "per second", "floor");
    for workload in workloads {
        let (instructions, best) = measure(&workload);
        let rate = instructions as f64 / best.as_secs_f64();
        let verdict = if rate >= workload.floor_per_second { "ok" } else { "below" };
        println!(
            "{:<14} {instructions:>14} {:>12.0} M {:>8.0} M {verdict}",
            workload.kernel,
            rate / 1e6,
            workload.floor_per_second / 1e6
        );
    }
}

fn measure(workload: &Workload) -> (u64, Duration) {
    let mut device = Functional::on_one_core();
    let mut parameters = Vec::new();
    for _ in 0..workload.buffers {
        parameters.extend(device.alloc(workload.buffer_bytes).unwrap().to_le_bytes());
    }
    parameters.extend(workload.floats.iter().flat_map(|value| value.to_le_bytes()));
    parameters.extend(workload.words.iter().flat_map(|value| value.to_le_bytes()));
    let module = device.load_module(PTX).unwrap();
    let kernel = &module.kernels[workload.kernel];
    let launch = Launch::new(workload.grid, workload.block, parameters);
    let mut best = Duration::MAX;
    let mut instructions = 0;
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        instructions = device.launch(kernel, &launch).unwrap().thread_instructions;
        best = best.min(start.elapsed());
    }
    (instructions, best)
}
