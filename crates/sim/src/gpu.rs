//! The machine: SMs in front of the memory side, connected and stepped.
//!
//! SM *s* is input *s* of the request crossbar and output *s* of the reply crossbar; what lies behind them, and in which
//! order, is in [`crate::memory_side`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use shrinkwarp_emu::fault::Fault;
use shrinkwarp_emu::kernel::Kernel;
use shrinkwarp_emu::memory::{GLOBAL_START, Memory};

use crate::base::Point;
use crate::base::station::Station;
use crate::base::{BLOCK_BYTES, Block, Clocks, Cycle, Edges, Now};
use crate::compute::l1::{CompressedL1, L1Compression, L1Record};
use crate::compute::timing::KernelTiming;
use crate::compute::{Program, Sm, SmSpec};
use crate::config::GpuSpec;
use crate::counters::MachineCounters;
use crate::fabric::NodeSet;
use crate::host_view::HostView;
use crate::memory_side::MemorySide;
use crate::run::Mismatch;
use crate::sampling::Sampler;
use crate::scheme::Scheme;
use crate::tap::DramTap;
use crate::thread_blocks::ThreadBlockScheduler;
use crate::threads::{AloneWindows, Crew, Threads, WindowStart, run_window};
use crate::ticking::TickingSms;

/// A GPU with time.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) spec: GpuSpec,
    pub(crate) sm_spec: SmSpec,
    scheme: Scheme,
    pub(crate) memory: Memory,
    /// Registers per thread of kernels for which a count is given in place of the estimate.
    pub(crate) registers: BTreeMap<String, u32>,
    /// Core cycles since the machine was made.
    pub(crate) now: Cycle,
    pub(crate) last_served_sm: usize,
    pub(crate) sms: Vec<Sm>,
    /// The SMs in which replies wait for their units; apart from the SMs, so that most of them are not looked at.
    sms_with_replies: NodeSet,
    /// Per SM: until when it need not be looked at.
    sms_asleep_until: Vec<Cycle>,
    clocks: Clocks,
    memory_side: MemorySide,
    tap: Option<Box<dyn DramTap>>,
    /// What the host has written, where the controllers compress.
    pub(crate) host_view: Option<HostView>,
    /// While the controllers' codec collects its sample.
    sampler: Option<Sampler>,
    /// The threads that step SMs.
    crew: Crew,
    /// Windows on one of them.
    alone: AloneWindows,
    /// The kernels launched last, and their timing.
    pub(crate) timings: VecDeque<(Arc<Kernel>, Arc<KernelTiming>)>,
}

/// How far the machine may go at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Core cycles.
    pub most_cycles: u64,
    /// Thread blocks of the launch that have not ended.
    pub blocks_left: u64,
}

/// What a tick of the machine did, or a window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tick {
    /// Whether the SMs had an edge, or several.
    pub is_core_cycle: bool,
    /// Thread blocks that ended.
    pub blocks_ended: u64,
}

impl Gpu {
    /// An idle machine without compression, with empty caches and no memory allocated.
    pub fn new(spec: GpuSpec) -> Self {
        Self::with_scheme(spec, Scheme::none())
    }

    /// The same with compression as the scheme says.
    pub fn with_scheme(spec: GpuSpec, scheme: Scheme) -> Self {
        let sm_spec = SmSpec::from(&spec);
        let sms = spec.sm.count as u16;
        let l1 = scheme.l1.as_ref().map(L1Compression::for_new_machine);
        let mut gpu = Self {
            memory: Memory::starting_at(GLOBAL_START),
            registers: BTreeMap::new(),
            now: Cycle(0),
            last_served_sm: usize::from(sms).saturating_sub(1),
            sms: (0..sms).map(|sm| Sm::new(sm, sms, &sm_spec, l1.as_ref())).collect(),
            sms_with_replies: NodeSet::default(),
            sms_asleep_until: vec![Cycle(0); usize::from(sms)],
            clocks: Clocks::new(&spec.clocks),
            memory_side: MemorySide::new(&spec, &scheme),
            tap: None,
            host_view: HostView::of(&scheme),
            sampler: Sampler::of(&scheme),
            crew: Crew::default(),
            alone: AloneWindows::default(),
            timings: VecDeque::new(),
            sm_spec,
            scheme,
            spec,
        };
        gpu.keep_accepted();
        gpu
    }

    /// What was configured.
    pub fn spec(&self) -> &GpuSpec {
        &self.spec
    }

    /// Which codec is where.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Steps SMs on several threads from the next launch on. No count depends on it.
    pub fn set_threads(&mut self, threads: Threads) {
        self.crew = Crew::new(threads);
    }

