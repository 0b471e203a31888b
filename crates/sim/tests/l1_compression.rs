//! Compressed L1 data caches in the whole machine: do programs compute the same, and is a cache that compresses
//! nothing the plain one?
#![expect(clippy::unwrap_used, reason = "tests")]

mod never_smaller;

use std::sync::Arc;

use never_smaller::NeverSmaller;
use shrinkwarp_sim::CodecUnitSpec;
use shrinkwarp_sim::config::{self, load_scheme};
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_sim::{CodecCosts, Cycles};
use shrinkwarp_workloads::{Scale, find};

/// Reused lines, integers and floats, local memory, several kernels.
const PROGRAMS: [&str; 4] = ["bfs", "kmeans", "particle-filter", "similarity-score"];

const POLICIES: [&str; 8] = [
    "static-bdi",
    "static-sc",
    "static-bpc",
    "latte",
    "latte-bdi-bpc",
    "adaptive-hit-count",
    "adaptive-cmp",
    "kernel-opt",
];

fn scheme(name: &str, overrides: &[&str]) -> Scheme {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    Scheme::build(load_scheme(name, &overrides).unwrap(), &Tables::new(), true).unwrap()
}

/// Runs a program, which checks its own result.
fn run(program: &str, scheme: Scheme) -> (Gpu, MachineCounters) {
    run_with_l1(program, 16, scheme)
}

fn run_with_l1(program: &str, l1_kib: usize, scheme: Scheme) -> (Gpu, MachineCounters) {
    let spec = config::load("latte-fermi", &[format!("l1.size_kib={l1_kib}")]).unwrap();
    let mut gpu = Gpu::with_scheme(spec, scheme);
    find(program).unwrap().execute(&mut gpu, Scale::Tiny, 1, None).unwrap();
    let counters = gpu.machine_counters();
    (gpu, counters)
}

#[test]
fn programs_compute_the_same_under_every_policy_and_every_block_comes_back() {
    for program in PROGRAMS {
        for policy in POLICIES {
            let (_, counters) = run(program, scheme(policy, &[]));
            let l1 = &counters.compression.l1;
            let codecs = l1.modes.iter().map(|mode| &mode.codec);
            let (compressed, verified) = codecs.fold((0, 0), |(compressed, verified), codec| {
                (compressed + codec.compressions - codec.raw_blocks, verified + codec.verified_blocks)
            });
            assert_eq!(compressed, verified, "{program}, {policy}");
            assert_eq!(l1.unkept_blocks, 0, "{program}, {policy}: whole lines are reserved");
        }
    }
}

#[test]
fn plain_capacity_without_latency_is_the_plain_cache() {
    let (_, mut plain) = run("kmeans", Scheme::none());
    let overrides = ["l1.capacity=plain", "l1.decompress_cycles=0"];
    let (_, counters) = run("kmeans", scheme("static-bdi", &overrides));
    plain.compression = counters.compression.clone();
    assert_eq!(counters, plain);
}

#[test]
fn a_cache_that_compresses_nothing_is_the_plain_one() {
    let costs =
        CodecCosts { cycles: Cycles { compress: 0, decompress: 0 }, compress_pj: 0, decompress_pj: 0 };
    for program in PROGRAMS {
        let (_, mut plain) = run(program, Scheme::none());
        for policy in ["static-bdi", "latte-bdi-bpc"] {
            let mut idle = scheme(policy, &["l1.phase_accesses=64"]);
            for unit in &mut idle.l1.as_mut().unwrap().codecs {
                let codec = Arc::new(NeverSmaller);
                *unit = CodecUnitSpec { codec, costs, ..unit.clone() };
            }
            let (_, counters) = run(program, idle);
            assert!(counters.compression.l1.phases > 0, "{program} is long enough to change modes");
            plain.compression = counters.compression.clone();
            assert_eq!(counters, plain, "{program}, {policy}");
        }
    }
}

#[test]
fn decisions_are_recorded_for_every_sm_and_equal_runs_decide_equally() {
    let small_phases = ["l1.phase_accesses=32"];
    let (gpu, counters) = run("bfs", scheme("latte", &small_phases));
    let records: Vec<_> = gpu.l1_records().cloned().collect();
    assert_eq!(records.len(), 15);
    assert_eq!(records[0].modes, ["none", "bdi", "sc"]);
    let phases: usize = records.iter().map(|record| record.phases.len()).sum();
    assert_eq!(phases as u64, counters.compression.l1.phases);
    let chosen = records.iter().flat_map(|record| &record.phases);
    assert!(chosen.clone().any(|phase| phase.amat_cycles[0].is_some()), "estimates are kept");
    assert!(chosen.clone().all(|phase| (0.0..=4.0).contains(&phase.effective_capacity)));
    let (again, _) = run("bfs", scheme("latte", &small_phases));
    assert!(again.l1_records().eq(&records));
}

#[test]
fn compressed_lines_hold_more_than_the_cache() {
    let (gpu, counters) = run_with_l1("bfs", 2, scheme("static-bdi", &["l1.phase_accesses=32"]));
    let most = gpu
        .l1_records()
        .flat_map(|record| &record.phases)
        .map(|phase| phase.effective_capacity)
        .fold(0.0, f64::max);
    assert!(most > 1.0, "effective capacity {most}");
    assert!(counters.compression.l1.energy_pj() > 0);
    assert_eq!(counters.compression.energy_pj(), counters.compression.l1.energy_pj());
}

#[test]
fn lines_of_local_memory_stay_raw_and_slow_nothing_down() {
    let (_, plain) = run("scan", Scheme::none());
    let (_, none) = run("scan", scheme("kernel-opt", &[]));
    assert_eq!(plain.core_cycles, none.core_cycles, "an oracle that says none everywhere");
}
