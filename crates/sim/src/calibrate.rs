//! The machine beside the reference simulator: the same kernels and inputs, both figures.
//!
//! The cases and what the reference measured come with the emulator ([`shrinkwarp_emu::reference`]). Every case runs on
//! a machine of its own with cold caches, with the registers per thread that the reference used.

use serde::ser::{Serialize, SerializeMap, Serializer};
use shrinkwarp_emu::device::DeviceError;
use shrinkwarp_emu::reference::{Case, SENSITIVITY_CSV, cases, measured};

use crate::base::AccessKind;
use crate::config::GpuSpec;
use crate::counters::MachineCounters;
use crate::gpu::Gpu;
use crate::run::{RunError, RunOptions};

/// One case, ours beside the reference's.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// Name.
    pub case: &'static str,
    /// Core cycles of the launch.
    pub cycles: u64,
    /// The same, reference.
    pub reference_cycles: u64,
    /// Thread instructions.
    pub thread_instructions: u64,
    /// The same, reference.
    pub reference_thread_instructions: u64,
    /// Whether the output has the reference's bytes.
    pub checksum_ok: bool,
    /// Processor seconds of the run.
    pub cpu_seconds: f64,
    /// The same, reference.
    pub reference_cpu_seconds: f64,
    /// The other columns of the reference's table.
    pub counts: Vec<Count>,
}

/// One count of the memory system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Column of the reference's table.
    pub column: &'static str,
    /// Ours.
    pub ours: u64,
    /// The reference's.
    pub reference: u64,
}

impl CaseResult {
    /// Relative error of the cycles.
    pub fn cycle_error(&self) -> f64 {
        self.cycles as f64 / self.reference_cycles as f64 - 1.0
    }

    /// How many times faster than the reference simulator.
    pub fn speed_ratio(&self) -> f64 {
        self.reference_cpu_seconds / self.cpu_seconds.max(1e-9)
    }

    /// A count by its column.
    pub fn count(&self, column: &str) -> Option<&Count> {
        self.counts.iter().find(|count| count.column == column)
    }
}

impl Serialize for CaseResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("case", self.case)?;
        map.serialize_entry("cycles", &self.cycles)?;
        map.serialize_entry("reference_cycles", &self.reference_cycles)?;
        map.serialize_entry("cycle_error", &self.cycle_error())?;
        map.serialize_entry("thread_instructions", &self.thread_instructions)?;
        map.serialize_entry("reference_thread_instructions", &self.reference_thread_instructions)?;
        map.serialize_entry("checksum_ok", &self.checksum_ok)?;
        map.serialize_entry("cpu_seconds", &self.cpu_seconds)?;
        map.serialize_entry("reference_cpu_seconds", &self.reference_cpu_seconds)?;
        for count in &self.counts {
            map.serialize_entry(count.column, &count.ours)?;
            map.serialize_entry(&format!("reference_{}", count.column), &count.reference)?;
        }
        map.end()
    }
}

/// Runs one case; `cpu_clock` tells the processor seconds this thread has used.
pub fn run_case(case: &Case, spec: &GpuSpec, cpu_clock: &dyn Fn() -> f64) -> Result<CaseResult, RunError> {
    let started = cpu_clock();
    let mut gpu = Gpu::new(spec.clone());
    let reference = |column| figure(case.name, column);
    gpu.set_registers(case.kernel, reference("registers")? as u32);
    let prepared = case.prepare(&mut gpu)?;
    let report = gpu.launch_watched(&prepared.kernel, &prepared.launch, &mut RunOptions::default())?;
    let cpu_seconds = cpu_clock() - started;
    let checksum = format!("{:016x}", prepared.checksum(&mut gpu)?);
    let mut counts = Vec::new();
    for (column, ours) in columns(&report.counters) {
        counts.push(Count { column, ours, reference: reference(column)? as u64 });
    }
    Ok(CaseResult {
        case: case.name,
        cycles: report.cycles,
        reference_cycles: reference("cycles")? as u64,
        thread_instructions: report.counters.sm.thread_instructions,
        reference_thread_instructions: reference("thread_instructions")? as u64,
        checksum_ok: measured(case.name, "checksum") == Some(checksum.as_str()),
        cpu_seconds,
        reference_cpu_seconds: reference("reference_cpu_seconds")?,
        counts,
    })
}

