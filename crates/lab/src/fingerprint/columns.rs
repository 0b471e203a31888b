//! The columns of `reference/originals.csv` and how each follows from a run.
//!
//! | column                 | from                                                                       |
//! |------------------------|----------------------------------------------------------------------------|
//! | `device_alloc_peak_B`  | buffers                                                                    |
//! | `trans_per_warp_mem`   | accesses of global, local and atomic instructions over those instructions  |
//! | `l1_reads`             | reads that the L1D took after coalescing                                   |
//! | `l1_read_miss_pct`     | of these: not in the cache, or on their way                                |
//! | `l1_new_miss_pct`      | of these: not in the cache                                                 |
//! | `l2_reads`             | all reads that the slices took: data, atomics, constants, textures, instructions |
//! | `l2_read_miss_pct`     | of these: not in the cache                                                 |
//! | `dram_util_pct`        | cycles of the data buses that moved data                                   |
//! | `speedup_*`            | cycles of the base run over those of a run with one thing changed          |

use shrinkwarp_machine::{Counter, MachineError};
use std::collections::{BTreeMap, BTreeSet};

use shrinkwarp_sim::config::GpuSpec;

use crate::run::{Counters, RunResult};

/// The numeric columns, in the order of the file.
pub const COLUMNS: [&str; 24] = [
    "device_alloc_peak_B",
    "kernels",
    "launches",
    "thread_insn",
    "cycles",
    "ipc",
    "trans_per_warp_mem",
    "l1_reads",
    "l1_read_miss_pct",
    "l1_new_miss_pct",
    "l1_local_pct",
    "atomics_bypass",
    "tex_acc",
    "tex_hit_pct",
    "l2_reads",
    "l2_read_miss_pct",
    "dram_read_B",
    "dram_write_B",
    "dram_util_pct",
    "reply_stall_pct",
    "issued_pct",
    "pipe_full_pct",
    "speedup_L1_64K",
    "speedup_dram8x",
];

/// Values by column; what was not measured is left out.
pub type Columns = BTreeMap<&'static str, f64>;

/// How far ours may be from the original: a share of it, or points of a percentage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowance {
    /// A share of the original's value.
    Share(f64),
    /// Percentage points.
    Points(f64),
}

/// What is allowed in a column; `None` where nothing is demanded.
pub fn allowance(column: &str) -> Option<Allowance> {
    match column {
        "device_alloc_peak_B" => Some(Allowance::Share(0.05)),
        "thread_insn" | "trans_per_warp_mem" | "dram_read_B" | "dram_write_B" => Some(Allowance::Share(0.10)),
        "l1_read_miss_pct" | "l1_new_miss_pct" | "l2_read_miss_pct" => Some(Allowance::Points(5.0)),
        _ => None,
    }
}

/// The columns of a run, speedups left out.
pub fn columns_of(result: &RunResult, footprint_bytes: u64, gpu: &GpuSpec) -> Result<Columns, MachineError> {
    let counters = &result.counters;
    let get = |name: &str| counters.find(name);
    let kernels: BTreeSet<&str> = result.launches.iter().map(|launch| launch.kernel.as_str()).collect();
    let l1 = Reads::of(counters, "l1.", &["global_read", "local_read"])?;
    let local = Reads::of(counters, "l1.", &["local_read"])?;
    let texture = Reads::of(counters, "texture_cache.", &["texture_read"])?;
    let l2 = Reads::of(
        counters,
        "memory.l2.cache.",
        &["global_read", "local_read", "constant_read", "texture_read", "instruction_read"],
    )?;
    let scheduler_cycles = ["issued", "no_instruction", "register_wait", "pipe_full"]
        .iter()
        .map(|what| get(&format!("sm.{what}_cycles")))
        .sum::<Result<f64, _>>()?;
    let burst_bytes = gpu.dram.burst_bytes() as f64;
    let bus_cycles = get("dram_cycles")? * gpu.dram.channels as f64;
    let commands = |kinds: &[&str]| -> Result<f64, MachineError> {
        kinds.iter().map(|kind| get(&format!("memory.dram.{kind}_commands"))).sum()
    };
    Ok(Columns::from([
        ("device_alloc_peak_B", footprint_bytes as f64),
        ("kernels", kernels.len() as f64),
        ("launches", result.launches.len() as f64),
        ("thread_insn", result.thread_instructions as f64),
        ("cycles", result.cycles as f64),
        ("ipc", result.ipc()),
        ("trans_per_warp_mem", ratio(get("load_store.data_accesses")?, get("load_store.data_instructions")?)),
        ("l1_reads", l1.accesses()),
        ("l1_read_miss_pct", percent(l1.misses + l1.hits_reserved, l1.accesses())),
        ("l1_new_miss_pct", percent(l1.misses, l1.accesses())),
        ("l1_local_pct", percent(local.accesses(), l1.accesses())),
        ("atomics_bypass", get("load_store.bypassing_accesses")?),
        ("tex_acc", texture.accesses()),
        ("tex_hit_pct", percent(texture.hits, texture.accesses())),
        ("l2_reads", l2.accesses()),
        ("l2_read_miss_pct", percent(l2.misses, l2.accesses())),
        (
            "dram_read_B",
            burst_bytes * commands(&["read", "write_allocate_read", "metadata_read", "merge_read"])?,
        ),
        ("dram_write_B", burst_bytes * commands(&["write", "writeback", "metadata_write"])?),
        ("dram_util_pct", percent(get("memory.dram.data_bus_cycles")?, bus_cycles)),
        ("reply_stall_pct", 100.0 * counters.get(Counter::REPLY_STALL_SHARE)),
        ("issued_pct", percent(get("sm.issued_cycles")?, scheduler_cycles)),
        ("pipe_full_pct", percent(get("sm.pipe_full_cycles")?, scheduler_cycles)),
    ]))
}

/// Some rows of a cache's statistics, added up.
struct Reads {
    hits: f64,
    hits_reserved: f64,
    misses: f64,
}

impl Reads {
    fn of(counters: &Counters, cache: &str, kinds: &[&str]) -> Result<Self, MachineError> {
        let sum = |outcome: &str| -> Result<f64, MachineError> {
            kinds.iter().map(|kind| counters.find(&format!("{cache}{kind}.{outcome}"))).sum()
        };
        Ok(Self { hits: sum("hits")?, hits_reserved: sum("hits_reserved")?, misses: sum("misses")? })
    }

    fn accesses(&self) -> f64 {
        self.hits + self.hits_reserved + self.misses
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn percent(part: f64, whole: f64) -> f64 {
    100.0 * ratio(part, whole)
}
