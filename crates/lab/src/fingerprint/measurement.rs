//! How a fingerprint is measured: a base run, and one run for each speedup.

use serde_json::{Value, json};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_workloads::{InputProperties, Setup, WorkloadReport};

use super::columns::{Columns, columns_of};
use super::originals::machine;
use crate::LabError;
use crate::profile::{CodecRatio, Profile};
use crate::run::{LaunchResult, Run, RunResult, RunSpec, Watching, number};

/// What a four times larger L1 is: the size and the ways of the originals' measurements.
const LARGE_L1: [&str; 2] = ["l1.size_kib=64", "l1.ways=16"];

/// How many times faster the DRAM clock is in the last run.
const DRAM_FACTOR: u32 = 8;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Workload, scale, seed and changes of the machine; `gpu` may be a machine of the originals.
    pub spec: RunSpec,
    /// Size of the input in the workload's own measure, in place of the scale's.
    pub size: Option<usize>,
    /// Launches after which the program ends, unchecked.
    pub launches: Option<u64>,
    /// Whether the two runs for the speedups are made, too.
    pub has_speedups: bool,
    /// Codecs to apply to the DRAM traffic.
    pub codecs: Vec<String>,
}

/// What a workload did.
#[derive(Debug)]
pub struct Fingerprint {
    /// What was measured.
    pub measurement: Measurement,
    /// Values by column.
    pub columns: Columns,
    /// Each codec on the DRAM traffic.
    pub ratios: Vec<CodecRatio>,
    /// The launches, in order.
    pub launches: Vec<LaunchResult>,
}

impl Measurement {
    /// Runs the workload.
    pub fn measure(self) -> Result<Fingerprint, LabError> {
        let specs = self.codecs.iter().map(|name| CodecSpec::parse(name, BlockBytes::B128));
        let specs: Vec<CodecSpec> =
            specs.collect::<Result<_, _>>().map_err(|error| LabError::Usage(format!("--codec: {error}")))?;
        let base = self.run_with(&[])?;
        let (profile, outcome, result) = self.execute(&base)?;
        let mut columns = columns_of(&result, outcome.peak_bytes, &base.gpu)?;
        if self.has_speedups {
            let faster_dram = format!("clocks.dram_mhz={}", base.gpu.clocks.dram_mhz * DRAM_FACTOR);
            for (column, changes) in
                [("speedup_L1_64K", LARGE_L1.to_vec()), ("speedup_dram8x", vec![faster_dram.as_str()])]
            {
                let (_, _, changed) = self.execute(&self.run_with(&changes)?)?;
                columns.insert(column, result.cycles as f64 / changed.cycles.max(1) as f64);
            }
        }
        let ratios = specs.iter().map(|spec| profile.ratio(spec)).collect();
        Ok(Fingerprint { measurement: self, columns, ratios, launches: result.launches })
    }

    /// The machine's preset and all changes of it.
    pub fn machine(&self) -> (String, Vec<String>) {
        let (gpu, mut changes) = machine(&self.spec.gpu);
        changes.extend(self.spec.overrides.iter().cloned());
        (gpu, changes)
    }

    fn run_with(&self, changes: &[&str]) -> Result<Run, LabError> {
        let (gpu, mut overrides) = self.machine();
        overrides.extend(changes.iter().map(|&change| change.to_owned()));
        RunSpec { gpu, overrides, ..self.spec.clone() }.resolve()
    }

    fn execute(&self, run: &Run) -> Result<(Profile, WorkloadReport, RunResult), LabError> {
        let Some(of) = run.subject.workload() else {
            return Err(LabError::Usage(format!("{}: only workloads have originals", run.subject.name())));
        };
        let properties =
            self.size.map(|size| InputProperties { size: Some(size), ..InputProperties::default() });
        let setup = Setup { properties, max_launches: self.launches, ..of.setup() };
        Profile::with_result(run, of, setup, Watching::alone(&mut ()))
    }
}

impl Fingerprint {
    /// Everything as JSON.
    pub fn json(&self) -> Value {
        let spec = &self.measurement.spec;
        let (gpu, set) = self.measurement.machine();
        let columns: serde_json::Map<String, Value> =
            self.columns.iter().map(|(&column, &value)| (column.to_owned(), number(value))).collect();
        let ratios: serde_json::Map<String, Value> =
            self.ratios.iter().map(|ratio| (ratio.codec.clone(), json!(ratio.raw_ratio))).collect();
        let launches: Vec<Value> = self
            .launches
            .iter()
            .map(|launch| {
                json!({
                    "kernel": launch.kernel,
                    "thread_insn": launch.thread_instructions,
                    "cycles": launch.cycles,
                })
            })
            .collect();
        json!({
            "workload": spec.subject.name(),
            "machine": spec.gpu,
            "gpu": gpu,
            "set": set,
            "scale": spec.scale.name(),
            "size": self.measurement.size,
            "seed": spec.seed,
            "columns": columns,
            "dram_compression_ratios": ratios,
            "launches": launches,
        })
    }
}
