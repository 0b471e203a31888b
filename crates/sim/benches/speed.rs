//! How fast the machine simulates: thread instructions per processor second, over all reference cases and over the
//! compute-bound ones.
//!
//! `cargo bench -p shrinkwarp-sim` runs all cases; `cargo bench -p shrinkwarp-sim -- vecadd reduce` some of them.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use shrinkwarp_sim::calibrate::{CaseResult, Machine, cases, run_case};

/// Cases whose speed the execution of instructions decides.
const COMPUTE_BOUND: [&str; 6] =
    ["fma_chain", "fma_wide", "matmul_naive", "matmul_tiled", "diverge", "reduce"];

/// Each case runs this often; the fastest counts.
const REPETITIONS: usize = 3;

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let spec = Machine::Hashed.spec(&[]).expect("the preset is part of the program");
    let mut results = Vec::new();
    println!("case                 Minstr   cycles  cpu ms  M instr/s  us/cycle  x reference");
    for case in cases() {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == case.name) {
            continue;
        }
        let run = || run_case(&case, Machine::Hashed, &spec, &cpu_seconds).expect("a reference case runs");
        let runs = (0..REPETITIONS).map(|_| run());
        let fastest =
            runs.min_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds)).expect("at least one repetition");
        print_row(&fastest);
        results.push(fastest);
    }
    print_total("all cases", &results);
    let compute_bound: Vec<_> =
        results.into_iter().filter(|result| COMPUTE_BOUND.contains(&result.case)).collect();
    print_total("compute-bound", &compute_bound);
}

fn print_row(result: &CaseResult) {
    println!(
        "{:18} {:8.2} {:8} {:7.1} {:10.1} {:9.2} {:12.0}",
        result.case,
        result.thread_instructions as f64 / 1e6,
        result.cycles,
        result.cpu_seconds * 1e3,
        result.thread_instructions as f64 / 1e6 / result.cpu_seconds,
        result.cpu_seconds * 1e6 / result.cycles as f64,
        result.speed_ratio(),
    );
}

fn print_total(name: &str, results: &[CaseResult]) {
    let instructions: u64 = results.iter().map(|result| result.thread_instructions).sum();
    let seconds: f64 = results.iter().map(|result| result.cpu_seconds).sum();
    if seconds > 0.0 {
        println!(
            "{name}: {:.1} M thread instructions per processor second",
            instructions as f64 / 1e6 / seconds
        );
    }
}

/// Processor time of this thread, as Linux counts it.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text.split(' ').next().and_then(|field| field.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}
