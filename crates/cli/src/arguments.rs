//! Options that several commands share: declared here once, so that each means the same everywhere.

use std::path::PathBuf;

use clap::Args;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_lab::LabError;
use shrinkwarp_lab::run::{RunSpec, parse_scale};
use shrinkwarp_machine::configuration::{energy_set, gpu_with, scheme_with};
use shrinkwarp_machine::tables;
use shrinkwarp_sim::config::{GpuSpec, SchemeSpec};
use shrinkwarp_sim::energy::EnergySet;
use shrinkwarp_sim::scheme::Scheme;
use shrinkwarp_workloads::Scale;

use crate::failure::Failure;

/// Which GPU.
#[derive(Args, Clone, Debug)]
pub struct GpuArgs {
    /// GPU: a preset (see `shrinkwarp list gpus`) or a path to a .toml file
    #[arg(long, default_value = "gtx480", value_name = "NAME")]
    pub gpu: String,
    /// Change a field of the GPU or of the scheme, as in `--set l1.size_kib=48` or `--set scheme.packets.codec=bpc`;
    /// may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// What events cost in energy.
#[derive(Args, Clone, Debug)]
pub struct EnergyArgs {
    /// Energy per event: a set (see `shrinkwarp list energy`) or a path to a .toml file
    #[arg(long, default_value = "gpuwattch-gtx480", value_name = "NAME")]
    pub energy: String,
}

/// A GPU with a compression scheme.
#[derive(Args, Clone, Debug)]
pub struct SchemeArgs {
    #[command(flatten)]
    pub gpu: GpuArgs,
    /// Which codec is at which point: a scheme (see `shrinkwarp list schemes`) or a path to a .toml file
    #[arg(long, default_value = "none", value_name = "NAME")]
    pub scheme: String,
}

/// A machine that runs.
#[derive(Args, Clone, Debug)]
pub struct MachineArgs {
    #[command(flatten)]
    pub with: SchemeArgs,
    /// Tables of trained codecs, as `shrinkwarp profile` writes them, in place of a profiling run
    #[arg(long, value_name = "FILE")]
    pub tables: Option<PathBuf>,
    /// Decompress every compressed block and compare it with the original
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub energy: EnergyArgs,
}

/// Size of generated inputs.
#[derive(Args, Clone, Copy, Debug)]
pub struct ScaleArgs {
    /// Scale of the workload inputs: tiny, small or paper
    #[arg(long, default_value = "small", value_name = "SCALE", value_parser = parse_scale)]
    pub scale: Scale,
}

/// Which generated input, of any size.
#[derive(Args, Clone, Debug)]
pub struct DataArgs {
    /// Seed of the random numbers in the input
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Data set (see `shrinkwarp list workloads NAME`); every workload must have it [default: the first of each]
    #[arg(long, value_name = "NAME")]
    pub data: Option<String>,
}

/// Which generated input.
#[derive(Args, Clone, Debug)]
pub struct InputArgs {
    #[command(flatten)]
    pub size: ScaleArgs,
    #[command(flatten)]
    pub set: DataArgs,
}

/// Codecs for the DRAM traffic of workloads.
#[derive(Args, Clone, Debug)]
pub struct TrafficCodecArgs {
    /// Codecs for the DRAM traffic, separated by commas
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "CODEC",
        default_value = "fpc,bdi,cpack,bpc,dsm,sc,e2mc16"
    )]
    pub codec: Vec<String>,
}

impl SchemeArgs {
    /// The GPU with its changes; a mistake is shown with its place.
    pub fn gpu(&self) -> Result<GpuSpec, Failure> {
        Ok(gpu_with(&self.gpu.gpu, &self.gpu.overrides).map_err(LabError::from)?)
    }

    /// The scheme with its changes.
    pub fn spec(&self) -> Result<SchemeSpec, Failure> {
        Ok(scheme_with(&self.scheme, &self.gpu.overrides).map_err(LabError::from)?)
    }
}

impl MachineArgs {
    /// The scheme with its changes and tables.
    pub fn scheme(&self) -> Result<Scheme, Failure> {
        let scheme = self.with.spec()?;
        let tables = self.tables.as_deref().map(tables::read).transpose().map_err(LabError::from)?;
        Scheme::build(scheme, &tables.unwrap_or_default(), self.verify)
            .map_err(|error| Failure::Usage(format!("{error}; give them with --tables")))
    }

    /// The energy set.
    pub fn energy(&self) -> Result<EnergySet, Failure> {
        Ok(energy_set(&self.energy.energy).map_err(LabError::from)?)
    }
}

impl DataArgs {
    /// A run of a workload with this input at a scale on a GPU, without compression.
    pub fn run_of(&self, workload: &str, scale: Scale, gpu: &GpuArgs) -> RunSpec {
        RunSpec {
            gpu: gpu.gpu.clone(),
            overrides: gpu.overrides.clone(),
            seed: self.seed,
            data: self.data.clone(),
            ..RunSpec::new(workload, scale)
        }
    }
}

impl InputArgs {
    /// A run of a workload with this input on a GPU, without compression.
    pub fn run_of(&self, workload: &str, gpu: &GpuArgs) -> RunSpec {
        self.set.run_of(workload, self.size.scale, gpu)
    }
}

/// Reads a block size in bytes.
pub fn parse_block(text: &str) -> Result<BlockBytes, String> {
    text.parse().ok().and_then(BlockBytes::from_bytes).ok_or("expected 32, 64 or 128".to_owned())
}

/// The codec that `--codec` names.
pub fn parse_codec(text: &str, block: BlockBytes) -> Result<CodecSpec, Failure> {
    CodecSpec::parse(text, block).map_err(|error| Failure::Usage(format!("--codec: {error}")))
}
