//! Writes the cycles and all counters of every workload at tiny scale under every scheme, and of the calibration cases,
//! one line each: `cargo run --release -p shrinkwarp-lab --example snapshot > FILE`.
//!
//! The L1D has a linear set index here, as the reference's first tables have.
//!
//! A change of structure changes no number: write the lines before and after it, and compare them with `diff`.
//! Names given as arguments restrict the workloads, so that a single one can be looked at.
#![expect(clippy::print_stdout, reason = "a program for people")]

use std::process::ExitCode;

use rayon::prelude::*;
use shrinkwarp_lab::batch::{Options, run_all};
use shrinkwarp_lab::run::{Run, RunOutcome, RunSpec};
use shrinkwarp_lab::store::{Store, StoreLocation};
use shrinkwarp_sim::calibrate::{Machine, case_named, cases, reference_cells, run_case, variant_named};
use shrinkwarp_sim::config::scheme::SCHEMES;
use shrinkwarp_workloads::{Scale, WORKLOADS};

fn main() -> ExitCode {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    match snapshot(&chosen) {
        Ok(lines) => {
            println!("{}", lines.join("\n"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn snapshot(chosen: &[String]) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut lines = suite(chosen)?;
    if chosen.is_empty() {
        lines.extend(calibration()?);
    }
    Ok(lines)
}

/// Every workload under every scheme, in the order of their lists.
fn suite(chosen: &[String]) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let workloads: Vec<&str> = WORKLOADS
        .iter()
        .map(|workload| workload.name)
        .filter(|name| chosen.is_empty() || chosen.iter().any(|wanted| wanted == name))
        .collect();
    let specs: Vec<RunSpec> = workloads
        .iter()
        .flat_map(|workload| {
            SCHEMES.iter().map(|scheme| RunSpec {
                scheme: scheme.name.to_owned(),
                overrides: vec!["l1.set_index=linear".to_owned()],
                ..RunSpec::new(*workload, Scale::Tiny)
            })
        })
        .collect();
    let runs: Vec<Run> = specs.par_iter().map(RunSpec::resolve).collect::<Result<_, _>>()?;
    let mut store = Store::open(&StoreLocation::Memory)?;
    let mut lines = Vec::new();
    run_all(&mut store, &runs, &Options::default(), &mut |record, _| {
        let text = match &record.outcome {
            RunOutcome::Done(result) => {
                let counters: Vec<String> =
                    result.counters.iter().map(|(name, value)| format!("{name}={value}")).collect();
                format!("cycles={} {}", result.cycles, counters.join(" "))
            }
            RunOutcome::Failed(error) => format!("failed: {error}"),
        };
        lines.push(format!("{} {} {text}", record.workload, record.scheme));
    })?;
    lines.sort();
    Ok(lines)
}

/// The cases of the reference with a linear set index, unchanged and with each change whose effect it measured.
fn calibration() -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let machine = Machine::Linear;
    let cells: Vec<(&str, &str)> = cases()
        .iter()
        .map(|case| ("", case.name))
        .chain(reference_cells(machine).iter().map(|cell| (cell.variant, cell.case)))
        .collect();
    let line = |&(variant, case): &(&str, &str)| -> Result<String, String> {
        let changes = variant_named(machine, variant).map_or(&[][..], |row| row.changes);
        let gpu = machine.spec(changes).map_err(|error| error.to_string())?;
        let case = case_named(case).ok_or_else(|| format!("no case {case}"))?;
        let result = run_case(&case, machine, &gpu, &|| 0.0).map_err(|error| error.to_string())?;
        let counts: Vec<String> =
            result.counts.iter().map(|count| format!("{}={}", count.column, count.ours)).collect();
        Ok(format!(
            "calibration {} {variant} cycles={} instructions={} {}",
            result.case,
            result.cycles,
            result.thread_instructions,
            counts.join(" ")
        ))
    };
    Ok(cells.par_iter().map(line).collect::<Result<_, _>>()?)
}
