//! SMs on several threads: is everything as it is on one?
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_sim::config::{self, load_scheme};
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::run::RunOptions;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_sim::threads::Threads;
use shrinkwarp_workloads::{Scale, Setup, WORKLOADS, Workload, find};

/// More threads than SMs would help, too few to help, and a number that does not divide the SMs.
const THREADS: [usize; 3] = [2, 3, 8];

fn gpu(scheme: &str, threads: usize) -> Gpu {
    let scheme = Scheme::build(load_scheme(scheme, &[]).unwrap(), &Tables::new(), false).unwrap();
    let mut gpu = Gpu::with_scheme(config::load("gtx480", &[]).unwrap(), scheme);
    gpu.set_threads(Threads::always(threads));
    gpu
}

/// Runs a workload, which checks its result.
fn run(workload: &'static Workload, scheme: &str, threads: usize) -> MachineCounters {
    let mut gpu = gpu(scheme, threads);
    workload.execute_with(&mut gpu, Setup::usual(Scale::Tiny, 1)).unwrap();
    gpu.machine_counters()
}

/// Races, atomics, barriers, shared and local memory, textures, many short launches and long loops.
const PROGRAMS: [&str; 8] =
    ["bfs", "bfs-worklist", "histogram", "kmeans", "mummer", "particle-filter", "reduction", "sgemm"];

#[test]
fn a_workload_counts_the_same_with_any_number_of_threads() {
    for program in PROGRAMS {
        let workload = find(program).unwrap();
        let alone = run(workload, "none", 1);
        for threads in THREADS {
            assert_eq!(run(workload, "none", threads), alone, "{program} with {threads} threads");
        }
    }
}

#[test]
fn every_workload_counts_the_same_with_several_threads() {
    let others = WORKLOADS.iter().filter(|workload| !PROGRAMS.contains(&workload.name));
    for (workload, threads) in others.zip(THREADS.into_iter().cycle()) {
        let several = run(workload, "none", threads);
        assert_eq!(several, run(workload, "none", 1), "{} with {threads} threads", workload.name);
    }
}

#[test]
fn so_does_every_kind_of_scheme() {
    for scheme in ["latte", "adaptive-cmp", "static-sc", "bdi-everywhere", "bpc-link-packed", "e2mc16-online"]
    {
        for program in ["bfs", "kmeans"] {
            let workload = find(program).unwrap();
            let alone = run(workload, scheme, 1);
            assert_eq!(run(workload, scheme, 3), alone, "{program} with {scheme}");
        }
    }
}

/// Each thread block adds its number to a word that all share without an atomic, and then reads beyond the end
/// if its number is large. Which fault comes first, and what was added before it, depends on the order of the SMs.
const FAILING: &str = "
.version 6.0
.target sm_35
.address_size 64

.visible .entry overrun(.param .u64 data)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %ctaid.x;
    ld.global.u32 %r2, [%rd1];
    add.s32 %r3, %r2, %r1;
    st.global.u32 [%rd1], %r3;
    setp.gt.u32 %p1, %r1, 20;
    mul.wide.u32 %rd2, %r1, 4096;
    add.s64 %rd3, %rd1, %rd2;
    @%p1 ld.global.u32 %r4, [%rd3];
    ret;
}
";

#[test]
fn the_same_fault_ends_a_launch_and_leaves_the_same_memory() {
    let outcome = |threads| {
        let mut gpu = gpu("none", threads);
        let data = gpu.alloc(4096).unwrap();
        let kernel = Arc::clone(&gpu.load_module(FAILING).unwrap().kernels["overrun"]);
        let launch = Launch::new([64, 1, 1], [64, 1, 1], data.to_le_bytes().to_vec());
        let error = gpu.launch_watched(&kernel, &launch, &mut RunOptions::default()).unwrap_err();
        let mut word = [0; 4];
        gpu.memory().copy_out(data, &mut word).unwrap();
        (error.to_string(), word)
    };
    let alone = outcome(1);
    for threads in THREADS {
        for _ in 0..5 {
            assert_eq!(outcome(threads), alone, "{threads} threads");
        }
    }
}
