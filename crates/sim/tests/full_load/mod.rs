//! Streams of coalesced accesses that load a machine fully, and how much DRAM then moves.

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_sim::config::{self, Derived, GpuSpec, load_scheme};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::run::RunOptions;
use shrinkwarp_sim::scheme::{Scheme, Tables};

const PTX: &str = include_str!("stream.ptx");

/// The buffer is at least this many times as large as the L2.
const BUFFER_OVER_L2: usize = 8;

/// The buffer is a multiple of this for each thread of the grid; no kernel but `copy_stream` takes more in a step.
const STEP_BYTES: usize = 128;

/// What the threads do with the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Read,
    /// A thread block copies a row of every channel: four times 16 bytes for each thread, then all stores.
    Copy,
    /// A word at a time.
    CopyWords,
}

impl Stream {
    fn threads_per_block(self) -> usize {
        if self == Self::Copy { 128 } else { 256 }
    }

    fn kernel(self) -> &'static str {
        match self {
            Self::Read => "read_stream",
            Self::Copy => "copy_stream",
            Self::CopyWords => "copy_words",
        }
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub cycles: u64,
    /// What DRAM moved, in GB/s: with a copy, the source, the target, and the fetch of the target that a write miss causes.
    pub dram_gb_per_s: f64,
    /// That, of what DRAM could move.
    pub dram_share: f64,
    /// Share of the slices' cycles in which the reply network refused a reply.
    pub reply_stall_share: f64,
}

/// Runs a stream on a preset with changes, written `section.key=value`.
pub fn run(stream: Stream, preset: &str, scheme: &str, changes: &[String]) -> Load {
    let spec = config::load(preset, changes).unwrap();
    let derived = Derived::of(&spec);
    let scheme = Scheme::build(load_scheme(scheme, &[]).unwrap(), &Tables::default(), false).unwrap();
    let threads = stream.threads_per_block();
    let blocks = spec.sm.count * (spec.sm.threads / threads).min(spec.sm.blocks);
    let row_bytes = row_bytes(&spec);
    let step_bytes = if stream == Stream::Copy { row_bytes } else { threads * STEP_BYTES };
    let bytes = (BUFFER_OVER_L2 * derived.l2_total_kib * 1024).next_multiple_of(blocks * step_bytes);
    let (slices, core_mhz) = (derived.slices as f64, f64::from(spec.clocks.core_mhz));
    let icnt_per_core = f64::from(spec.clocks.interconnect_mhz) / core_mhz;
    let mut gpu = Gpu::with_scheme(spec, scheme);
    let (source, target) = (gpu.alloc(bytes as u64).unwrap(), gpu.alloc(bytes as u64).unwrap());
    let module = gpu.load_module(PTX).unwrap();
    let mut parameters = Vec::new();
    parameters.extend(source.to_le_bytes());
    parameters.extend(target.to_le_bytes());
    parameters.extend((bytes as u32 / 4).to_le_bytes());
    if stream == Stream::Copy {
        parameters.extend((row_bytes as u32).to_le_bytes());
    }
    let launch = Launch::new([blocks as u32, 1, 1], [threads as u32, 1, 1], parameters);
    let report =
        gpu.launch_watched(&module.kernels[stream.kernel()], &launch, &mut RunOptions::default()).unwrap();
    let memory = &report.counters.memory;
    let commands = memory.dram.all_read_commands() + memory.dram.all_write_commands();
    let seconds = report.cycles as f64 / (core_mhz * 1e6);
    let dram_gb_per_s = commands as f64 * derived.dram_burst_bytes as f64 / seconds / 1e9;
    Load {
        cycles: report.cycles,
        dram_gb_per_s,
        dram_share: dram_gb_per_s / derived.dram_peak_gb_per_s,
        reply_stall_share: memory.l2.reply_stall_cycles as f64
            / (slices * icnt_per_core * report.cycles as f64),
    }
}

/// What one row of a bank holds in all channels together.
fn row_bytes(spec: &GpuSpec) -> usize {
    let column_bits = spec.dram.address_map.chars().filter(|bit| matches!(bit, 'C' | 'S')).count();
    spec.dram.channels << column_bits
}

/// The DRAM clock of a preset, `times` as fast.
pub fn faster_dram(preset: &str, times: u32) -> Vec<String> {
    let clocks = config::load(preset, &[]).unwrap().clocks;
    vec![format!("clocks.dram_mhz={}", clocks.dram_mhz * times)]
}

/// Turns of the DRAM bus between reads and writes of 4 clocks each, in place of 12 and 11: shorter latencies of reads and writes.
pub fn short_turnarounds() -> Vec<String> {
    ["cl=2", "wl=2", "cdlr=0"].map(|time| format!("dram.timing.{time}")).to_vec()
}

/// The interconnect clock of a preset, `times` as fast.
pub fn faster_network(preset: &str, times: u32) -> Vec<String> {
    let clocks = config::load(preset, &[]).unwrap().clocks;
    vec![format!("clocks.interconnect_mhz={}", clocks.interconnect_mhz * times)]
}
