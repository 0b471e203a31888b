//! Options that several commands share: declared here once, so that each means the same everywhere.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_lab::LabError;
use shrinkwarp_lab::program::ProgramSpec;
use shrinkwarp_lab::run::{RunSpec, SubjectSpec, parse_scale};
use shrinkwarp_machine::configuration::{ENERGY_OF_GPU, gpu_with, scheme_with};
use shrinkwarp_sim::config::{GpuSpec, SchemeSpec};
use shrinkwarp_sim::threads::Threads;
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
    /// Energy per event: a set (see `shrinkwarp list energy`), a path to a .toml file, or `gpu` for the set of the GPU's class
    #[arg(long, default_value = ENERGY_OF_GPU, value_name = "NAME")]
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

/// Tables of trained codecs.
#[derive(Args, Clone, Debug)]
pub struct TablesArgs {
    /// Tables of trained codecs, as `shrinkwarp profile` writes them, in place of a profiling run
    #[arg(long, value_name = "FILE")]
    pub tables: Option<PathBuf>,
}

/// What may be approximated in a program.
#[derive(Args, Clone, Debug)]
pub struct ApproximableArgs {
    /// Clear the low bits of floats that kernels load from an allocation, as in `--approximable 2:f32:8` for the third
    /// device allocation; without BITS, as many as the scheme says; may be repeated
    #[arg(long, value_name = "NUMBER:FORMAT[:BITS]")]
    pub approximable: Vec<String>,
}

/// A program of the user's own, in an experiment.
#[derive(Args, Clone, Debug)]
pub struct ProgramArgs {
    /// File that the program reads; stored results are reused only while its content is unchanged; may be repeated
    #[arg(long, value_name = "FILE", requires = "program")]
    input_file: Vec<PathBuf>,
    /// File that the program writes; every run gets a file of its own; may be repeated
    #[arg(long, value_name = "FILE", requires = "program")]
    output_file: Vec<PathBuf>,
    /// Environment variable for the program: NAME=VALUE, or NAME with the value that it has here; may be repeated
    #[arg(long, value_name = "NAME[=VALUE]", requires = "program")]
    env: Vec<String>,
    #[command(flatten)]
    approximable: ApproximableArgs,
    /// Command that checks the program's results, as in 'diff out.txt golden.txt': exit code 0 means that they are right; a
    /// number on the last line of its output is the error
    #[arg(long, value_name = "COMMAND", requires = "program")]
    check: Option<String>,
    /// Error of an approximated program: compares a file that it writes (.npy, text, or raw with its TYPE) with that of the
    /// exact program; METRIC is nrmse, mean-relative, l-infinity or precision-recall
    #[arg(long, value_name = "METRIC:FILE[:TYPE]", requires = "program")]
    error_metric: Option<String>,
    /// Stop a run of the program after this number of seconds
    #[arg(long, value_name = "SECONDS", requires = "program", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Your own CUDA program and its arguments, as for `shrinkwarp exec`
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// A machine that runs.
#[derive(Args, Clone, Debug)]
pub struct MachineArgs {
    #[command(flatten)]
    pub with: SchemeArgs,
    #[command(flatten)]
    pub trained: TablesArgs,
    /// Decompress every compressed block and compare it with the original
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub energy: EnergyArgs,
}

/// On how many threads one simulation runs.
#[derive(Args, Clone, Copy, Debug)]
pub struct ThreadArgs {
    /// Threads of the simulation: the results are the same with any number of them
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

impl ThreadArgs {
    /// For the machine.
    pub fn threads(self) -> Threads {
        Threads::new(usize::from(self.threads))
    }
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
    /// A run on this machine.
    pub fn run_of(&self, spec: RunSpec) -> RunSpec {
        RunSpec {
            gpu: self.with.gpu.gpu.clone(),
            overrides: self.with.gpu.overrides.clone(),
            scheme: self.with.scheme.clone(),
            energy: self.energy.energy.clone(),
            tables: self.trained.tables.clone(),
            verifies: self.verify,
            ..spec
        }
    }
}

impl ProgramArgs {
    /// The program, if there is one.
    pub fn subject(&self) -> Option<SubjectSpec> {
        if self.program.is_empty() {
            return None;
        }
        let program = ProgramSpec {
            command: self.program.clone(),
            name: None,
            input_files: self.input_file.clone(),
            output_files: self.output_file.clone(),
            env: self.env.clone(),
            approximable: self.approximable.approximable.clone(),
            check: self.check.clone(),
            metric: self.error_metric.clone(),
            timeout_s: self.timeout,
        };
        Some(program.into())
    }

    /// What a command is to run that takes one name or a program.
    pub fn or_named(&self, name: Option<&str>) -> Result<SubjectSpec, Failure> {
        match (name, self.subject()) {
            (None, Some(program)) => Ok(program),
            (Some(name), None) => Ok(name.into()),
            (Some(name), Some(_)) => Err(Failure::Usage(format!("give {name} or a program, not both"))),
            (None, None) => {
                let message = "give a workload, a launch file, or a program after --";
                Err(Failure::Usage(message.to_owned()))
            }
        }
    }
}

impl DataArgs {
    /// A run of a workload with this input at a scale on a GPU, without compression.
    pub fn run_of(&self, subject: impl Into<SubjectSpec>, scale: Scale, gpu: &GpuArgs) -> RunSpec {
        RunSpec {
            gpu: gpu.gpu.clone(),
            overrides: gpu.overrides.clone(),
            seed: self.seed,
            data: self.data.clone(),
            ..RunSpec::new(subject, scale)
        }
    }
}

impl InputArgs {
    /// A run of a workload with this input on a GPU, without compression.
    pub fn run_of(&self, subject: impl Into<SubjectSpec>, gpu: &GpuArgs) -> RunSpec {
        self.set.run_of(subject, self.size.scale, gpu)
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
