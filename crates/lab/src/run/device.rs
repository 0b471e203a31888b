//! The machine as a device that remembers its launches, shows how far it is and can be stopped.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::kernel::Kernel;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::L1Record;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::launch::RunReport;
use shrinkwarp_sim::run::{Progress, RunOptions};

/// Is told how far a run is.
pub trait Watcher {
    /// A launch begins.
    fn launch_begins(&mut self, _kernel: &str) {}

    /// How far the launch is; called now and then.
    fn progress(&mut self, _progress: &Progress) {}

    /// The launch has ended, well or not.
    fn launch_ends(&mut self) {}
}

/// Shows nothing.
impl Watcher for () {}

/// A GPU whose launches are recorded.
pub struct RecordedGpu<'w> {
    gpu: Gpu,
    sample_every_cycles: Option<u64>,
    interrupt: Option<&'w AtomicBool>,
    watcher: &'w mut dyn Watcher,
    launches: Vec<RunReport>,
    /// Counters at the moment of an interruption, which resets the machine.
    counters: Option<MachineCounters>,
}

impl<'w> RecordedGpu<'w> {
    /// Records a GPU. A set `interrupt` ends the launch that runs.
    pub fn new(
        gpu: Gpu,
        sample_every_cycles: Option<u64>,
        interrupt: Option<&'w AtomicBool>,
        watcher: &'w mut dyn Watcher,
    ) -> Self {
        Self { gpu, sample_every_cycles, interrupt, watcher, launches: Vec::new(), counters: None }
    }

    /// What was configured.
    pub fn spec(&self) -> &GpuSpec {
        self.gpu.spec()
    }

    /// What the L1 of the first SM decided, phase by phase; nothing where it is plain.
    pub fn l1_record(&self) -> Option<&L1Record> {
        self.gpu.l1_records().next()
    }

    /// The reports, once the device is of no more use.
    pub fn into_launches(self) -> Vec<RunReport> {
        self.launches
    }

    /// Whether the run was ended early.
    pub fn is_interrupted(&self) -> bool {
        self.launches.last().is_some_and(|launch| launch.is_partial)
    }

    /// Everything counted.
    pub fn machine_counters(&mut self) -> MachineCounters {
        self.counters.clone().unwrap_or_else(|| self.gpu.machine_counters())
    }
}

impl Device for RecordedGpu<'_> {
    fn device_memory(&mut self) -> &mut Memory {
        self.gpu.device_memory()
    }

    fn sm_count(&self) -> u32 {
        self.gpu.sm_count()
    }

    fn resident_blocks(&self, kernel: &Kernel, threads: u32) -> u32 {
        self.gpu.resident_blocks(kernel, threads)
    }

    fn note_allocation(&mut self, address: u64, bytes: u64) {
        self.gpu.note_allocation(address, bytes);
    }

    fn note_host_write(&mut self, address: u64, bytes: u64) {
        self.gpu.note_host_write(address, bytes);
    }

    fn launch(&mut self, kernel: &Arc<Kernel>, launch: &Launch) -> Result<LaunchReport, DeviceError> {
        self.watcher.launch_begins(&kernel.name);
        let watcher = &mut *self.watcher;
        let mut on_progress = |progress: &Progress| watcher.progress(progress);
        let mut options = RunOptions {
            sample_every_cycles: self.sample_every_cycles,
            on_progress: Some(&mut on_progress),
            interrupt: self.interrupt,
            ..RunOptions::default()
        };
        let report = self.gpu.launch_watched(kernel, launch, &mut options);
        self.watcher.launch_ends();
        let report = report?;
        let result = LaunchReport {
            thread_instructions: report.thread_instructions,
            warp_instructions: report.warp_instructions,
            cycles: Some(report.cycles),
            output: report.output.clone(),
        };
        let is_partial = report.is_partial;
        if is_partial {
            self.counters = Some(report.counters.clone());
        }
        self.launches.push(report);
        if is_partial {
            return Err(DeviceError::Launch("interrupted".to_owned()));
        }
        Ok(result)
    }
}
