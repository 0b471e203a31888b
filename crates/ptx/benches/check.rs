//! How fast is a large file checked? 20 MB of PTX: the calibration kernels again and again under new names.
//!
//! `cargo bench -p shrinkwarp-ptx` prints the seconds of one core for parsing, and for control flow, liveness and
//! counts of every function.
#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::time::Instant;

use shrinkwarp_ptx::{Summary, parse};

const KERNELS: &str = include_str!("../tests/kernels/calibration.ptx");
const TARGET_BYTES: usize = 20_000_000;

fn main() {
    let source = large_source();
    let start = Instant::now();
    let module = match parse(&source) {
        Ok(module) => module,
        Err(found) => return println!("the benchmark's own source has mistakes: {found:?}"),
    };
    let parsed = start.elapsed().as_secs_f64();
    let instructions: usize =
        module.functions.iter().map(|function| Summary::of(function).instructions).sum();
    let total = start.elapsed().as_secs_f64();
    let megabytes = source.len() as f64 / 1e6;
    println!("{megabytes:.1} MB, {} functions, {instructions} instructions", module.functions.len());
    println!("parse     {parsed:.3} s, {:.0} MB/s", megabytes / parsed);
    println!("summarise {:.3} s", total - parsed);
    println!("in all    {total:.3} s");
}

/// Kernel names get a number; everything else stays.
fn large_source() -> String {
    let (header, kernels) = KERNELS.split_once(".visible").unwrap_or(("", KERNELS));
    let mut source = header.to_string();
    let mut copy = 0;
    while source.len() < TARGET_BYTES {
        for kernel in kernels.split(".visible .entry ") {
            let kernel = kernel.trim_start().trim_start_matches(".entry ");
            let (name, rest) = kernel.split_once('(').unwrap_or((kernel, ""));
            source += &format!(".visible .entry {name}_{copy}({rest}");
        }
        copy += 1;
    }
    source
}
