//! Running a kernel on the machine, and the machine as a [`Device`].

use std::sync::Arc;

use serde::Serialize;
use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport, LoadError, place_module};
use shrinkwarp_emu::kernel::{Kernel, Module};
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_ptx::ast::Module as Ast;

use crate::base::Point;
use crate::compute::occupancy::{Misfit, ThreadBlockNeeds, blocks_per_sm};
use crate::compute::timing::KernelTiming;
use crate::compute::{Program, Sm};
use crate::config::L1WritePolicy;
use crate::counters::MachineCounters;
use crate::fabric::scheme::DictionaryKind;
use crate::gpu::{Bounds, Gpu};
use crate::run::{Deadlock, Progress, RunError, RunOptions, ThreadBlockSpan, TimelineSample};
use crate::thread_blocks::ThreadBlockScheduler;

/// How often progress is told and interruption looked for.
const WATCH_EVERY_CYCLES: u64 = 4096;

/// Kernels whose timing is kept: more than programs launch in turn.
const TIMINGS: usize = 32;

/// What a launch on the machine did.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// Kernel.
    pub kernel: String,
    /// Core cycles from the launch until everything was done.
    pub cycles: u64,
    /// Whether it was interrupted, so that everything here is what happened until then.
    pub is_partial: bool,
    /// PTX instructions times lanes that executed them.
    pub thread_instructions: u64,
    /// PTX instructions issued by warps.
    pub warp_instructions: u64,
    /// Thread blocks that one SM held at once.
    pub blocks_per_sm: u32,
    /// Registers per thread that decided it.
    pub registers_per_thread: u32,
    /// Everything counted since the machine was made.
    #[serde(skip)]
    pub counters: MachineCounters,
    /// Samples, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<TimelineSample>,
    /// When each thread block lived where, if samples were requested.
    #[serde(skip)]
    pub blocks: Vec<ThreadBlockSpan>,
    /// What device-side `printf` wrote, in order of SMs.
    #[serde(skip)]
    pub output: Vec<u8>,
}

impl Gpu {
    /// Runs one launch, watched as `options` ask.
    pub fn launch_watched(
        &mut self,
        kernel: &Arc<Kernel>,
        launch: &Launch,
        options: &mut RunOptions<'_>,
    ) -> Result<RunReport, RunError> {
        let resources = &self.sm_spec.resources;
        let mut needs =
            ThreadBlockNeeds::of(kernel, launch.threads_per_block(), launch.dynamic_shared_bytes, resources);
        if let Some(&registers) = self.registers.get(&kernel.name) {
            needs.registers_per_thread = registers;
        }
        let registers = needs.registers_per_thread;
        let capacity = self.capacity(kernel, launch, &needs)?;
        self.refuse_points_on_sectors()?;
        self.see_host_writes().map_err(RunError::Mismatch)?;
        let timing = self.timing_of(kernel);
        let warps_per_block = launch.warps_per_block() as usize;
        let l1 = self.l1_for(u64::from(needs.shared_bytes) * u64::from(capacity));
        for sm in &mut self.sms {
            sm.prepare(&kernel.name, &timing, capacity as usize, warps_per_block, l1);
        }
        // The memory leaves the machine while the kernel runs, so that both can be borrowed.
        let memory = std::mem::take(&mut self.memory);
        let program = Program { kernel, timing: &timing, launch, memory: &memory, turn: None };
        self.gather_crew();
        let start = self.now.0;
        let before = self.instruction_totals();
        let mut watch = Watch::new(self, options, launch.blocks());
        let result = self.run(&program, &mut watch);
        let (samples, blocks) = (watch.samples, watch.spans);
        self.memory = memory;
        if let Some(view) = &mut self.host_view {
            view.note_all(&self.memory);
        }
        let is_complete = match result {
            Ok(is_complete) => is_complete,
            Err(mut error) => {
                if let RunError::Device(DeviceError::Fault(fault)) = &mut error {
                    fault.printed = self.sms.iter_mut().flat_map(Sm::take_output).collect();
                }
                self.reset();
                return Err(error);
            }
        };
        if let Some(mismatch) = self.mismatch() {
            return Err(RunError::Mismatch(mismatch));
        }
        let counters = self.machine_counters();
        let cycles = self.now.0 - start;
        let (thread_instructions, warp_instructions) = self.instruction_totals();
        let output = self.sms.iter_mut().flat_map(Sm::take_output).collect();
        if !is_complete {
            self.reset();
        }
        Ok(RunReport {
            kernel: kernel.name.clone(),
            cycles,
            is_partial: !is_complete,
            thread_instructions: thread_instructions - before.0,
            warp_instructions: warp_instructions - before.1,
            blocks_per_sm: capacity,
            registers_per_thread: registers,
            counters,
            samples,
            blocks,
            output,
        })
    }

