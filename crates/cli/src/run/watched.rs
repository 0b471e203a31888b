//! The machine as a device that shows its progress and stops at Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::kernel::{Kernel, Module};
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::{FloatFormat, Texture};
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::launch::RunReport;
use shrinkwarp_sim::run::{Progress, RunOptions};

/// A GPU, watched.
pub struct WatchedGpu {
    gpu: Gpu,
    sample_every_cycles: Option<u64>,
    interrupt: Arc<AtomicBool>,
    launches: Vec<RunReport>,
    /// Counters at the moment of an interruption, which resets the machine.
    counters: Option<MachineCounters>,
    bar: ProgressBar,
}

impl WatchedGpu {
    /// Watches a GPU; Ctrl-C from now on ends the launch that runs.
    pub fn new(gpu: Gpu, sample_every_cycles: Option<u64>) -> Self {
        let interrupt = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupt);
        // Without a handler Ctrl-C ends the process, which is no reason not to run.
        let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
        // The bar draws nothing where standard error is no terminal.
        let bar = ProgressBar::new(0);
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} blocks, {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        Self { gpu, sample_every_cycles, interrupt, launches: Vec::new(), counters: None, bar }
    }

    /// What was configured.
    pub fn spec(&self) -> &GpuSpec {
        self.gpu.spec()
    }

    /// Reports of all launches so far.
    pub fn launches(&self) -> &[RunReport] {
        &self.launches
    }

    /// Core cycles of all launches.
    pub fn cycles(&self) -> u64 {
        self.launches.iter().map(|launch| launch.cycles).sum()
    }

    /// Whether Ctrl-C ended the run early.
    pub fn is_interrupted(&self) -> bool {
        self.launches.last().is_some_and(|launch| launch.is_partial)
    }

    /// Everything counted.
    pub fn machine_counters(&mut self) -> MachineCounters {
        self.counters.clone().unwrap_or_else(|| self.gpu.machine_counters())
    }
}

impl Device for WatchedGpu {
    fn alloc(&mut self, bytes: u64) -> Result<u64, DeviceError> {
        self.gpu.alloc(bytes)
    }

    fn alloc_approximable(
        &mut self,
        bytes: u64,
        element: FloatFormat,
        bits: u32,
    ) -> Result<u64, DeviceError> {
        self.gpu.alloc_approximable(bytes, element, bits)
    }

    fn set_region_entries(&mut self, entries: usize) {
        self.gpu.set_region_entries(entries);
    }

    fn create_texture(&mut self, texture: Texture) -> Result<u64, DeviceError> {
        self.gpu.create_texture(texture)
    }

    fn bind_texture(&mut self, handle: u64, texture: Texture) -> Result<(), DeviceError> {
        self.gpu.bind_texture(handle, texture)
    }

    fn free(&mut self, address: u64) -> Result<(), DeviceError> {
        self.gpu.free(address)
    }

    fn copy_in(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.gpu.copy_in(address, bytes)
    }

    fn copy_out(&mut self, address: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        self.gpu.copy_out(address, out)
    }

    fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        self.gpu.fill(address, value, bytes)
    }

    fn load_module(&mut self, source: &str) -> Result<Arc<Module>, DeviceError> {
        self.gpu.load_module(source)
    }

    fn launch(&mut self, kernel: &Arc<Kernel>, launch: &Launch) -> Result<LaunchReport, DeviceError> {
        let started = Instant::now();
        let bar = &self.bar;
        bar.reset();
        bar.set_prefix(kernel.name.clone());
        let mut on_progress = |progress: &Progress| show(bar, progress, started);
        let mut options = RunOptions {
            sample_every_cycles: self.sample_every_cycles,
            on_progress: Some(&mut on_progress),
            interrupt: Some(&self.interrupt),
            ..RunOptions::default()
        };
        let report = self.gpu.launch_watched(kernel, launch, &mut options);
        self.bar.finish_and_clear();
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

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.gpu.counters()
    }
}

fn show(bar: &ProgressBar, progress: &Progress, started: Instant) {
    let seconds = started.elapsed().as_secs_f64().max(1e-9);
    bar.set_length(progress.blocks);
    bar.set_position(progress.blocks_done);
    bar.set_message(format!(
        "{} cycles, IPC {:.1}, {:.1} M instructions/s",
        progress.cycles,
        progress.thread_instructions as f64 / progress.cycles.max(1) as f64,
        progress.thread_instructions as f64 / 1e6 / seconds,
    ));
}