    /// A launch begins.
    pub(crate) fn gather_crew(&mut self) {
        self.leave_seats();
        self.crew.start_launch(self.now);
    }

    /// The SMs, for counters by SM.
    pub fn sms(&self) -> &[Sm] {
        &self.sms
    }

    /// Device memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Device memory, for hosts that need more than `Device` offers.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Sets the registers per thread of a kernel, in place of the estimate from liveness.
    pub fn set_registers(&mut self, kernel: &str, registers_per_thread: u32) {
        self.registers.insert(kernel.to_owned(), registers_per_thread);
    }

    /// What the compressed L1 data caches decided, by SM; nothing where they are plain.
    pub fn l1_records(&self) -> impl Iterator<Item = &L1Record> {
        self.sms.iter().filter_map(Sm::compressed_l1).map(CompressedL1::record)
    }

    /// Throws away everything that is under way, and the caches' contents; memory stays.
    pub fn reset(&mut self) {
        let fresh = Self::with_scheme(self.spec.clone(), self.scheme.clone());
        self.sms = fresh.sms;
        self.sms_with_replies = fresh.sms_with_replies;
        self.sms_asleep_until = fresh.sms_asleep_until;
        self.clocks = fresh.clocks;
        self.alone = fresh.alone;
        let before = std::mem::replace(&mut self.memory_side, fresh.memory_side);
        self.memory_side.inherit_memory(&before);
        self.now = fresh.now;
        self.keep_accepted();
    }

    /// Shows every request for DRAM to `tap` from now on; gives back the one before.
    pub fn set_tap(&mut self, tap: Option<Box<dyn DramTap>>) -> Option<Box<dyn DramTap>> {
        let before = std::mem::replace(&mut self.tap, tap);
        self.keep_accepted();
        before
    }

    /// Has the controllers keep what they accept while the tap or the sampler wants it.
    fn keep_accepted(&mut self) {
        self.memory_side.keep_accepted(self.tap.is_some() || self.sampler.is_some());
    }

    /// Everything counted since the machine was made or reset.
    pub fn machine_counters(&mut self) -> MachineCounters {
        let mut counters = MachineCounters { core_cycles: self.now.0, ..MachineCounters::default() };
        for sm in &mut self.sms {
            sm.settle(self.now);
            counters.sm += &sm.counters;
            counters.load_store += sm.load_store_counters();
            counters.register_reads += sm.register_reads();
            let [instruction, data, constant, texture] = sm.cache_counters();
            counters.instruction_cache += instruction;
            counters.l1 += data;
            counters.constant_cache += constant;
            counters.texture_cache += texture;
        }
        counters.memory = self.memory_side.counters();
        counters.compression = self.memory_side.compression_counters();
        for l1 in self.sms.iter().filter_map(Sm::compressed_l1) {
            counters.compression.l1 += &l1.counters();
        }
        counters.interconnect_cycles = self.clocks.interconnect_cycles();
        counters.dram_cycles = self.clocks.dram_cycles();
        counters
    }

    /// The first block that a codec changed, if verification found one.
    pub(crate) fn mismatch(&self) -> Option<Mismatch> {
        let in_l1 = self.sms.iter().filter_map(Sm::compressed_l1).find_map(Station::mismatch);
        in_l1.or_else(|| self.memory_side.mismatch())
    }

    /// Whether no access waits for memory any more.
    pub(crate) fn is_memory_served(&self) -> bool {
        self.memory_side.is_served()
    }

    /// Goes on by a tick, or by a window of cycles.
    pub(crate) fn advance(
        &mut self,
        program: &Program<'_>,
        blocks: &mut ThreadBlockScheduler,
        bounds: Bounds,
        on_launch: &mut dyn FnMut(usize, u64, u64),
    ) -> Result<Tick, Box<Fault>> {
        let is_watched = self.tap.is_some() || self.sampler.is_some();
        if !is_watched && self.crew.is_wanted(self.now) {
            return self.run_window(program, blocks, bounds, on_launch);
        }
        let edges = if is_watched { self.clocks.advance() } else { self.advance_to_core(program.memory) };
        if !is_watched {
            self.leave_seats();
            let cycles = self.plan_alone(bounds);
            if cycles > 0 {
                return self.run_alone(cycles, (edges, bounds), program, blocks, on_launch);
            }
        }
        self.tick(edges, program, blocks, on_launch)
    }

    /// Goes on to the next edge of the SMs; in between, packets move. Returns the edges of its tick.
    #[inline]
    fn advance_to_core(&mut self, memory: &Memory) -> Edges {
        loop {
            let edges = self.clocks.advance();
            if edges.core {
                return edges;
            }
            let now = Now { core: self.now, dram: Cycle(self.clocks.dram_cycles()) };
            self.memory_side.move_packets(edges, now, memory);
        }
    }