    /// Runs until everything is done (`true`) or is interrupted (`false`).
    fn run(&mut self, program: &Program<'_>, watch: &mut Watch<'_, '_>) -> Result<bool, RunError> {
        let mut blocks = ThreadBlockScheduler::new(watch.blocks, self.last_served_sm);
        let limit = program.launch.max_thread_instructions;
        loop {
            let bounds = watch.bounds(self.now.0);
            let tick = self
                .advance(program, &mut blocks, bounds, &mut |sm, block, now| {
                    watch.note_launch(sm, block, now);
                })
                .map_err(DeviceError::from)?;
            if !tick.is_core_cycle {
                continue;
            }
            if tick.blocks_ended > 0 {
                watch.note_ends(self, tick.blocks_ended);
            }
            if watch.blocks_done == watch.blocks && self.is_memory_served() {
                self.last_served_sm = blocks.last_served();
                watch.finish(self);
                return Ok(true);
            }
            if !watch.look(self, limit)? {
                return Ok(false);
            }
            if !self.skip_idle(blocks.has_more()) {
                return Err(self.deadlock());
            }
        }
    }

    fn capacity(&self, kernel: &Kernel, launch: &Launch, needs: &ThreadBlockNeeds) -> Result<u32, RunError> {
        if let Some(most) = kernel.max_threads
            && needs.threads > most
        {
            let message = format!(
                "{}: thread blocks of {} threads, but the kernel's launch bounds allow at most {most}",
                kernel.name, needs.threads
            );
            return Err(DeviceError::Launch(message).into());
        }
        if needs.threads == 0 || launch.blocks() == 0 {
            return Err(DeviceError::Launch(format!("{}: an empty grid or thread block", kernel.name)).into());
        }
        let resources = &self.sm_spec.resources;
        blocks_per_sm(resources, needs, launch.blocks(), self.sms.len() as u64).map_err(|misfit| {
            let (what, needed, available) = match misfit {
                Misfit::Threads => ("threads", needs.threads, resources.threads),
                Misfit::SharedMemory => {
                    ("bytes of shared memory", needs.shared_bytes, resources.shared_bytes)
                }
            };
            let message = format!(
                "{}: one thread block needs {needed} {what}, but an SM of {} has {available}; make the thread block smaller",
                kernel.name, self.spec.name
            );
            DeviceError::Launch(message).into()
        })
    }

    /// Finds what a compression point cannot do on a GPU with sectors.
    fn refuse_points_on_sectors(&self) -> Result<(), RunError> {
        let (l1, scheme) = (&self.spec.l1, self.scheme());
        let keys = &scheme.spec;
        let message = if scheme.l1.is_some() && l1.write_policy == L1WritePolicy::Back {
            "compressed lines of the L1 cannot be written back; --set l1.write_policy=through".to_owned()
        } else if let Some(unit) = scheme.unit(Point::Packets).filter(|_| l1.sector_bytes < l1.line_bytes) {
            if keys.packets.dictionary != DictionaryKind::PerBlock {
                "a dictionary that lives on needs replies of whole blocks; packets.dictionary = \"per_block\""
                    .to_owned()
            } else if unit.sector_codec.is_none() {
                format!(
                    "codec {} has no blocks of {} bytes, which replies carry here",
                    unit.name, l1.sector_bytes
                )
            } else {
                return Ok(());
            }
        } else {
            return Ok(());
        };
        let message = format!("{}: scheme {}: {message}", self.spec.name, keys.name);
        Err(DeviceError::Launch(message).into())
    }

    /// How the data caches are set up for a launch whose thread blocks on an SM have `shared_bytes`; `None` if they stay as they are.
    fn l1_for(&self, shared_bytes: u64) -> Option<(usize, bool)> {
        let l1 = &self.spec.l1;
        l1.empty_after_kernel.then(|| (l1.ways_beside(shared_bytes), l1.allocates_on_fill(shared_bytes > 0)))
    }