/// Our figures for the columns of the reference's table.
fn columns(counters: &MachineCounters) -> [(&'static str, u64); 12] {
    let l1_read = counters.l1.row(AccessKind::GlobalRead);
    let l1_write = counters.l1.row(AccessKind::GlobalWrite);
    let l2_read = counters.memory.l2.cache.row(AccessKind::GlobalRead);
    let l2_write = counters.memory.l2.cache.row(AccessKind::GlobalWrite);
    let dram = &counters.memory.dram;
    [
        ("l1d_read_hit", l1_read.hits),
        ("l1d_read_hit_reserved", l1_read.hits_reserved),
        ("l1d_read_miss", l1_read.misses),
        ("l1d_reservation_fails", l1_read.fails()),
        ("l1d_write", l1_write.accesses()),
        ("l2_read", l2_read.accesses()),
        ("l2_read_miss", l2_read.misses),
        ("l2_write", l2_write.accesses()),
        ("dram_read_cmds", dram.all_read_commands()),
        ("dram_write_cmds", dram.all_write_commands()),
        ("dram_activates", dram.activates),
        ("reply_stall_slice_cycles", counters.memory.l2.reply_stall_cycles),
    ]
}

fn figure(case: &str, column: &str) -> Result<f64, RunError> {
    let value = measured(case, column).and_then(|text| text.parse().ok());
    value.ok_or_else(|| missing(&format!("reference/results.csv has no {column} for {case}")))
}

fn missing(message: &str) -> RunError {
    DeviceError::Launch(message.to_owned()).into()
}

/// One change of the machine whose effect the reference measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name, as in `reference/sensitivity.csv`.
    pub name: &'static str,
    /// What is changed.
    pub set: &'static str,
}

/// All of them.
pub const VARIANTS: [Variant; 6] = [
    Variant { name: "l1_64k", set: "l1.size_kib=64" },
    Variant { name: "l1_latency_15", set: "l1.latency_cycles=15" },
    Variant { name: "dram_2x", set: "clocks.dram_mhz=1848" },
    Variant { name: "dram_half", set: "clocks.dram_mhz=462" },
    Variant { name: "flit_64", set: "interconnect.flit_bytes=64" },
    Variant { name: "lrr", set: "sm.scheduler=\"lrr\"" },
];

/// A row of `reference/sensitivity.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceCell {
    /// Variant.
    pub variant: &'static str,
    /// Case.
    pub case: &'static str,
    /// Cycles of the reference.
    pub cycles: u64,
    /// Cycles of the unchanged machine divided by them.
    pub speedup: f64,
}

/// All rows.
pub fn reference_cells() -> Vec<ReferenceCell> {
    let cell = |line: &'static str| {
        let mut fields = line.split(',');
        Some(ReferenceCell {
            variant: fields.next()?,
            case: fields.next()?,
            cycles: fields.next()?.parse().ok()?,
            speedup: fields.next()?.parse().ok()?,
        })
    };
    SENSITIVITY_CSV.lines().skip(1).filter_map(cell).collect()
}

/// One change, one case: what it brought us and the reference.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Cell {
    /// Variant.
    pub variant: &'static str,
    /// Case.
    pub case: &'static str,
    /// Our cycles with the change.
    pub cycles: u64,
    /// Our cycles without it, divided by them.
    pub speedup: f64,
    /// The same ratio of the reference.
    pub reference_speedup: f64,
}

impl Cell {
    /// Whether the ratio is within `tolerance` of the reference's.
    pub fn is_within(&self, tolerance: f64) -> bool {
        (self.speedup - self.reference_speedup).abs() <= tolerance
    }

    /// Whether it moves the same way wherever the reference moves by more than 5 %.
    pub fn has_same_direction(&self) -> bool {
        let change = self.reference_speedup - 1.0;
        change.abs() <= 0.05 || change.signum() == (self.speedup - 1.0).signum()
    }
}

/// The case of that name.
pub fn case_named(name: &str) -> Option<Case> {
    cases().into_iter().find(|case| case.name == name)
}
