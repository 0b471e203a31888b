//! Runs workloads on the functional emulator, prints what each did and fails if a result is wrong:
//! `small [tiny|small|paper] [NAME…]`.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::process::ExitCode;
use std::time::Instant;

use shrinkwarp_emu::functional::Functional;
use shrinkwarp_workloads::{Scale, WORKLOADS};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let scale = match words.first().map(String::as_str) {
        Some("tiny") => Scale::Tiny,
        Some("paper") => Scale::Paper,
        _ => Scale::Small,
    };
    let is_wanted =
        |name: &str| words.iter().skip(1).all(|word| word == name) || words.iter().any(|word| word == name);
    println!("{:<18} {:>9} {:>16} {:>10} {:>9}", "workload", "launches", "thread instr.", "bytes", "seconds");
    let mut exit = ExitCode::SUCCESS;
    for workload in WORKLOADS.iter().filter(|workload| is_wanted(workload.name)) {
        let start = Instant::now();
        match workload.execute(&mut Functional::new(), scale, 1, None) {
            Ok(outcome) => {
                let bytes: u64 = outcome.buffers.iter().map(|buffer| buffer.bytes).sum();
                println!(
                    "{:<18} {:>9} {:>16} {:>10} {:>9.2}",
                    workload.name,
                    outcome.launches,
                    outcome.thread_instructions,
                    bytes,
                    start.elapsed().as_secs_f64()
                );
            }
            Err(failure) => {
                println!("{:<18} FAILED: {failure}", workload.name);
                exit = ExitCode::FAILURE;
            }
        }
    }
    exit
}
