//! `shrinkwarp calibrate`: our cycles and counters next to those of the reference simulator.

use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use shrinkwarp_codec::measure::thread_cpu_seconds;
use shrinkwarp_lab::calibration::{case_tables, speedup_table};
use shrinkwarp_report::suggestion::suggestion;
use shrinkwarp_sim::calibrate::{
    CaseResult, Cell, Machine, ReferenceCell, case_named, cases, path_cases, reference_cells, run_case,
    variant_named,
};
use shrinkwarp_sim::run::RunError;

use crate::failure::Failure;
use crate::files;

/// Compare the simulated GPU with the reference simulator, GPGPU-Sim, on 26 kernels
///
/// Prints instructions, cycles, cache and DRAM counts and processor time of both: a GTX 480 with a hashed and with a linear set
/// index of the L1D, or with --gpu v100 a Volta (19 of the kernels). With --sensitivity: the speedup that changes of the GPU
/// give on some of the kernels.
#[derive(Args, Debug)]
pub struct Calibrate {
    /// Only these kernels, separated by commas (see `shrinkwarp list cases`) [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    case: Vec<String>,
    /// The GPU: gtx480 or v100
    #[arg(long, value_name = "NAME", default_value = "gtx480")]
    gpu: String,
    /// Only this set index of the L1D: hashed or linear [default: both]
    #[arg(long, value_name = "NAME")]
    index: Option<String>,
    /// Compare speedups: larger L1, longer L1 hits, faster network, faster and slower DRAM, larger flits, another scheduler
    #[arg(long)]
    sensitivity: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Calibrate {
    pub fn run(&self) -> Result<(), Failure> {
        let (machines, names) = (self.machines()?, self.names()?);
        if self.sensitivity {
            self.compare_speedups(&machines, &names)
        } else {
            self.compare_cases(&machines, &names)
        }
    }

    fn machines(&self) -> Result<Vec<Machine>, Failure> {
        let machines = Machine::of_gpu(&self.gpu);
        if machines.is_empty() {
            let gpu = &self.gpu;
            return Err(Failure::Usage(format!("--gpu: no reference for {gpu:?} (known: gtx480, v100)")));
        }
        let Some(wanted) = &self.index else { return Ok(machines.to_vec()) };
        if self.gpu != "gtx480" {
            return Err(Failure::Usage("--index: only gtx480 was measured with two set indices".to_owned()));
        }
        let machine = machines.iter().find(|machine| machine.name() == wanted);
        let unknown =
            || Failure::Usage(format!("--index: unknown set index {wanted:?} (known: hashed, linear)"));
        Ok(vec![*machine.ok_or_else(unknown)?])
    }

    fn names(&self) -> Result<Vec<&'static str>, Failure> {
        let known: Vec<_> = cases().iter().chain(&path_cases()).map(|case| case.name).collect();
        if let Some(name) = self.case.iter().find(|name| !known.contains(&name.as_str())) {
            let advice = suggestion(name, &known);
            return Err(Failure::Usage(format!("--case: unknown case {name:?}; {advice}")));
        }
        Ok(known
            .into_iter()
            .filter(|&name| self.case.is_empty() || self.case.iter().any(|wanted| wanted == name))
            .collect())
    }

    fn compare_cases(&self, machines: &[Machine], names: &[&'static str]) -> Result<(), Failure> {
        let pairs: Vec<(Machine, &str)> = machines
            .iter()
            .flat_map(|&machine| names.iter().map(move |&name| (machine, name)))
            .filter(|(machine, name)| machine.measured(name, "cycles").is_some())
            .collect();
        let results: Vec<CaseResult> = pairs
            .par_iter()
            .map(|(machine, name)| run(*machine, name, &[]))
            .collect::<Result<_, Failure>>()?;
        if self.json {
            return files::print(&format!("{:#}\n", json!(results)));
        }
        files::print(&case_tables(machines, &results))
    }

    fn compare_speedups(&self, machines: &[Machine], names: &[&'static str]) -> Result<(), Failure> {
        let wanted: Vec<(Machine, ReferenceCell)> = machines
            .iter()
            .flat_map(|&machine| reference_cells(machine).into_iter().map(move |cell| (machine, cell)))
            .filter(|(machine, cell)| {
                names.contains(&cell.case) && variant_named(*machine, cell.variant).is_some()
            })
            .collect();
        let mut bases: Vec<(Machine, &str)> =
            wanted.iter().map(|(machine, cell)| (*machine, cell.case)).collect();
        bases.sort_unstable_by_key(|(machine, case)| (machine.name(), *case));
        bases.dedup();
        let base_cycles: Vec<u64> = bases
            .par_iter()
            .map(|(machine, name)| run(*machine, name, &[]).map(|result| result.cycles))
            .collect::<Result<_, Failure>>()?;
        let cycles_of = |machine: Machine, case: &str| {
            let position = bases.iter().position(|base| *base == (machine, case));
            position.map_or(0, |position| base_cycles[position])
        };
        let cells: Vec<Cell> = wanted
            .par_iter()
            .map(|(machine, cell)| compare(*machine, cell, cycles_of(*machine, cell.case)))
            .collect::<Result<_, Failure>>()?;
        files::print(&if self.json { format!("{:#}\n", json!(cells)) } else { speedup_table(&cells) })
    }
}

fn run(machine: Machine, name: &str, changes: &[&str]) -> Result<CaseResult, Failure> {
    let failed = |error: RunError| Failure::Work(format!("case {name}: {error}"));
    let spec = machine.spec(changes).map_err(|error| Failure::Work(error.to_string()))?;
    let case = case_named(name).ok_or_else(|| Failure::Usage(format!("unknown case {name:?}")))?;
    run_case(&case, machine, &spec, &thread_cpu_seconds).map_err(failed)
}

fn compare(machine: Machine, cell: &ReferenceCell, base_cycles: u64) -> Result<Cell, Failure> {
    let unknown =
        || Failure::Work(format!("the reference's table has an unknown variant {:?}", cell.variant));
    let variant = variant_named(machine, cell.variant).ok_or_else(unknown)?;
    let result = run(machine, cell.case, variant.changes)?;
    Ok(Cell {
        machine: machine.name(),
        variant: variant.name,
        case: result.case,
        cycles: result.cycles,
        speedup: base_cycles as f64 / result.cycles as f64,
        reference_speedup: cell.speedup,
    })
}
