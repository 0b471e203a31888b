//! How a launch is watched: progress, samples, interruption, deadlock.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use shrinkwarp_emu::device::DeviceError;

pub use crate::base::station::{Cause, Mismatch};

/// What the caller of a launch wants to see of it.
pub struct RunOptions<'a> {
    /// Core cycles between two [`TimelineSample`]s.
    pub sample_every_cycles: Option<u64>,
    /// Called now and then with how far the launch is.
    pub on_progress: Option<&'a mut dyn FnMut(&Progress)>,
    /// Set it to end the launch early: the report is then partial.
    pub interrupt: Option<&'a AtomicBool>,
    /// Cycles without any issued instruction after which the launch is given up.
    pub deadlock_after_cycles: u64,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self { sample_every_cycles: None, on_progress: None, interrupt: None, deadlock_after_cycles: 200_000 }
    }
}

impl RunOptions<'_> {
    /// Whether the run was asked to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// How far a launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Core cycles of the launch.
    pub cycles: u64,
    /// Thread instructions so far.
    pub thread_instructions: u64,
    /// Thread blocks that have ended.
    pub blocks_done: u64,
    /// Thread blocks of the grid.
    pub blocks: u64,
}

/// The machine between two moments of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimelineSample {
    /// Core cycle at its end.
    pub cycle: u64,
    /// Core cycles it covers.
    pub cycles: u64,
    /// Thread instructions issued.
    pub thread_instructions: u64,
    /// Warps on all SMs at its end.
    pub resident_warps: u64,
    /// Scheduler cycles without an instruction to issue.
    pub no_instruction_cycles: u64,
    /// Scheduler cycles that waited for registers.
    pub register_wait_cycles: u64,
    /// Scheduler cycles that found pipes full.
    pub pipe_full_cycles: u64,
    /// L1D accesses.
    pub l1_accesses: u64,
    /// L1D accesses that found their line.
    pub l1_hits: u64,
    /// L2 accesses.
    pub l2_accesses: u64,
    /// L2 accesses that found their line.
    pub l2_hits: u64,
    /// Slice cycles in which the reply network refused a reply.
    pub reply_stall_cycles: u64,
    /// DRAM bursts read.
    pub dram_read_bursts: u64,
    /// DRAM bursts written.
    pub dram_write_bursts: u64,
}

impl TimelineSample {
    /// What happened between two counts of totals.
    pub(crate) fn since(&self, before: &TimelineSample) -> TimelineSample {
        TimelineSample {
            cycle: self.cycle,
            cycles: self.cycles - before.cycles,
            thread_instructions: self.thread_instructions - before.thread_instructions,
            resident_warps: self.resident_warps,
            no_instruction_cycles: self.no_instruction_cycles - before.no_instruction_cycles,
            register_wait_cycles: self.register_wait_cycles - before.register_wait_cycles,
            pipe_full_cycles: self.pipe_full_cycles - before.pipe_full_cycles,
            l1_accesses: self.l1_accesses - before.l1_accesses,
            l1_hits: self.l1_hits - before.l1_hits,
            l2_accesses: self.l2_accesses - before.l2_accesses,
            l2_hits: self.l2_hits - before.l2_hits,
            reply_stall_cycles: self.reply_stall_cycles - before.reply_stall_cycles,
            dram_read_bursts: self.dram_read_bursts - before.dram_read_bursts,
            dram_write_bursts: self.dram_write_bursts - before.dram_write_bursts,
        }
    }
}

/// When a thread block lived where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadBlockSpan {
    /// Number of the thread block in the grid.
    pub block: u64,
    /// SM.
    pub sm: u16,
    /// Core cycle of its launch.
    pub start: u64,
    /// Core cycle of its end; for a thread block that did not end, that of the launch.
    pub end: u64,
}

/// Why a launch on the machine failed.
#[derive(Debug)]
pub enum RunError {
    /// As on any device: memory, arguments, a fault of the kernel.
    Device(DeviceError),
    /// Nothing moves any more.
    Deadlock(Deadlock),
    /// A block did not come back from a codec as it went in.
    Mismatch(Mismatch),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { point, codec, block, cause } = self;
        let (address, point) = (block.first_byte(), point.name());
        match cause {
            Cause::Codec => write!(f, "verification: {codec} at {point} changed the block at {address:#x}"),
            Cause::HostWrite => write!(
                f,
                "verification: the block at {address:#x} is stored by {codec} at {point} as it was before the host wrote it"
            ),
        }
    }
}

/// Who waits for whom when nothing moves any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Core cycle.
    pub cycle: u64,
    /// One line for each thing that waits.
    pub waits: Vec<String>,
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "deadlock: nothing has moved up to core cycle {}; what each part waits for:",
            self.cycle
        )?;
        self.waits.iter().try_for_each(|wait| writeln!(f, "  {wait}"))
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(error) => error.fmt(f),
            Self::Deadlock(deadlock) => deadlock.fmt(f),
            Self::Mismatch(mismatch) => mismatch.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

impl From<DeviceError> for RunError {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl From<RunError> for DeviceError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Device(error) => error,
            RunError::Deadlock(deadlock) => DeviceError::Launch(deadlock.to_string()),
            RunError::Mismatch(mismatch) => DeviceError::Launch(mismatch.to_string()),
        }
    }
}