    fn deadlock(&self) -> RunError {
        RunError::Deadlock(Deadlock { cycle: self.now.0, waits: self.describe_waits() })
    }
}

/// What is known of a running launch.
struct Watch<'o, 'a> {
    options: &'o mut RunOptions<'a>,
    blocks: u64,
    blocks_done: u64,
    start: u64,
    next_look: u64,
    next_sample: u64,
    last_sample: TimelineSample,
    samples: Vec<TimelineSample>,
    spans: Vec<ThreadBlockSpan>,
    /// Warp instructions at the last look that saw new ones, and its cycle.
    last_issue: (u64, u64),
    first_instructions: u64,
}

impl<'o, 'a> Watch<'o, 'a> {
    fn new(gpu: &mut Gpu, options: &'o mut RunOptions<'a>, blocks: u64) -> Self {
        let start = gpu.now.0;
        let next_sample = options.sample_every_cycles.map_or(u64::MAX, |every| start + every.max(1));
        // Only samples are differences of totals, whose sum over all stations is most of what a short launch costs.
        let last_sample = options.sample_every_cycles.map(|_| gpu.totals()).unwrap_or_default();
        Self {
            options,
            blocks,
            blocks_done: 0,
            start,
            next_look: start + WATCH_EVERY_CYCLES,
            next_sample,
            last_sample,
            samples: Vec::new(),
            spans: Vec::new(),
            last_issue: (0, start),
            first_instructions: gpu.instruction_totals().0,
        }
    }

    /// How far the machine may go before it is looked at again.
    #[inline]
    fn bounds(&self, now: u64) -> Bounds {
        // With samples, the cycle in which a thread block ends is noted.
        let is_sampled = self.options.sample_every_cycles.is_some();
        let most_cycles = if is_sampled { 1 } else { self.next_look.saturating_sub(now).max(1) };
        Bounds { most_cycles, blocks_left: self.blocks - self.blocks_done }
    }

    fn note_launch(&mut self, sm: usize, block: u64, now: u64) {
        if self.options.sample_every_cycles.is_some() {
            self.spans.push(ThreadBlockSpan { block, sm: sm as u16, start: now, end: u64::MAX });
        }
    }

    fn note_ends(&mut self, gpu: &mut Gpu, count: u64) {
        self.blocks_done += count;
        for sm in &mut gpu.sms {
            for block in sm.ended.drain(..) {
                // Thread blocks are noted in the order of their numbers.
                if let Some(span) = self.spans.get_mut(block as usize) {
                    span.end = gpu.now.0;
                }
            }
        }
    }

    /// Samples, tells progress and looks for trouble when it is time. Returns whether to go on.
    #[inline]
    fn look(&mut self, gpu: &mut Gpu, limit: Option<u64>) -> Result<bool, RunError> {
        let now = gpu.now.0;
        if now >= self.next_sample {
            self.sample(gpu);
        }
        if now < self.next_look {
            return Ok(true);
        }
        self.next_look = now + WATCH_EVERY_CYCLES;
        self.look_closely(gpu, limit)
    }

    fn look_closely(&mut self, gpu: &mut Gpu, limit: Option<u64>) -> Result<bool, RunError> {
        let now = gpu.now.0;
        let issued: u64 = gpu.sms.iter().map(|sm| sm.counters.warp_instructions).sum();
        if issued != self.last_issue.0 {
            self.last_issue = (issued, now);
        } else if now - self.last_issue.1 >= self.options.deadlock_after_cycles {
            return Err(gpu.deadlock());
        }
        let thread_instructions: u64 = gpu.sms.iter().map(|sm| sm.counters.thread_instructions).sum();
        let thread_instructions = thread_instructions - self.first_instructions;
        if limit.is_some_and(|limit| thread_instructions > limit) {
            let message =
                format!("the launch passed its limit of {} thread instructions", limit.unwrap_or(0));
            return Err(DeviceError::Launch(message).into());
        }
        if let Some(on_progress) = &mut self.options.on_progress {
            on_progress(&Progress {
                cycles: now - self.start,
                thread_instructions,
                blocks_done: self.blocks_done,
                blocks: self.blocks,
            });
        }
        Ok(!self.options.is_interrupted())
    }

