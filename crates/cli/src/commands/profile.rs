//! `shrinkwarp profile`: tables of trained codecs from what a workload moves, as a file.

use std::path::PathBuf;

use clap::Args;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::{CodecSpec, ENTRIES};
use shrinkwarp_lab::profile::Profile as Traffic;
use shrinkwarp_lab::run::RunSpec;
use shrinkwarp_lab::tables;

use crate::arguments::{GpuArgs, InputArgs, ProgramArgs, parse_codec};
use crate::failure::Failure;
use crate::files;

/// Train codecs on the DRAM traffic of a workload, a launch file or a program, for `run --tables`
///
/// The profiling run has no compression. Commands that need tables train them on the run itself; with `--tables` they take those
/// of another input, GPU or workload. A program of your own is after --.
#[derive(Args, Debug)]
pub struct Profile {
    /// Workload, or a launch file
    #[arg(value_name = "WORKLOAD|FILE.toml")]
    what: Option<String>,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Codecs to train, separated by commas [default: all trained ones]
    #[arg(long, value_delimiter = ',', value_name = "CODEC")]
    codec: Vec<String>,
    #[command(flatten)]
    gpu: GpuArgs,
    #[command(flatten)]
    generated: InputArgs,
    /// Your own input in place of the workload's generated one
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    #[command(flatten)]
    program: ProgramArgs,
}

impl Profile {
    pub fn run(&self) -> Result<(), Failure> {
        let subject = self.program.or_named(self.what.as_deref())?;
        let generated = self.generated.run_of(subject, &self.gpu);
        let run = RunSpec { input: self.input.clone(), ..generated }.resolve()?;
        files::check_place(&self.output)?;
        let codecs = self.codecs()?;
        let traffic = Traffic::of(&run)?;
        let made = tables::train(&traffic, &codecs)?;
        let text = tables::file_text(&run, &made)?;
        files::replace(&self.output, |file| file.write_all(text.as_bytes()))?;
        let mut summary = format!("{} blocks of 128 B to and from DRAM\n", traffic.dram_blocks());
        for codec in &codecs {
            let spec = parse_codec(codec, BlockBytes::B128)?;
            let bytes = made.get(&spec.table_name()).map_or(0, Vec::len);
            let ratio = traffic.ratio(&spec);
            summary += &format!("{codec:<14} {bytes:>7} bytes of tables, ratio {:.2}\n", ratio.raw_ratio);
        }
        files::print(&(summary + &format!("written to {}\n", self.output.display())))
    }

    /// The codecs requested, or all that need training.
    fn codecs(&self) -> Result<Vec<String>, Failure> {
        if self.codec.is_empty() {
            let all = ENTRIES.iter().filter(|entry| entry.blocks.contains(&BlockBytes::B128));
            let specs = all
                .filter_map(|entry| parse_codec(entry.name, BlockBytes::B128).ok())
                .filter(CodecSpec::is_trained);
            return Ok(specs.map(|spec| spec.text()).collect());
        }
        let text = |codec: &String| {
            let spec = parse_codec(codec, BlockBytes::B128)?;
            if !spec.is_trained() {
                return Err(Failure::Usage(format!("--codec: {codec} is not a trained codec")));
            }
            Ok(spec.text())
        };
        self.codec.iter().map(text).collect()
    }
}
