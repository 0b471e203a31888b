//! `shrinkwarp profile`: tables of trained codecs from what a workload moves, as a file.

use std::path::PathBuf;

use clap::Args;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::{ENTRIES, Spec};
use shrinkwarp_lab::profile::Profile as Traffic;
use shrinkwarp_lab::run::{RunSpec, parse_scale};
use shrinkwarp_lab::tables;
use shrinkwarp_workloads::Scale;

use crate::failure::Failure;
use crate::files;

/// Train codecs on what a workload moves to and from DRAM, for `run --tables`
///
/// The workload runs without compression. Commands that need tables make them by themselves; a file lets you use those
/// of another input, GPU or workload.
#[derive(Args, Debug)]
pub struct Profile {
    /// Workload of the suite
    workload: String,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Codecs to train, separated by commas [default: all trained ones]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    codec: Vec<String>,
    /// GPU to simulate: a preset or a path to a .toml file
    #[arg(long, default_value = "gtx480", value_name = "NAME")]
    gpu: String,
    /// Size of the workload's input: tiny, small or paper
    #[arg(long, default_value = "small", value_parser = parse_scale)]
    scale: Scale,
    /// Seed of the workload's input
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which of the workload's data sets (see `shrinkwarp list workloads NAME`) [default: the first]
    #[arg(long, value_name = "NAME")]
    data: Option<String>,
    /// Your own input in place of the workload's generated one
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
}

impl Profile {
    pub fn run(&self) -> Result<(), Failure> {
        let spec = RunSpec {
            gpu: self.gpu.clone(),
            seed: self.seed,
            data: self.data.clone(),
            input: self.input.clone(),
            ..RunSpec::new(&self.workload, self.scale)
        };
        let run = spec.resolve()?;
        files::check_place(&self.out)?;
        let codecs = self.codecs()?;
        let traffic = Traffic::of(&run)?;
        let made = tables::train(&traffic, &codecs)?;
        let text = tables::file_text(&run, &made)?;
        files::replace(&self.out, |file| file.write_all(text.as_bytes()))?;
        let mut summary = format!("{} blocks of 128 B to and from DRAM\n", traffic.dram_blocks());
        for codec in &codecs {
            let spec = parse(codec)?;
            let bytes = made.get(&spec.text()).map_or(0, Vec::len);
            let ratio = traffic.ratio(&spec);
            summary += &format!("{codec:<14} {bytes:>7} bytes of tables, ratio {:.2}\n", ratio.raw_ratio);
        }
        files::print(&(summary + &format!("written to {}\n", self.out.display())))
    }

    /// The codecs asked for, or all that need training.
    fn codecs(&self) -> Result<Vec<String>, Failure> {
        if self.codec.is_empty() {
            let all = ENTRIES.iter().filter(|entry| entry.blocks.contains(&BlockBytes::B128));
            let specs = all.filter_map(|entry| parse(entry.name).ok()).filter(Spec::is_trained);
            return Ok(specs.map(|spec| spec.text()).collect());
        }
        let text = |codec: &String| {
            let spec = parse(codec)?;
            if !spec.is_trained() {
                return Err(Failure::Usage(format!("--codec: {codec} needs no tables")));
            }
            Ok(spec.text())
        };
        self.codec.iter().map(text).collect()
    }
}

fn parse(codec: &str) -> Result<Spec, Failure> {
    Spec::parse(codec, BlockBytes::B128).map_err(|error| Failure::Usage(format!("--codec: {error}")))
}
