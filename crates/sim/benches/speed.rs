//! How fast the machine simulates: thread instructions per processor second, over all reference cases, over the
//! compute-bound ones and over the scattered ones, beside the reference simulator's processor seconds.
//!
//! `cargo bench -p shrinkwarp-sim --bench speed` runs all cases; `… -- vecadd reduce` some of them; `… -- --once` each
//! case once, as an instruction count wants it. `… -- --against BINARY` also runs another build of this benchmark, case by
//! case in turn with this one, and prints how many times faster this one is.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use std::process::Command;

use shrinkwarp_sim::calibrate::{Case, CaseResult, Machine, cases, run_case};

/// Cases whose speed the execution of instructions decides.
const COMPUTE_BOUND: [&str; 6] =
    ["fma_chain", "fma_wide", "matmul_naive", "matmul_tiled", "diverge", "reduce"];

/// Cases whose warps each touch many lines.
const SCATTERED: [&str; 3] = ["gather_dram", "pointer_chase", "bfs_level"];

/// Each case runs this often; the fastest counts.
const REPETITIONS: usize = 3;

/// What the command line asks for.
struct Options {
    /// Names of cases; all if empty.
    wanted: Vec<String>,
    repetitions: usize,
    /// Another build of this benchmark.
    against: Option<String>,
}

/// A case in both builds.
struct Row {
    result: CaseResult,
    seconds_before: Option<f64>,
}

fn main() {
    let options = Options::read(std::env::args().skip(1));
    let mut rows = Vec::new();
    println!("case                 Minstr   cycles  cpu ms  M instr/s  us/cycle  x reference  x before");
    for case in cases() {
        if !options.wanted.is_empty() && !options.wanted.iter().any(|name| name == case.name) {
            continue;
        }
        let result = fastest(&case, options.repetitions);
        let seconds_before = options.against.as_deref().and_then(|binary| seconds_of(binary, case.name));
        let row = Row { result, seconds_before };
        print_row(&row);
        rows.push(row);
    }
    print_total("all cases", &rows, |_| true);
    print_total("compute-bound", &rows, |name| COMPUTE_BOUND.contains(&name));
    print_total("scattered", &rows, |name| SCATTERED.contains(&name));
}

impl Options {
    /// Other flags are the test harness's own and mean nothing here.
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self { wanted: Vec::new(), repetitions: REPETITIONS, against: None };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--once" => options.repetitions = 1,
                "--against" => options.against = arguments.next(),
                flag if flag.starts_with('-') => {}
                name => options.wanted.push(name.to_owned()),
            }
        }
        options
    }
}

fn fastest(case: &Case, repetitions: usize) -> CaseResult {
    let spec = Machine::Hashed.spec(&[]).expect("the preset is part of the program");
    let run = || run_case(case, Machine::Hashed, &spec, &cpu_seconds).expect("a reference case runs");
    let runs = (0..repetitions).map(|_| run());
    runs.min_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds)).expect("at least one repetition")
}

/// What the other build needs for a case; `None` if it prints no such row.
fn seconds_of(binary: &str, case: &str) -> Option<f64> {
    let output = Command::new(binary).arg(case).output().expect("the other build runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = text.lines().find(|line| line.split_whitespace().next() == Some(case))?;
    let milliseconds: f64 = row.split_whitespace().nth(3)?.parse().ok()?;
    Some(milliseconds / 1e3)
}

fn print_row(row: &Row) {
    let result = &row.result;
    println!(
        "{:18} {:8.2} {:8} {:7.1} {:10.1} {:9.2} {:12.0} {:>9}",
        result.case,
        result.thread_instructions as f64 / 1e6,
        result.cycles,
        result.cpu_seconds * 1e3,
        result.thread_instructions as f64 / 1e6 / result.cpu_seconds,
        result.cpu_seconds * 1e6 / result.cycles as f64,
        result.speed_ratio(),
        row.seconds_before.map(|before| format!("{:.2}", before / result.cpu_seconds)).unwrap_or_default(),
    );
}

fn print_total(name: &str, rows: &[Row], is_meant: impl Fn(&str) -> bool) {
    let rows = || rows.iter().filter(|row| is_meant(row.result.case));
    let instructions: u64 = rows().map(|row| row.result.thread_instructions).sum();
    let seconds: f64 = rows().map(|row| row.result.cpu_seconds).sum();
    if seconds == 0.0 {
        return;
    }
    let reference: f64 = rows().map(|row| row.result.reference_cpu_seconds).sum();
    let before: Option<f64> = rows().map(|row| row.seconds_before).sum();
    println!(
        "{name}: {:.1} M thread instructions per processor second, {:.0} x reference{}",
        instructions as f64 / 1e6 / seconds,
        reference / seconds,
        before.map(|before| format!(", {:.2} x before", before / seconds)).unwrap_or_default(),
    );
}

/// Processor time of this thread, as Linux counts it.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text.split(' ').next().and_then(|field| field.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}
