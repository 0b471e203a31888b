//! `shrinkwarp workloads`: what each program of the suite does (`stats`), and how like its original it is (`fingerprint`).

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use rayon::prelude::*;
use serde_json::Value;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_lab::fingerprint::{Comparison, Measurement, original_of, same_input};
use shrinkwarp_lab::run::{RunSpec, find_data_set, find_workload, parse_scale};
use shrinkwarp_lab::suite;
use shrinkwarp_lab::traffic::{self, Statistics};
use shrinkwarp_workloads::{Scale, WORKLOADS, Workload};

use crate::arguments::{DataArgs, GpuArgs, InputArgs, ProgramArgs, TrafficCodecArgs, parse_codec};
use crate::failure::Failure;
use crate::files;
use crate::progress::Progress;

/// Measure the workloads: their memory traffic, and how close they are to the original programs
#[derive(Args, Debug)]
pub struct Workloads {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Stats(Stats),
    Fingerprint(FingerprintArgs),
}

/// Run workloads and measure their instructions, memory, data types and how their DRAM traffic compresses
///
/// A program of your own is after --; its data types are not known.
#[derive(Args, Debug)]
struct Stats {
    /// Workloads or launch files to run [default: all workloads]
    #[arg(value_name = "WORKLOAD|FILE.toml")]
    names: Vec<String>,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    traffic: TrafficCodecArgs,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    program: ProgramArgs,
}

/// Compare workloads with the original programs: instructions, transactions, miss rates, DRAM traffic, speedups
///
/// Runs each workload on a GPU that the original was measured on (see reference/README.md), prints both and marks values that
/// differ by more than the allowed difference. --scale, --size, --launches and --data give other inputs than the original's.
/// --gpu also takes the names of the machines that the originals were measured on: gtx480, e2mc-gtx580, e2mc-gtx580@icnt1644.
#[derive(Args, Debug)]
struct FingerprintArgs {
    /// Workloads to run [default: all whose original was measured]
    #[arg(value_name = "WORKLOAD")]
    names: Vec<String>,
    /// Scale of the workload inputs: tiny, small or paper [default: the input of the original, where a workload can have
    /// it, or small]
    #[arg(long, value_name = "SCALE", value_parser = parse_scale)]
    scale: Option<Scale>,
    #[command(flatten)]
    set: DataArgs,
    /// Input size in the workload's own unit, in place of the scale's
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// End the program after N launches
    #[arg(long, value_name = "N")]
    launches: Option<u64>,
    #[command(flatten)]
    gpu: GpuArgs,
    #[command(flatten)]
    traffic: TrafficCodecArgs,
    /// Leave out the runs with a 64 KiB L1 and with eight times the DRAM clock
    #[arg(long)]
    no_speedups: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Workloads {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Stats(stats) => stats.run(),
            What::Fingerprint(fingerprint) => fingerprint.run(),
        }
    }
}

impl FingerprintArgs {
    fn run(&self) -> Result<(), Failure> {
        let chosen = self.chosen()?;
        let bar = Progress::steps(chosen.len() as u64, "workloads");
        let comparisons: Vec<Comparison> = chosen
            .par_iter()
            .map(|workload| {
                let fingerprint = self.measurement(workload).measure();
                bar.advance(1);
                fingerprint.map(Comparison::of)
            })
            .collect::<Result<_, _>>()?;
        drop(bar);
        let text = if self.json {
            format!("{:#}\n", Value::Array(comparisons.iter().map(Comparison::json).collect()))
        } else {
            comparisons.iter().map(Comparison::text).collect::<Vec<String>>().join("\n")
        };
        files::print(&text)
    }

    fn chosen(&self) -> Result<Vec<&'static Workload>, Failure> {
        if !self.names.is_empty() {
            return choose(&self.names);
        }
        let is_measured = |workload: &&'static Workload| original_of(workload.name, &self.gpu.gpu).is_some();
        Ok(WORKLOADS.iter().copied().filter(is_measured).collect())
    }

    fn measurement(&self, workload: &Workload) -> Measurement {
        let is_default =
            self.scale.is_none() && self.size.is_none() && self.launches.is_none() && self.set.data.is_none();
        let same = same_input(workload.name).filter(|_| is_default);
        let scale = self.scale.unwrap_or(if same.is_some() { Scale::Paper } else { Scale::Small });
        let data = same.and_then(|same| same.data).map(str::to_owned);
        Measurement {
            spec: RunSpec {
                data: self.set.data.clone().or(data),
                ..self.set.run_of(workload.name, scale, &self.gpu)
            },
            size: self.size.or(same.and_then(|same| same.size)),
            launches: self.launches.or(same.and_then(|same| same.launches)),
            has_speedups: !self.no_speedups,
            codecs: self.traffic.codec.clone(),
        }
    }
}

impl Stats {
    fn run(&self) -> Result<(), Failure> {
        let program = self.program.subject();
        let all = ["all".to_owned()];
        let names = if self.names.is_empty() && program.is_none() { &all[..] } else { &self.names };
        let mut chosen = suite::subjects(names, &BTreeMap::new())?;
        chosen.extend(program);
        let codecs = self.traffic.codec.iter().map(|name| parse_codec(name, BlockBytes::B128));
        let specs: Vec<CodecSpec> = codecs.collect::<Result<_, _>>()?;
        for workload in chosen.iter().filter_map(|subject| shrinkwarp_workloads::find(subject.name())) {
            find_data_set(workload, self.input.set.data.as_deref())?;
        }
        // Whose L2 decides what reaches DRAM: the papers' common baseline.
        let baseline = GpuArgs { gpu: "gtx480".to_owned(), overrides: Vec::new() };
        let bar = Progress::steps(chosen.len() as u64, "workloads");
        let statistics: Vec<Statistics> = chosen
            .par_iter()
            .map(|subject| {
                let statistics = traffic::measure(&self.input.run_of(subject.clone(), &baseline), &specs);
                bar.advance(1);
                statistics
            })
            .collect::<Result<_, _>>()?;
        drop(bar);
        let text = if self.json {
            format!("{:#}\n", Value::Array(statistics.iter().map(traffic::json).collect()))
        } else {
            traffic::tables(&statistics, self.input.size.scale)
        };
        files::print(&text)
    }
}

pub(super) fn choose(names: &[String]) -> Result<Vec<&'static Workload>, Failure> {
    if names.is_empty() {
        return Ok(WORKLOADS.to_vec());
    }
    Ok(names.iter().map(|name| find_workload(name)).collect::<Result<_, _>>()?)
}
