//! The machine beside the reference simulator: the same kernels and inputs, both figures.
//!
//! | file              | what it holds                                                        |
//! |-------------------|----------------------------------------------------------------------|
//! | `cases.rs`        | the kernels, their inputs and launches                               |
//! | `reference.rs`    | the machines that the reference was configured as, what it measured  |
//! | `sensitivity.rs`  | changes of a machine whose effect the reference measured             |
//!
//! Every case runs on a GPU of its own with cold caches, with the registers per thread that the reference used.

pub mod cases;
mod inputs;
pub mod reference;
pub mod sensitivity;

pub use cases::{Case, case_named, cases, path_cases};
pub use reference::Machine;
pub use sensitivity::{Cell, ReferenceCell, Variant, reference_cells, variant_named};

use serde::ser::{Serialize, SerializeMap, Serializer};
use shrinkwarp_emu::device::DeviceError;

use crate::base::AccessKind;
use crate::config::GpuSpec;
use crate::counters::MachineCounters;
use crate::gpu::Gpu;
use crate::run::{RunError, RunOptions};

/// One case, ours beside the reference's.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// What the reference was configured as.
    pub machine: Machine,
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
        map.serialize_entry("machine", self.machine.name())?;
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

/// Runs one case on `spec`, beside what the reference measured on `machine`; `cpu_clock` tells the processor seconds
/// this thread has used.
pub fn run_case(
    case: &Case,
    machine: Machine,
    spec: &GpuSpec,
    cpu_clock: &dyn Fn() -> f64,
) -> Result<CaseResult, RunError> {
    let started = cpu_clock();
    let mut gpu = Gpu::new(spec.clone());
    let reference = |column| figure(machine, case.name, column);
    gpu.set_registers(case.kernel, reference("registers")? as u32);
    let prepared = case.prepare(&mut gpu)?;
    let report = gpu.launch_watched(&prepared.kernel, &prepared.launch, &mut RunOptions::default())?;
    let cpu_seconds = cpu_clock() - started;
    let checksum = format!("{:016x}", prepared.checksum(&mut gpu)?);
    let mut counts = Vec::new();
    for (column, ours) in columns(&report.counters, machine) {
        counts.push(Count { column, ours, reference: reference(column)? as u64 });
    }
    Ok(CaseResult {
        machine,
        case: case.name,
        cycles: report.cycles,
        reference_cycles: reference("cycles")? as u64,
        thread_instructions: report.counters.sm.thread_instructions,
        reference_thread_instructions: reference("thread_instructions")? as u64,
        checksum_ok: machine.measured(case.name, "checksum") == Some(checksum.as_str()),
        cpu_seconds,
        reference_cpu_seconds: reference("reference_cpu_seconds")?,
        counts,
    })
}

/// Our figures for the columns of the reference's table.
fn columns(counters: &MachineCounters, machine: Machine) -> Vec<(&'static str, u64)> {
    let l1_read = counters.l1.row(AccessKind::GlobalRead);
    let l1_write = counters.l1.row(AccessKind::GlobalWrite);
    let l2_read = counters.memory.l2.cache.row(AccessKind::GlobalRead);
    let l2_write = counters.memory.l2.cache.row(AccessKind::GlobalWrite);
    let dram = &counters.memory.dram;
    let mut columns = vec![
        ("l1d_read_hit", l1_read.hits),
        ("l1d_read_hit_reserved", l1_read.hits_reserved),
        ("l1d_read_miss", l1_read.misses - l1_read.sector_misses),
        ("l1d_reservation_fails", l1_read.fails()),
        ("l1d_write", l1_write.accesses()),
        ("l2_read", l2_read.accesses()),
        ("l2_read_miss", l2_read.misses - l2_read.sector_misses),
        ("l2_write", l2_write.accesses()),
        ("dram_read_cmds", dram.all_read_commands()),
        ("dram_write_cmds", dram.all_write_commands()),
        ("dram_activates", dram.activates),
        ("reply_stall_slice_cycles", counters.memory.l2.reply_stall_cycles),
    ];
    if machine == Machine::Volta {
        columns.extend([
            ("l1d_read_sector_miss", l1_read.sector_misses),
            ("l1d_write_hit", l1_write.hits),
            ("l2_read_sector_miss", l2_read.sector_misses),
            ("l2_read_hit_reserved", l2_read.hits_reserved),
            ("l2_write_miss", l2_write.misses),
        ]);
    }
    columns
}

fn figure(machine: Machine, case: &str, column: &str) -> Result<f64, RunError> {
    let value = machine.measured(case, column).and_then(|text| text.parse().ok());
    let message = || format!("the reference has no {column} for {case} ({})", machine.title());
    value.ok_or_else(|| DeviceError::Launch(message()).into())
}
