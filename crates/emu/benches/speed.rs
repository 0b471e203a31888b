//! How many thread instructions per second the emulator executes on one core.
//!
//! `cargo bench -p shrinkwarp-emu`: one line per workload, the floor beside it; then the multiply-adds per second of matrix products.

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
    println!("\n{:<44} {:>14} {:>14}", "product", "multiply-adds", "per second");
    for (spelling, depth) in PRODUCTS {
        let (multiply_adds, best) = measure_product(spelling, depth);
        let rate = multiply_adds as f64 / best.as_secs_f64();
        println!("{spelling:<44} {multiply_adds:>14} {:>12.0} M", rate / 1e6);
    }
}

/// Matrix products and their depth.
const PRODUCTS: [(&str, u64); 4] = [
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16),
    ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16),
    ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8),
    ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32),
];

/// Products in a round of the loop, and rounds.
const PRODUCTS_IN_ROUND: u64 = 8;
const ROUNDS: u64 = 250;

/// A warp multiplies the same fragments again and again, into four sums in turn.
fn measure_product(spelling: &str, depth: u64) -> (u64, Duration) {
    let sum = if spelling.contains(".s32") { "b32" } else { "f32" };
    let product = |index: u64| {
        let sums: Vec<String> = (0..4).map(|part| format!("%s{}", 4 * (index % 4) + part)).collect();
        let sums = sums.join(", ");
        format!("{spelling} {{{sums}}}, {{%a0, %a1, %a2, %a3}}, {{%b0, %b1}}, {{{sums}}};\n")
    };
    let products: String = (0..PRODUCTS_IN_ROUND).map(product).collect();
    let ptx = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n\
         .reg .b32 %a<4>;\n.reg .b32 %b<2>;\n.reg .{sum} %s<16>;\n.reg .b32 %n;\n.reg .pred %p;\n\
         mov.u32 %a0, %tid.x;\nmov.u32 %n, {ROUNDS};\nLOOP:\n{products}sub.u32 %n, %n, 1;\n\
         setp.ne.u32 %p, %n, 0;\n@%p bra LOOP;\nret;\n}}\n"
    );
    let mut device = Functional::on_one_core();
    let module = device.load_module(&ptx).unwrap();
    let launch = Launch::new([1; 3], [32, 1, 1], Vec::new());
    let mut best = Duration::MAX;
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        device.launch(&module.kernels["k"], &launch).unwrap();
        best = best.min(start.elapsed());
    }
    (ROUNDS * PRODUCTS_IN_ROUND * 16 * 8 * depth, best)
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
