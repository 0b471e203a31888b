//! The device: the simulated GPU, or the emulator where no timing is wanted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use shrinkwarp_emu::device::{Device, DeviceError, LoadError};
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::kernel::{Kernel, Module};
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::load::load_runnable;
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_machine::traffic::TrafficTap;
use shrinkwarp_ptx::ast::Module as Ast;
use shrinkwarp_sim::L1Record;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::launch::RunReport;
use shrinkwarp_sim::run::{Progress, RunOptions};

use crate::settings::Settings;

/// How often a line of progress is written.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// A device, with time or without.
pub enum Machine {
    /// The simulated GPU.
    Timed(Box<Gpu>),
    /// The emulator.
    Untimed(Box<Functional>),
}

impl Machine {
    /// The machine that the settings ask for.
    pub fn new(settings: &Settings) -> Self {
        let mut machine = if settings.is_without_timing {
            Self::Untimed(Box::default())
        } else {
            let mut gpu = Gpu::with_scheme(settings.gpu.clone(), settings.scheme.clone());
            gpu.set_threads(settings.threads);
            Self::Timed(Box::new(gpu))
        };
        let memory = machine.memory_mut();
        memory.set_spacing(settings.spacing);
        memory.serve_device_work();
        memory.allow_stray_reads(settings.stray.reads);
        memory.allow_stray_writes(settings.stray.writes);
        machine
    }

    /// Shows what crosses the DRAM link from now on; nothing does without time.
    pub fn tap(&mut self) -> TrafficTap {
        let tap = TrafficTap::default();
        if let Self::Timed(gpu) = self {
            gpu.set_tap(Some(Box::new(tap.clone())));
        }
        tap
    }

    /// What any device can do.
    pub fn device(&mut self) -> &mut dyn Device {
        match self {
            Self::Timed(gpu) => gpu.as_mut(),
            Self::Untimed(device) => device.as_mut(),
        }
    }

    /// Its memory.
    pub fn memory(&self) -> &Memory {
        match self {
            Self::Timed(gpu) => gpu.memory(),
            Self::Untimed(device) => device.memory(),
        }
    }

    /// Its memory, to change.
    pub fn memory_mut(&mut self) -> &mut Memory {
        match self {
            Self::Timed(gpu) => gpu.memory_mut(),
            Self::Untimed(device) => device.memory_mut(),
        }
    }

    /// Loads what can be executed of a module; the errors say why the other kernels are left out.
    pub fn load(&mut self, ast: &Ast) -> Result<(Module, Vec<LoadError>), DeviceError> {
        match self {
            Self::Timed(gpu) => gpu.load_runnable(ast),
            Self::Untimed(device) => load_runnable(ast, device.memory_mut()),
        }
    }

    /// Everything counted; `None` without time.
    pub fn counters(&mut self) -> Option<MachineCounters> {
        match self {
            Self::Timed(gpu) => Some(gpu.machine_counters()),
            Self::Untimed(_) => None,
        }
    }

    /// What the L1 of the first SM decided, phase by phase; nothing where it is plain.
    pub fn l1_record(&self) -> Option<L1Record> {
        match self {
            Self::Timed(gpu) => gpu.l1_records().next().cloned(),
            Self::Untimed(_) => None,
        }
    }

    /// Runs a launch to its end. Without time, the report has no cycles.
    pub fn launch(
        &mut self,
        kernel: &Arc<Kernel>,
        launch: &Launch,
        settings: &Settings,
    ) -> Result<RunReport, DeviceError> {
        match self {
            Self::Timed(gpu) => {
                let mut line = ProgressLine::new(&kernel.name, settings.shows_progress);
                let mut on_progress = |progress: &Progress| line.show(progress);
                let mut options = RunOptions {
                    sample_every_cycles: settings.sample_cycles,
                    on_progress: Some(&mut on_progress),
                    ..RunOptions::default()
                };
                let report = gpu.launch_watched(kernel, launch, &mut options);
                line.clear();
                Ok(report?)
            }
            Self::Untimed(device) => {
                let report = device.launch(kernel, launch)?;
                Ok(RunReport {
                    kernel: kernel.name.clone(),
                    cycles: 0,
                    is_partial: false,
                    thread_instructions: report.thread_instructions,
                    warp_instructions: report.warp_instructions,
                    blocks_per_sm: 0,
                    registers_per_thread: kernel.registers.on(settings.gpu.compute_capability),
                    counters: MachineCounters::default(),
                    samples: Vec::new(),
                    blocks: Vec::new(),
                    output: report.output,
                })
            }
        }
    }
}

/// Simulated time of a number of core cycles.
pub fn milliseconds(spec: &GpuSpec, cycles: u64) -> f64 {
    cycles as f64 / (f64::from(spec.clocks.core_mhz) * 1e3)
}

/// A line on the terminal that is written again and again.
struct ProgressLine<'a> {
    kernel: &'a str,
    is_wanted: bool,
    written: Option<Instant>,
    next: Instant,
}

impl<'a> ProgressLine<'a> {
    fn new(kernel: &'a str, is_wanted: bool) -> Self {
        let is_wanted = is_wanted && std::io::IsTerminal::is_terminal(&std::io::stderr());
        Self { kernel, is_wanted, written: None, next: Instant::now() + PROGRESS_EVERY }
    }

    #[expect(clippy::print_stderr, reason = "progress belongs on standard error, and only on a terminal")]
    fn show(&mut self, progress: &Progress) {
        if self.is_wanted && Instant::now() >= self.next {
            self.written = Some(Instant::now());
            self.next = Instant::now() + PROGRESS_EVERY;
            eprint!(
                "\r\x1b[K{}: {}/{} blocks, {} cycles",
                self.kernel, progress.blocks_done, progress.blocks, progress.cycles
            );
        }
    }

    #[expect(clippy::print_stderr, reason = "the line must go before the program writes its own")]
    fn clear(&self) {
        if self.written.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}
