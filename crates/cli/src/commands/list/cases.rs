//! `shrinkwarp list cases`: the kernels that `calibrate` compares.

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_report::suggestion::suggestion;
use shrinkwarp_sim::calibrate::{Case, Machine, cases, path_cases};

use crate::failure::Failure;
use crate::files;

/// List the kernels on which `shrinkwarp calibrate` compares the simulated GPU with GPGPU-Sim
#[derive(Args, Debug)]
pub struct Cases {
    /// Show only this kernel, with the cycles that GPGPU-Sim measured
    name: Option<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// The machines that the reference measured, and what each is called here.
const MACHINES: [(Machine, &str); 3] = [
    (Machine::Hashed, "gtx480, hashed set index of the L1D"),
    (Machine::Linear, "gtx480, linear set index of the L1D"),
    (Machine::Volta, "v100"),
];

impl Cases {
    pub fn run(&self) -> Result<(), Failure> {
        let all: Vec<Case> = cases().into_iter().chain(path_cases()).collect();
        let Some(name) = &self.name else {
            return files::print(&if self.json {
                format!("{:#}\n", all.iter().map(json_of).collect::<Value>())
            } else {
                table(&all)
            });
        };
        let Some(case) = all.iter().find(|case| case.name == name) else {
            let known: Vec<&str> = all.iter().map(|case| case.name).collect();
            let advice = suggestion(name, &known);
            return Err(Failure::Usage(format!("list cases: unknown case {name:?}; {advice}")));
        };
        files::print(&if self.json { format!("{:#}\n", json_of(case)) } else { details(case) })
    }
}

fn table(cases: &[Case]) -> String {
    let mut text = format!("{:<20} {:<13} {}\n", "case", "reference", "what it does and exercises");
    for case in cases {
        let measured =
            |gpu: &str| Machine::of_gpu(gpu).iter().any(|machine| cycles(*machine, case).is_some());
        let gpus: Vec<&str> = ["gtx480", "v100"].into_iter().filter(|gpu| measured(gpu)).collect();
        text += &format!("{:<20} {:<13} {}\n", case.name, gpus.join(", "), case.summary);
    }
    text + "\nThe cycles that GPGPU-Sim measured: shrinkwarp list cases NAME. Ours next to them: shrinkwarp calibrate --case NAME.\n"
}

fn details(case: &Case) -> String {
    let mut text =
        format!("{}: {}\nkernel {}\n\ncycles of GPGPU-Sim\n", case.name, case.summary, case.kernel);
    for (machine, name) in MACHINES {
        text += &format!("  {name:<38} {:>10}\n", cycles(machine, case).unwrap_or("not measured"));
    }
    text
}

fn json_of(case: &Case) -> Value {
    let measured = |(machine, _): (Machine, &str)| {
        cycles(machine, case).map(|cycles| (machine.name().to_owned(), json!(cycles.parse::<u64>().ok())))
    };
    let reference: serde_json::Map<String, Value> = MACHINES.into_iter().filter_map(measured).collect();
    json!({"name": case.name, "kernel": case.kernel, "summary": case.summary, "reference_cycles": reference})
}

fn cycles(machine: Machine, case: &Case) -> Option<&'static str> {
    machine.measured(case.name, "cycles")
}