    /// How many cycles a window on one thread can have; 0 if it is not worth it.
    #[inline]
    fn plan_alone(&mut self, bounds: Bounds) -> u64 {
        // Compression points look at device memory as it is in their cycle.
        if self.scheme.l1.is_some()
            || self.memory_side.reads_memory()
            || !self.clocks.is_interconnect_in_step()
        {
            return 0;
        }
        let free_reply_places = || {
            let mut most = 0;
            self.sms_with_replies.for_each(|sm| most = most.max(self.sms[sm].replies()));
            self.sm_spec.ejection_entries.saturating_sub(most)
        };
        let (most_cycles, side) = (bounds.most_cycles, &self.memory_side);
        self.alone.plan(self.now, most_cycles, &self.sms_asleep_until, side, free_reply_places)
    }

    fn run_alone(
        &mut self,
        cycles: u64,
        (edges, bounds): (Edges, Bounds),
        program: &Program<'_>,
        blocks: &mut ThreadBlockScheduler,
        on_launch: &mut dyn FnMut(usize, u64, u64),
    ) -> Result<Tick, Box<Fault>> {
        let start = WindowStart {
            edges,
            now: Now { core: self.now, dram: Cycle(self.clocks.dram_cycles()) },
            most_cycles: cycles,
            blocks_left: bounds.blocks_left,
        };
        let mut sms = TickingSms {
            sms: &mut self.sms,
            with_replies: &mut self.sms_with_replies,
            asleep_until: &mut self.sms_asleep_until,
            program,
            blocks,
            on_launch,
            blocks_ended: 0,
        };
        let report = self.alone.run(cycles, &start, &mut sms, (&mut self.memory_side, &mut self.clocks))?;
        self.pass_cycles(report.cycles);
        Ok(Tick { is_core_cycle: true, blocks_ended: report.blocks_ended })
    }

    /// Does what the edges of a tick ask for, in the order of [`MemorySide::tick`].
    fn tick(
        &mut self,
        edges: Edges,
        program: &Program<'_>,
        blocks: &mut ThreadBlockScheduler,
        on_launch: &mut dyn FnMut(usize, u64, u64),
    ) -> Result<Tick, Box<Fault>> {
        self.leave_seats();
        let now = Now { core: self.now, dram: Cycle(self.clocks.dram_cycles()) };
        let mut sms = TickingSms {
            sms: &mut self.sms,
            with_replies: &mut self.sms_with_replies,
            asleep_until: &mut self.sms_asleep_until,
            program,
            blocks,
            on_launch,
            blocks_ended: 0,
        };
        self.memory_side.tick(edges, now, program.memory, &mut sms)?;
        let tick = Tick { is_core_cycle: edges.core, blocks_ended: sms.blocks_ended };
        if edges.core {
            self.pass_cycles(1);
        }
        if edges.dram && (self.tap.is_some() || self.sampler.is_some()) {
            self.show_transfers(program);
            self.finish_sampling();
        }
        Ok(tick)
    }

    /// Goes on by a window; by one cycle on this thread if that is not known or not worth it.
    fn run_window(
        &mut self,
        program: &Program<'_>,
        blocks: &mut ThreadBlockScheduler,
        bounds: Bounds,
        on_launch: &mut dyn FnMut(usize, u64, u64),
    ) -> Result<Tick, Box<Fault>> {
        let edges = loop {
            let edges = self.clocks.advance();
            if edges.core {
                break edges;
            }
            let now = Now { core: self.now, dram: Cycle(self.clocks.dram_cycles()) };
            if edges.is_only_dram() {
                // It is stepped beside the SMs.
                self.memory_side.leave_dram_cycle(now);
            } else {
                self.memory_side.move_packets(edges, now, program.memory);
            }
        };
        let start = WindowStart {
            edges,
            now: Now { core: self.now, dram: Cycle(self.clocks.dram_cycles()) },
            most_cycles: bounds.most_cycles.min(self.crew.cycles_wanted()),
            blocks_left: bounds.blocks_left,
        };
        if let Some(crew) = self.crew.take_seats(self.now, &self.sms, &self.sm_spec) {
            let machine = (&mut self.sms[..], &mut self.memory_side, &mut self.clocks);
            if let Some(report) = run_window(crew, &start, machine, program, blocks, on_launch) {
                let report = report?;
                self.pass_cycles(report.cycles);
                return Ok(Tick { is_core_cycle: true, blocks_ended: report.blocks_ended });
            }
        }
        self.crew.rest(self.now);
        self.tick(edges, program, blocks, on_launch)
    }

