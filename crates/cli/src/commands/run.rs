//! `shrinkwarp run`: one simulation, cycle by cycle.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::memory::DEFAULT_REGION_ENTRIES;
use shrinkwarp_sim::config::ConfigError;
use shrinkwarp_sim::energy::{EnergyReport, Events, load_energy, report as energy_report};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::summary::summary;
use shrinkwarp_workloads::{self as workloads, Scale, Setup, Workload};

use super::gpus::load_gpu;
use crate::failure::Failure;
use crate::files;
use crate::launch::{Finding, Session};
use crate::run::{WatchedGpu, execute_approximated, trace};

/// Core cycles between two samples of a timeline, unless --sample-cycles says otherwise.
const TIMELINE_SAMPLE_CYCLES: u64 = 500;

/// Simulate a workload or your own kernels on a GPU, cycle by cycle
///
/// WORKLOAD is one of the suite, or a launch file (FILE.toml) as for `shrinkwarp launch`.
#[derive(Args, Debug)]
pub struct Run {
    /// Workload of the suite, or a launch file
    #[arg(value_name = "WORKLOAD|FILE.toml")]
    what: String,
    /// GPU to simulate: a preset (see `shrinkwarp gpus`) or a path to a .toml file
    #[arg(long, default_value = "gtx480", value_name = "NAME")]
    gpu: String,
    /// Change a field of the GPU, as in `--set l1.size_kib=48`; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Size of the workload's input
    #[arg(long, value_enum, default_value_t = Size::Small)]
    scale: Size,
    /// Seed of the workload's input
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Your own input in place of the workload's generated one (see `shrinkwarp list workloads --json`)
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Zero so many least significant bits of every element loaded from the workload's approximable buffers, and report
    /// the error of its results instead of checking them
    #[arg(long, value_name = "K")]
    approximate_bits: Option<u32>,
    /// Entries of the map of approximable regions
    #[arg(long, value_name = "N", default_value_t = DEFAULT_REGION_ENTRIES)]
    region_entries: usize,
    /// Energy figures: a set or a path to a .toml file
    #[arg(long, default_value = "gpuwattch-gtx480", value_name = "NAME")]
    energy: String,
    /// Write a trace for Perfetto (ui.perfetto.dev) or chrome://tracing
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
    /// Record the machine's state every so many core cycles; in the JSON and the timeline
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    sample_cycles: Option<u64>,
    /// Print JSON instead of a summary
    #[arg(long)]
    json: bool,
}

/// Size of a workload's input.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Size {
    /// For a first look: well under a second
    Tiny,
    /// Some 5 to 40 million thread instructions
    Small,
    /// The size in the papers
    Paper,
}

impl Run {
    pub fn run(&self) -> Result<(), Failure> {
        let mut device = WatchedGpu::new(Gpu::new(load_gpu(&self.gpu, &self.overrides)?), self.sampling());
        let set =
            load_energy(&self.energy).map_err(|error: ConfigError| Failure::Usage(error.to_string()))?;
        let findings = self.simulate(&mut device);
        if device.launches().is_empty() {
            findings?;
            return Err(Failure::Work(format!("{}: launches no kernel", self.what)));
        }
        let counters = device.machine_counters();
        let energy = energy_report(&set, &Events::of(&counters, device.spec()));
        if let Some(path) = &self.timeline {
            let bytes = trace(&device).map_err(|error| Failure::file(path, error))?;
            files::replace(path, |file| file.write_all(&bytes))?;
        }
        let is_partial = device.is_interrupted();
        let findings = if is_partial { Vec::new() } else { findings? };
        files::print(&if self.json {
            format!("{:#}\n", self.json(&device, &counters, &energy, &findings))
        } else {
            summary(device.spec(), device.launches(), &counters, &energy)
                + &findings.iter().map(Finding::text).collect::<String>()
        })?;
        let wrong: u64 =
            findings.iter().filter_map(|finding| finding.comparison.as_ref()).map(|found| found.wrong).sum();
        if wrong > 0 {
            return Err(Failure::Work(format!("{wrong} elements are not as expected")));
        }
        Ok(())
    }

    fn sampling(&self) -> Option<u64> {
        self.sample_cycles.or(self.timeline.is_some().then_some(TIMELINE_SAMPLE_CYCLES))
    }

    /// Runs a launch file, or a workload of the suite with its own check of the result.
    fn simulate(&self, device: &mut WatchedGpu) -> Result<Vec<Finding>, Failure> {
        device.set_region_entries(self.region_entries);
        if Path::new(&self.what).extension().is_some_and(|extension| extension == "toml") {
            if self.approximate_bits.is_some() {
                let message = "--approximate-bits is for workloads; a launch file says approximate_bits = K in a [[buffer]]";
                return Err(Failure::Usage(message.to_owned()));
            }
            let session = Session::open(Path::new(&self.what), None)?;
            return Ok(session.run(device, &mut |_| Ok(()))?.findings);
        }
        let Some(workload) = shrinkwarp_workloads::find(&self.what) else {
            let known: Vec<_> =
                shrinkwarp_workloads::WORKLOADS.iter().map(|workload| workload.name).collect();
            let message = format!(
                "unknown workload {:?}; give one of {}, or a .toml file",
                self.what,
                known.join(", ")
            );
            return Err(Failure::Usage(message));
        };
        let scale = match self.scale {
            Size::Tiny => Scale::Tiny,
            Size::Small => Scale::Small,
            Size::Paper => Scale::Paper,
        };
        let input = self.read_input(workload)?;
        let setup = Setup { input: input.as_deref(), ..Setup::usual(scale, self.seed) };
        let findings = match self.approximate_bits {
            None => workload.execute_with(device, setup).map(|_| Vec::new()),
            Some(approximate_bits) => {
                execute_approximated(workload, device, Setup { approximate_bits, ..setup })
            }
        };
        findings.map_err(|error| match (&self.input, error) {
            (Some(path), workloads::Failure::Input(error)) => Failure::file(path, error),
            (_, error) => Failure::Work(format!("{}: {error}", self.what)),
        })
    }

    /// The user's input file, where the workload takes one.
    fn read_input(&self, workload: &Workload) -> Result<Option<Vec<u8>>, Failure> {
        let Some(path) = &self.input else { return Ok(None) };
        if workload.input.is_none() {
            return Err(Failure::Usage(format!(
                "--input: {} makes its own input and takes no file",
                workload.name
            )));
        }
        std::fs::read(path).map(Some).map_err(|error| Failure::file(path, error))
    }

    fn json(
        &self,
        device: &WatchedGpu,
        counters: &shrinkwarp_sim::counters::MachineCounters,
        energy: &EnergyReport,
        findings: &[Finding],
    ) -> Value {
        let results: Vec<Value> = findings.iter().map(Finding::json).collect();
        json!({
            "what": self.what,
            "gpu": device.spec().name,
            "set": self.overrides,
            "approximate_bits": self.approximate_bits,
            "is_partial": device.is_interrupted(),
            "cycles": device.cycles(),
            "thread_instructions": counters.sm.thread_instructions,
            "launches": device.launches(),
            "counters": counters,
            "energy": energy,
            "results": results,
        })
    }
}
