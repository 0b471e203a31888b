//! `shrinkwarp workloads stats`: what each program of the suite does and how its memory traffic compresses.

use clap::{Args, Subcommand};
use rayon::prelude::*;
use serde_json::Value;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::Spec;
use shrinkwarp_lab::run::{find_workload, parse_scale};
use shrinkwarp_workloads::{Scale, WORKLOADS, Workload};

use crate::failure::Failure;
use crate::files;
use crate::progress::Progress;
use crate::traffic::{self, Statistics};

/// Look at the workload suite
#[derive(Args, Debug)]
pub struct Workloads {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Stats(Stats),
}

/// Run workloads and measure their instructions, memory, data types and how their DRAM traffic compresses
#[derive(Args, Debug)]
struct Stats {
    /// Workloads to run; all of them if none is named
    names: Vec<String>,
    /// Input size: tiny, small or paper
    #[arg(long, default_value = "small", value_parser = parse_scale)]
    scale: Scale,
    /// Codecs to apply to the traffic, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "fpc,bdi,cpack,bpc,dsm,sc,e2mc16")]
    codec: Vec<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Workloads {
    pub fn run(&self) -> Result<(), Failure> {
        let What::Stats(stats) = &self.what;
        stats.run()
    }
}

impl Stats {
    fn run(&self) -> Result<(), Failure> {
        let chosen = choose(&self.names)?;
        let specs: Vec<Spec> = self
            .codec
            .iter()
            .map(|name| Spec::parse(name, BlockBytes::B128))
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::Usage(format!("--codec: {error}")))?;
        let bar = Progress::steps(chosen.len() as u64, "workloads");
        let statistics: Vec<Statistics> = chosen
            .par_iter()
            .map(|workload| {
                let statistics = traffic::measure(workload, self.scale, &specs);
                bar.advance(1);
                statistics
            })
            .collect::<Result<_, _>>()?;
        drop(bar);
        let text = if self.json {
            format!("{:#}\n", Value::Array(statistics.iter().map(traffic::json).collect()))
        } else {
            traffic::tables(&statistics, self.scale)
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
