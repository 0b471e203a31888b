//! Runs the whole suite at tiny scale with every codec at every point, decompressing and comparing every block that
//! passes: `cargo run --release -p shrinkwarp-lab --example verify [WORKLOAD…]`.
//!
//! Each run also checks the workload's results against its CPU reference, so compression that changed them would show.
#![expect(clippy::print_stdout, reason = "a program for people")]

use std::process::ExitCode;

use rayon::prelude::*;
use shrinkwarp_codec::registry::ENTRIES;
use shrinkwarp_lab::batch::{Options, run_all};
use shrinkwarp_lab::run::{Run, RunOutcome, RunSpec};
use shrinkwarp_lab::store::{Store, StoreLocation};
use shrinkwarp_workloads::{Scale, WORKLOADS};

/// Each point: its name in the counters, and the settings that put a codec there.
const POINTS: [(&str, &[&str]); 5] = [
    ("l1", &["scheme.l1.policy=static", "scheme.l1.modes=[\"CODEC\"]"]),
    ("packets", &["scheme.packets.codec=CODEC"]),
    ("l2", &["scheme.l2.codec=CODEC"]),
    ("memory", &["scheme.memory.codec=CODEC"]),
    ("link", &["scheme.link.kind=packed", "scheme.link.codec=CODEC"]),
];

/// The L1 takes codecs that need no profiling; SC it trains itself.
fn fits(point: &str, codec: &str, is_trained: bool) -> bool {
    point != "l1" || !is_trained || codec == "sc"
}

fn main() -> ExitCode {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = WORKLOADS
        .iter()
        .map(|workload| workload.name)
        .filter(|name| chosen.is_empty() || chosen.iter().any(|wanted| wanted == name))
        .collect();
    let mut is_clean = true;
    println!("{:<12} {:<8} {:>6} {:>12} {:>8}", "codec", "point", "runs", "blocks", "failed");
    for entry in ENTRIES {
        let is_trained = matches!(entry.make, shrinkwarp_codec::registry::Make::Trained { .. });
        for (point, settings) in POINTS.iter().filter(|(point, _)| fits(point, entry.name, is_trained)) {
            let row = verify(&names, entry.name, point, settings);
            is_clean &= row.failures.is_empty();
            println!(
                "{:<12} {point:<8} {:>6} {:>12} {:>8}",
                entry.name,
                row.runs,
                row.blocks,
                row.failures.len()
            );
            row.failures.iter().for_each(|failure| println!("  {failure}"));
        }
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What became of one codec at one point.
struct Row {
    runs: usize,
    blocks: u64,
    failures: Vec<String>,
}

fn verify(workloads: &[&str], codec: &str, point: &str, settings: &[&str]) -> Row {
    let overrides: Vec<String> = settings.iter().map(|setting| setting.replace("CODEC", codec)).collect();
    let resolve = |name: &&str| {
        RunSpec { overrides: overrides.clone(), verifies: true, ..RunSpec::new(*name, Scale::Tiny) }.resolve()
    };
    let mut row = Row { runs: 0, blocks: 0, failures: Vec::new() };
    let mut runs: Vec<Run> = Vec::new();
    for run in workloads.par_iter().map(resolve).collect::<Vec<_>>() {
        match run {
            Ok(run) => runs.push(run),
            Err(error) => row.failures.push(error.to_string()),
        }
    }
    let batch = Store::open(&StoreLocation::Memory).and_then(|mut store| {
        run_all(&mut store, &runs, &Options::default(), &mut |record, _| {
            row.runs += 1;
            match &record.outcome {
                RunOutcome::Done(result) => {
                    row.blocks +=
                        result.counters.sum(&format!("compression.{point}"), "verified_blocks") as u64;
                }
                RunOutcome::Failed(error) => row.failures.push(format!("{}: {error}", record.workload)),
            }
        })
    });
    if let Err(error) = batch {
        row.failures.push(error.to_string());
    }
    row
}