    fn sample(&mut self, gpu: &mut Gpu) {
        let totals = gpu.totals();
        self.samples.push(totals.since(&self.last_sample));
        self.last_sample = totals;
        self.next_sample = gpu.now.0 + self.options.sample_every_cycles.unwrap_or(u64::MAX).max(1);
    }

    fn finish(&mut self, gpu: &mut Gpu) {
        if self.options.sample_every_cycles.is_some() && gpu.now.0 > self.last_sample.cycle {
            self.sample(gpu);
        }
        for span in &mut self.spans {
            span.end = span.end.min(gpu.now.0);
        }
    }
}

impl Gpu {
    /// Loads what can be executed of a module; the errors say why the other kernels are left out.
    pub fn load_runnable(&mut self, ast: &Ast) -> Result<(Module, Vec<LoadError>), DeviceError> {
        place_module(self, |memory| shrinkwarp_emu::load::load_runnable(ast, memory))
    }

    /// What the pipeline must know of a kernel: of programs that launch one again and again it is computed once.
    fn timing_of(&mut self, kernel: &Arc<Kernel>) -> Arc<KernelTiming> {
        if let Some((_, timing)) = self.timings.iter().find(|(known, _)| Arc::ptr_eq(known, kernel)) {
            return Arc::clone(timing);
        }
        let banks = self.sm_spec.collectors.banks_of_warp();
        let timing = Arc::new(KernelTiming::new(kernel, &self.sm_spec.costs, banks));
        if self.timings.len() == TIMINGS {
            self.timings.pop_front();
        }
        self.timings.push_back((Arc::clone(kernel), Arc::clone(&timing)));
        timing
    }

    /// Thread and warp instructions since the machine was made.
    fn instruction_totals(&self) -> (u64, u64) {
        let counters = self.sms.iter().map(|sm| &sm.counters);
        counters.fold((0, 0), |(threads, warps), sm| {
            (threads + sm.thread_instructions, warps + sm.warp_instructions)
        })
    }

    /// Counts since the machine was made, in the form of a sample.
    fn totals(&mut self) -> TimelineSample {
        let counters = self.machine_counters();
        let (l1, l2) = (counters.l1.total(), counters.memory.l2.cache.total());
        TimelineSample {
            cycle: self.now.0,
            cycles: self.now.0,
            thread_instructions: counters.sm.thread_instructions,
            resident_warps: self.sms.iter().map(|sm| u64::from(sm.resident_warps())).sum(),
            no_instruction_cycles: counters.sm.no_instruction_cycles,
            register_wait_cycles: counters.sm.register_wait_cycles,
            pipe_full_cycles: counters.sm.pipe_full_cycles,
            l1_accesses: l1.accesses(),
            l1_hits: l1.hits,
            l2_accesses: l2.accesses(),
            l2_hits: l2.hits,
            reply_stall_cycles: counters.memory.l2.reply_stall_cycles,
            dram_read_bursts: counters.memory.dram.all_read_commands(),
            dram_write_bursts: counters.memory.dram.all_write_commands(),
        }
    }
}

impl Device for Gpu {
    fn device_memory(&mut self) -> &mut Memory {
        self.memory_mut()
    }

    fn sm_count(&self) -> u32 {
        self.sms.len() as u32
    }

    fn resident_blocks(&self, kernel: &Kernel, threads: u32) -> u32 {
        let resources = &self.sm_spec.resources;
        let needs = ThreadBlockNeeds::of(kernel, threads, 0, resources);
        // A kernel that does not fit is refused when it is launched.
        blocks_per_sm(resources, &needs, u64::MAX, 1).unwrap_or(1)
    }

    fn note_allocation(&mut self, address: u64, bytes: u64) {
        self.clear_memory(address, bytes);
    }

    fn note_host_write(&mut self, address: u64, bytes: u64) {
        self.store_from_host(address, bytes);
    }

    fn launch(&mut self, kernel: &Arc<Kernel>, launch: &Launch) -> Result<LaunchReport, DeviceError> {
        let report = self.launch_watched(kernel, launch, &mut RunOptions::default())?;
        Ok(LaunchReport {
            thread_instructions: report.thread_instructions,
            warp_instructions: report.warp_instructions,
            cycles: Some(report.cycles),
            output: report.output,
        })
    }
}
