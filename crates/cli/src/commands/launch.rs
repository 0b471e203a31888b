//! `shrinkwarp launch`: run the kernels of a launch file.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_launchfile::{Finding, Session, SessionReport};
use shrinkwarp_report::text::printable;

use crate::failure::Failure;
use crate::files;

/// Run your own PTX: buffers, kernels, arguments and results described in a TOML file
///
/// Computes results without timing; `shrinkwarp run FILE.toml` simulates the same file cycle by cycle.
#[derive(Args, Debug)]
pub struct Launch {
    /// Launch file
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Stop a launch after this many thread instructions [default: the file's, or 20 billion]
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Launch {
    pub fn run(&self) -> Result<(), Failure> {
        let session = Session::open(&self.file, self.max_instructions)?;
        let is_json = self.json;
        // In JSON, what a launch printed is part of its report; without a report it is part of the failure.
        let mut unreported = Vec::new();
        let outcome = session.run(&mut Functional::new(), &mut |printed| {
            if is_json {
                unreported.extend_from_slice(printed);
                return Ok(());
            }
            files::write_out(printed)
        });
        let outcome = outcome.map_err(|error| match Failure::from(error) {
            Failure::Shown(message) if !unreported.is_empty() => Failure::Shown(format!(
                "{message}\nthe kernels printed: {}",
                printable(&String::from_utf8_lossy(&unreported))
            )),
            failure => failure,
        })?;
        files::print(&if is_json { format!("{:#}\n", json(&outcome)) } else { text(&outcome) })?;
        let wrong: Vec<String> = outcome.findings.iter().filter_map(Finding::disagreement).collect();
        if wrong.is_empty() { Ok(()) } else { Err(Failure::Work(wrong.join("; "))) }
    }
}

fn text(outcome: &SessionReport) -> String {
    // Launches of the same shape are one line: a sequence may run thousands of times.
    let mut shapes: Vec<(String, u64, u64)> = Vec::new();
    for (kernel, launch, report) in &outcome.launches {
        let [gx, gy, gz] = launch.grid;
        let [bx, by, bz] = launch.block;
        let shape = format!("{kernel}: grid {gx}x{gy}x{gz}, block {bx}x{by}x{bz}");
        match shapes.iter_mut().find(|(known, ..)| *known == shape) {
            Some((_, times, instructions)) => {
                *times += 1;
                *instructions += report.thread_instructions;
            }
            None => shapes.push((shape, 1, report.thread_instructions)),
        }
    }
    let mut text = String::new();
    for (shape, times, instructions) in shapes {
        let times = if times == 1 { String::new() } else { format!(", {times} times") };
        text += &format!("{shape}{times}, {instructions} thread instructions\n");
    }
    outcome.findings.iter().for_each(|finding| text += &finding.text());
    text
}

fn json(outcome: &SessionReport) -> Value {
    let launches: Vec<Value> = outcome
        .launches
        .iter()
        .map(|(kernel, launch, report)| {
            json!({
                "kernel": kernel,
                "grid": launch.grid,
                "block": launch.block,
                "thread_instructions": report.thread_instructions,
                "warp_instructions": report.warp_instructions,
                "output": String::from_utf8_lossy(&report.output),
            })
        })
        .collect();
    let results: Vec<Value> = outcome.findings.iter().map(Finding::json).collect();
    json!({ "launches": launches, "results": results })
}