    fn pass_cycles(&mut self, cycles: u64) {
        self.crew.note_cycles(self.now, cycles);
        self.now += cycles;
    }

    /// Looks at the SMs after they have been stepped in their seats.
    #[inline]
    fn leave_seats(&mut self) {
        if self.crew.leave_seats() {
            for (index, sm) in self.sms.iter().enumerate() {
                self.sms_asleep_until[index] = sm.asleep_until();
                if sm.replies() > 0 {
                    self.sms_with_replies.insert(index);
                } else {
                    self.sms_with_replies.remove(index);
                }
            }
        }
    }

    /// Shows the requests that the controllers accepted to the tap and to the sampler.
    fn show_transfers(&mut self, program: &Program<'_>) {
        for packet in self.memory_side.take_accepted() {
            let block = Block::read(program.memory, packet.block());
            if let Some(tap) = &mut self.tap {
                tap.transfer(&packet, &block);
            }
            if let Some(sampler) = &mut self.sampler
                && Point::Memory.may_see(&packet)
            {
                sampler.observe(&*block);
            }
        }
    }

    /// Gives the controllers their codec when its sample is complete.
    fn finish_sampling(&mut self) {
        let instructions = || self.sms.iter().map(|sm| sm.counters.thread_instructions).sum::<u64>();
        if self.sampler.as_ref().is_some_and(|sampler| instructions() >= sampler.instructions)
            && let Some(sampler) = self.sampler.take()
        {
            self.memory_side.finish_sampling(&sampler.finish());
            self.keep_accepted();
        }
    }

    /// `bytes` at `address` have been allocated.
    pub(crate) fn clear_memory(&mut self, address: u64, bytes: u64) {
        self.memory_side.clear(address, bytes);
        self.note_host_write(address, bytes);
    }

    /// The host has written `bytes` at `address`.
    pub(crate) fn store_from_host(&mut self, address: u64, bytes: u64) {
        self.memory_side.store_from_host(address, bytes, &self.memory);
        self.note_host_write(address, bytes);
    }

    /// Before a launch: stores what the host has written to shared memory, and verifies that it wrote nowhere else
    /// without a copy.
    pub(crate) fn see_host_writes(&mut self) -> Result<(), Mismatch> {
        let Some(view) = &self.host_view else { return Ok(()) };
        let unseen = view.unseen_writes(&self.memory)?;
        for (address, bytes) in unseen.fresh {
            self.clear_memory(address, bytes);
        }
        for block in unseen.written {
            self.store_from_host(block.first_byte(), BLOCK_BYTES as u64);
        }
        Ok(())
    }

    fn note_host_write(&mut self, address: u64, bytes: u64) {
        if let Some(view) = &mut self.host_view {
            view.note(&self.memory, address, bytes);
        }
    }

    /// Jumps over cycles in which nothing can happen. Returns whether anything can ever happen again.
    pub(crate) fn skip_idle(&mut self, may_launch: bool) -> bool {
        let Some(next) = self.next_event(may_launch) else { return true };
        if next == Cycle::NEVER {
            return false;
        }
        // The cycle before is stepped: edges of other clocks may lie between the two.
        let cycles = (next - self.now).saturating_sub(1);
        if cycles > 0 {
            self.clocks.skip_core_cycles(cycles);
            self.now += cycles;
        }
        true
    }

    /// Who waits for what, one line each.
    pub(crate) fn describe_waits(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, sm) in self.sms.iter().enumerate().filter(|(_, sm)| !sm.is_empty()) {
            lines.extend(sm.describe_wait().into_iter().map(|line| format!("SM {index}: {line}")));
        }
        lines.extend(self.memory_side.describe_waits());
        lines
    }

    /// The next cycle in which something happens; `None` if that is the coming one.
    fn next_event(&self, may_launch: bool) -> Option<Cycle> {
        // The SMs first: while one is awake there is nothing to skip, and most of the time one is.
        let (mut next, mut have_replies) = (Cycle::NEVER, !self.sms_with_replies.is_empty());
        if let Some(summary) = self.crew.summary() {
            (next, have_replies) = (summary.asleep_until, summary.most_replies > 0);
            if next <= self.now {
                return None;
            }
        } else {
            for &until in &self.sms_asleep_until {
                if until <= self.now {
                    return None;
                }
                next = next.min(until);
            }
        }
        let is_busy = may_launch && self.sms.iter().any(Sm::has_room_for_block) || have_replies;
        if is_busy {
            return None;
        }
        let next = next.min(self.memory_side.next_event(self.now).unwrap_or(Cycle::NEVER));
        (next > self.now + 1).then_some(next)
    }
}
