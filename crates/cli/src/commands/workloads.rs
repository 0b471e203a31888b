//! `shrinkwarp workloads stats`: what each program of the suite does and how its memory traffic compresses.

use clap::{Args, Subcommand};
use rayon::prelude::*;
use serde_json::Value;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::Spec;
use shrinkwarp_workloads::{Scale, WORKLOADS, Workload};

use crate::failure::Failure;
use crate::files;
use crate::progress::Progress;
use crate::traffic::{self, Statistics, report};

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
            format!("{:#}\n", Value::Array(statistics.iter().map(report::json).collect()))
        } else {
            report::tables(&statistics, self.scale)
        };
        files::print(&text)
    }
}

fn choose(names: &[String]) -> Result<Vec<&'static Workload>, Failure> {
    if names.is_empty() {
        return Ok(WORKLOADS.to_vec());
    }
    let find = |name: &String| {
        shrinkwarp_workloads::find(name).ok_or_else(|| {
            let known: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
            Failure::Usage(format!("unknown workload {name:?} (known: {})", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn parse_scale(text: &str) -> Result<Scale, String> {
    Scale::ALL
        .into_iter()
        .find(|scale| scale.name() == text)
        .ok_or_else(|| "expected tiny, small or paper".to_owned())
}
