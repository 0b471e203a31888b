//! A streaming multiprocessor, cycle by cycle.
//!
//! The stages run last first, so that each sees what the one behind it left in the cycle before:
//! write-back, execute (arithmetic units, load/store unit), read operands, issue, decode, fetch.
//!
//! The SM has two halves, which are stepped only when something can move in them: the front (operand collectors, issue, decode,
//! fetch) and the load/store unit. The front waits for registers, acknowledgements, room in the execute stage and instructions.
//!
//! A step that moved nothing would move nothing again: the SM then sleeps until a moment it knows (a result, a free unit)
//! or until something arrives (a reply, a thread block, room in the network). What every cycle of such a sleep would have
//! counted is added when it ends.

use std::sync::Arc;

use arrayvec::ArrayVec;
use shrinkwarp_emu::effects::Effects;
use shrinkwarp_emu::fault::Fault;
use shrinkwarp_emu::kernel::Kernel;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::Memory;

use super::async_copies::AsyncCopies;
use super::collectors::{CollectorSpec, Collectors};
use super::core::Core;
use super::counters::{IssueOutcome, LanesByUnit, LoadStoreCounters, SmCounters};
use super::fetch::Fetch;
use super::in_flight::StageRegisters;
use super::l1::{CompressedL1, L1Compression, ToleranceMeter};
use super::load_store::{LoadStore, LoadStoreSpec};
use super::network::Outlet;
use super::occupancy::SmResources;
use super::residents::Residents;
use super::scheduler::{AgeOrder, Scheduler, SchedulerPolicy};
use super::scoreboard::Scoreboard;
use super::timing::{CostSpec, KernelTiming, PIPES, Pipe};
use super::units::{UnitSpec, Units};
use super::warps::{WarpMask, Warps};
use super::{MAX_SCHEDULERS, MAX_WARPS};
use crate::base::cache_counters::CacheCounters;
use crate::base::{AccessKind, CacheSpec, Cycle, Packet, Port, Sharing, Turn};

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmSpec {
    /// Slots for threads and thread blocks, registers, shared memory.
    pub resources: SmResources,
    /// Warp schedulers.
    pub schedulers: usize,
    /// Instructions of one warp that a scheduler issues in a cycle.
    pub issues_per_scheduler: usize,
    /// Instructions that a fetch brings into a warp's buffer.
    pub buffer_instructions: u8,
    /// How they choose.
    pub scheduler: SchedulerPolicy,
    /// Warps that a two-level scheduler chooses among.
    pub two_level_active_warps: usize,
    /// Per pipe: registers between issue and operand collection.
    pub issue_widths: [usize; PIPES],
    /// Per pipe: registers between operand collection and execution.
    pub execute_widths: [usize; PIPES],
    /// Arithmetic units.
    pub units: UnitSpec,
    /// Rounds of fetch and decode in a cycle.
    pub fetches: usize,
    /// Rounds of the operand collectors in a cycle.
    pub operand_rounds: usize,
    /// Operand collectors.
    pub collectors: CollectorSpec,
    /// Latencies.
    pub costs: CostSpec,
    /// Instruction cache.
    pub l1i: CacheSpec,
    /// Whether every fetch is a hit.
    pub is_fetch_perfect: bool,
    /// Load/store unit.
    pub load_store: LoadStoreSpec,
    /// Replies that wait between the network and the SM's units.
    pub ejection_entries: usize,
}

/// What runs.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    /// Kernel.
    pub kernel: &'a Arc<Kernel>,
    /// Its timing.
    pub timing: &'a KernelTiming,
    /// Grid and arguments.
    pub launch: &'a Launch,
    /// Device memory.
    pub memory: &'a Memory,
    /// The SM's turn at device memory, where SMs step side by side.
    pub turn: Option<Turn<'a>>,
}

/// One SM; its neighbours may be stepped on other threads, so that it shares no cache line with them.
#[derive(Debug)]
#[repr(align(128))]
pub struct Sm {
    pub(super) schedulers: ArrayVec<Scheduler, MAX_SCHEDULERS>,
    /// Whether cycles in which nothing issues are noted, too: by the schedulers or by the meter of latency tolerance.
    pub(super) is_every_cycle_noted: bool,
    /// What each scheduler did when it was last asked, and does since.
    pub(super) outcomes: [IssueOutcome; MAX_SCHEDULERS],
    /// The first active cycle of it that is not in `outcome_cycles`.
    outcomes_from: u64,
    /// By outcome: scheduler cycles that are not yet counted.
    outcome_cycles: [u64; IssueOutcome::COUNT],
    /// Issued instructions times lanes that are not yet counted.
    pub(super) lanes_by_unit: LanesByUnit,
    pub(super) age: AgeOrder,
    pub(super) core: Core,
    pub(super) issued: [StageRegisters; PIPES],
    pub(super) load_store: LoadStore,
    pub(super) residents: Residents,
    pub(super) effects: Effects,
    pub(super) next_order: u32,
    /// The bits of a warp's slot that name its sub-core; 0 in an SM that is not divided.
    pub(super) sub_core_mask: usize,
    /// The warps of sub-core 0; shifted left, those of the others.
    pub(super) sub_core_pattern: WarpMask,
    /// Cycles with a thread block resident or to come; decides whose turn it is among the schedulers.
    pub(super) active_cycles: u64,
    /// What [`Sm::sharing`] said before this cycle, to be checked in debug builds.
    pub(super) foretold: Sharing,
    /// What happened so far.
    pub counters: SmCounters,
    /// Numbers of the thread blocks that have ended, until the block scheduler takes them.
    pub ended: Vec<u64>,
    pub(super) spec: SmSpec,
    units: Units,
    to_execute: [StageRegisters; PIPES],
    fetch: Fetch,
    ejected: Port<Packet>,
    /// Whether something may move in the front by itself: something did in the cycle before.
    is_front_awake: bool,
    sleep: Option<Sleep>,
    output: Vec<u8>,
}

/// A sleep that has begun.
#[derive(Clone, Copy, Debug)]
struct Sleep {
    until: Cycle,
    /// The smallest packet that waits for room in the network.
    waiting_bytes: Option<u32>,
    /// The first cycle of it that is not yet counted.
    from: Cycle,
}

/// What moved in the execute stage.
#[derive(Clone, Copy, Debug)]
struct Moved {
    anything: bool,
    /// Instructions left the registers in front of it.
    makes_room: bool,
}

impl Sm {
    /// SM number `sm` of `sms`, idle, with empty caches; its L1 is compressed if that is given.
    pub fn new(sm: u16, sms: u16, spec: &SmSpec, l1: Option<&L1Compression>) -> Self {
        let slots = (spec.resources.threads as usize / shrinkwarp_emu::LANES).min(MAX_WARPS);
        let scheduler = |index| {
            Scheduler::new(spec.scheduler, index, spec.schedulers, slots, spec.two_level_active_warps)
        };
        let schedulers: ArrayVec<_, MAX_SCHEDULERS> = (0..spec.schedulers).map(scheduler).collect();
        let tolerance = ToleranceMeter::new(l1.is_some_and(|l1| l1.scheme.policy.uses_tolerance()));
        Self {
            is_every_cycle_noted: tolerance.is_on() || schedulers.iter().any(Scheduler::needs_parked_warps),
            schedulers,
            outcomes: [IssueOutcome::NoInstruction; MAX_SCHEDULERS],
            outcomes_from: 0,
            outcome_cycles: [0; IssueOutcome::COUNT],
            lanes_by_unit: LanesByUnit::default(),
            age: AgeOrder::default(),
            core: Core {
                warps: Warps::new(spec.buffer_instructions),
                scoreboard: Scoreboard::new(slots, 1),
                collectors: Collectors::new(spec.collectors),
                copies: AsyncCopies::default(),
                tolerance,
            },
            issued: spec.issue_widths.map(StageRegisters::new),
            load_store: LoadStore::new(sm, spec.load_store, l1),
            residents: Residents::new(u64::from(sm), u64::from(sms)),
            effects: Effects::default(),
            next_order: 0,
            sub_core_mask: spec.units.sub_cores - 1,
            sub_core_pattern: (0..WarpMask::BITS)
                .step_by(spec.units.sub_cores)
                .fold(0, |warps, warp| warps | 1 << warp),
            active_cycles: 0,
            foretold: Sharing::Writes,
            counters: SmCounters::default(),
            ended: Vec::new(),
            spec: *spec,
            units: Units::new(&spec.units),
            to_execute: spec.execute_widths.map(StageRegisters::new),
            fetch: Fetch::new(sm, slots, spec.buffer_instructions, spec.l1i, spec.is_fetch_perfect),
            ejected: Port::new(spec.ejection_entries),
            is_front_awake: false,
            sleep: None,
            output: Vec::new(),
        }
    }

    /// Makes ready for a launch of `kernel` with `capacity` resident thread blocks of `warps_per_block`; the SM is idle.
    ///
    /// `l1` empties the data cache and gives it this number of ways; the flag says whether they are claimed when a block arrives.
    pub fn prepare(
        &mut self,
        kernel: &str,
        timing: &KernelTiming,
        capacity: usize,
        warps_per_block: usize,
        l1: Option<(usize, bool)>,
    ) {
        if let Some((ways, is_allocated_on_fill)) = l1 {
            self.load_store.l1d.empty_with(ways, is_allocated_on_fill);
        }
        self.load_store.l1d.start_kernel(kernel);
        self.residents.prepare(capacity, warps_per_block);
        let slots = self.spec.resources.threads as usize / shrinkwarp_emu::LANES;
        self.core.scoreboard = Scoreboard::new(slots, timing.register_count);
        self.units.prepare(timing.longest_latency_cycles());
        self.load_store.prepare();
        self.sleep = None;
    }

    /// Whether a thread block can be launched here.
    #[inline]
    pub fn has_room_for_block(&self) -> bool {
        self.residents.has_room()
    }

    /// Whether no thread block is resident; such an SM is not stepped.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.residents.is_empty()
    }

    /// Warps on the SM.
    pub fn resident_warps(&self) -> u32 {
        self.core.warps.resident.count_ones()
    }

    /// Launches thread block `index` of the grid; it can run from the next cycle on.
    pub fn start_block(&mut self, program: &Program<'_>, index: u64, now: Cycle) {
        let warps = self.residents.start(program.kernel, program.launch, index);
        self.age.push(warps);
        let mut rest = warps;
        while rest != 0 {
            self.core.warps.start(rest.trailing_zeros() as usize);
            self.core.copies.start(rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
        self.counters.blocks += 1;
        self.is_front_awake = true;
        self.foretold = Sharing::Writes;
        self.wake(now + 1);
    }

    /// Takes replies from the network: one into the unit that waits for it, one from the network.
    #[inline]
    pub fn receive(&mut self, now: Cycle, next_reply: impl FnOnce() -> Option<Packet>) {
        if let Some(reply) = self.ejected.front() {
            if reply.kind == AccessKind::InstructionRead {
                self.fetch.fill(reply, now);
                self.ejected.pop();
                self.is_front_awake = true;
                self.wake(now);
            } else if self.load_store.has_room_for_reply() {
                self.load_store.receive(*reply);
                self.ejected.pop();
                self.wake(now);
            }
        }
        if self.ejected.has_room()
            && let Some(reply) = next_reply()
        {
            self.ejected.push(reply);
        }
    }

    /// Whether [`Sm::receive`] would take a reply from the network now.
    #[inline]
    pub fn can_take_reply(&self) -> bool {
        let leaves = |reply: &Packet| {
            reply.kind == AccessKind::InstructionRead || self.load_store.has_room_for_reply()
        };
        self.ejected.has_room() || self.ejected.front().is_some_and(leaves)
    }

    /// Whether the SM's next instructions do not say whether it changes what all SMs share: compressed L1s share codes and
    /// tallies, and what issues behind the first instruction of a warp is not known before.
    fn always_may_write(&self) -> bool {
        self.load_store.l1d.compressed().is_some() || self.spec.issues_per_scheduler > 1
    }

    /// What the instructions that may issue in the SM's next cycle do at most to what all SMs share.
    #[inline]
    pub fn sharing(&self) -> Sharing {
        if self.always_may_write() {
            return Sharing::Writes;
        }
        match self.core.warps.sharing(WarpMask::MAX) {
            most @ (Sharing::Nothing | Sharing::MayFail) => most,
            Sharing::Reads | Sharing::Writes => self.core.warps.sharing(!self.warps_held_up()),
        }
    }

    /// Warps that certainly do not issue in the next cycle: they wait for memory, and no access of theirs ends in it, or for a pipe
    /// that is full and stays so.
    fn warps_held_up(&self) -> WarpMask {
        let warps = &self.core.warps;
        let await_registers = warps.awaiting_memory() & !self.load_store.warps_about_to_get_registers();
        if self.is_memory_pipe_stuck() {
            await_registers | warps.wants[Pipe::Memory as usize]
        } else {
            await_registers
        }
    }

    /// Whether no memory instruction can issue in the next cycle: every place up to the load/store unit is taken, and the unit goes on
    /// with the instruction it has.
    fn is_memory_pipe_stuck(&self) -> bool {
        let pipe = Pipe::Memory as usize;
        self.load_store.keeps_dispatched()
            && !self.to_execute[pipe].has_room()
            && !self.issued[pipe].has_room()
            && self.core.collectors.is_full(pipe)
    }

    /// Whether one of them changes it.
    #[inline]
    pub fn may_write(&self) -> bool {
        self.sharing() == Sharing::Writes
    }

    /// For how many cycles from now on no resident warp changes what all SMs share; not exactly if that is fewer than `wanted`.
    pub fn cycles_without_write(&self, timing: &KernelTiming, wanted: u64) -> u64 {
        if self.always_may_write() {
            return 0;
        }
        let mut cycles = u64::MAX;
        for warp in self.residents.iter().flat_map(|resident| &resident.block.warps) {
            cycles = warp
                .stack
                .entries()
                .fold(cycles, |cycles, path| cycles.min(u64::from(timing.instructions_to_write(path.pc))));
            if cycles < wanted {
                break;
            }
        }
        cycles
    }

    /// The most packets that the SM sends in a cycle: a miss of each cache, and an access that passes the L1 by in each bank.
    pub fn most_packets_sent(spec: &SmSpec) -> usize {
        spec.fetches + 3 + spec.load_store.l1d_banks
    }

    /// How many replies wait between the network and the units.
    #[inline]
    pub fn replies(&self) -> usize {
        self.ejected.len()
    }

    /// One cycle. Returns how many thread blocks ended in it.
    #[inline]
    pub fn step(
        &mut self,
        now: Cycle,
        program: &Program<'_>,
        outlet: &mut impl Outlet,
    ) -> Result<u32, Box<Fault>> {
        if self.sleep_on(now, outlet) { Ok(0) } else { self.run_stages(now, program, outlet) }
    }

    /// Sleeps for this cycle if the SM is asleep and nothing wakes it. Returns whether it does.
    #[inline]
    pub fn sleep_on(&mut self, now: Cycle, outlet: &impl Outlet) -> bool {
        let Some(sleep) = &self.sleep else { return false };
        let is_over = now >= sleep.until || sleep.waiting_bytes.is_some_and(|bytes| outlet.has_room(bytes));
        if is_over {
            self.wake(now);
        }
        !is_over
    }

    /// Until when the SM need not be looked at, unless a reply or a thread block arrives: it has no thread block, or sleeps and does
    /// not wait for the network. `None` if it is awake.
    #[inline(always)]
    pub fn rests_until(&self) -> Option<Cycle> {
        if self.is_empty() {
            return Some(Cycle::NEVER);
        }
        let sleep = self.sleep.as_ref()?;
        if sleep.waiting_bytes.is_none() { Some(sleep.until) } else { None }
    }

    /// The same as a cycle, of which the past means that it is awake.
    pub fn asleep_until(&self) -> Cycle {
        self.rests_until().unwrap_or(Cycle(0))
    }

    /// Brings the counters up to date before cycle `now`: a sleep counts when it ends.
    pub fn settle(&mut self, now: Cycle) {
        self.count_sleep(now);
        self.load_store.settle();
        self.count_outcomes();
        self.counters.count_scheduler_cycles(std::mem::take(&mut self.outcome_cycles));
        self.counters.count_lanes(std::mem::take(&mut self.lanes_by_unit));
    }

    /// Counts the cycles slept before `now`.
    fn count_sleep(&mut self, now: Cycle) {
        if let Some(sleep) = &mut self.sleep {
            let cycles = now - std::mem::replace(&mut sleep.from, now);
            self.active_cycles += cycles;
            self.load_store.count_idle(cycles);
            self.note_cycles(cycles);
        }
    }

    /// What device-side `printf` wrote since the last call: thread blocks that have ended, then those that have not.
    pub fn take_output(&mut self) -> Vec<u8> {
        let mut output = std::mem::take(&mut self.output);
        self.residents.append_output(&mut output);
        output
    }

    /// Cache statistics: instruction, data, constant, texture.
    pub fn cache_counters(&self) -> [&CacheCounters; 4] {
        let [data, constant, texture] = self.load_store.cache_counters();
        [&self.fetch.cache().counters, data, constant, texture]
    }

    /// Statistics of the load/store unit.
    pub fn load_store_counters(&self) -> &LoadStoreCounters {
        &self.load_store.counters
    }

    /// The L1 data cache, if its lines are compressed.
    pub fn compressed_l1(&self) -> Option<&CompressedL1> {
        self.load_store.l1d.compressed()
    }

    /// Register reads so far.
    pub fn register_reads(&self) -> u64 {
        self.core.collectors.register_reads
    }

    /// What the SM waits for, one line per thread block.
    pub fn describe_wait(&self) -> Vec<String> {
        let mut lines: Vec<_> = self
            .residents
            .iter()
            .map(|resident| {
                let index = resident.block.index;
                let count = |mask: WarpMask| (mask & resident.warps).count_ones();
                format!(
                    "thread block ({}, {}, {}): {} warps run, {} at a barrier, {} wait for registers, {} for stores, {} for asynchronous copies, {} for instructions",
                    index[0],
                    index[1],
                    index[2],
                    count(self.core.warps.running),
                    count(self.core.warps.at_barrier),
                    count(self.core.scoreboard.waiting_warps()),
                    count(self.core.warps.awaiting_stores),
                    count(self.core.warps.at_copies),
                    count(self.core.warps.awaiting_fetch),
                )
            })
            .collect();
        lines.push(self.load_store.describe_wait());
        lines
    }

    fn wake(&mut self, now: Cycle) {
        if self.sleep.is_some() {
            self.count_sleep(now);
            self.sleep = None;
        }
    }

    /// One cycle of an SM that is awake. Returns how many blocks ended in it.
    pub fn run_stages(
        &mut self,
        now: Cycle,
        program: &Program<'_>,
        outlet: &mut impl Outlet,
    ) -> Result<u32, Box<Fault>> {
        self.write_back(now, program);
        let mut moved = self.execute(now, program, outlet);
        if self.core.copies.has_due() {
            self.arrive_after_copies();
        }
        let has_news = std::mem::take(&mut self.core.warps.has_news);
        let mut ended = 0;
        if self.is_front_awake || moved.makes_room || has_news || self.fetch.has_waiting_miss() {
            let retired = self.step_front(now, program, outlet)?;
            if retired != 0 {
                ended = self.retire(retired);
            }
        } else {
            self.core.collectors.skip_cycle();
        }
        moved.anything |= has_news || self.is_front_awake;
        self.active_cycles += 1;
        self.note_cycles(1);
        if !moved.anything {
            self.fall_asleep(now);
        }
        if cfg!(debug_assertions) {
            self.foretold = self.sharing();
        }
        Ok(ended)
    }

    /// Arrivals at barrier objects whose asynchronous copies are done.
    #[cold]
    fn arrive_after_copies(&mut self) {
        while let Some(arrival) = self.core.copies.pop_due() {
            let (resident, _) = self.residents.of_warp(arrival.warp);
            resident.block.arrive_after_copies(arrival.lanes, &arrival.addresses);
        }
    }

    /// Operand collectors, issue, decode and fetch. Returns the warps that have left their slots.
    fn step_front(
        &mut self,
        now: Cycle,
        program: &Program<'_>,
        outlet: &mut impl Outlet,
    ) -> Result<WarpMask, Box<Fault>> {
        let timing = program.timing;
        let mut moved = self.core.collectors.step(timing, &mut self.issued, &mut self.to_execute);
        for _ in 1..self.spec.operand_rounds {
            moved |= self.core.collectors.step(timing, &mut self.issued, &mut self.to_execute);
        }
        moved |= self.issue(program)?;
        let mut retired = 0;
        for _ in 0..self.spec.fetches {
            let has_decoded = self.fetch.decode(&mut self.core.warps, timing, &self.core.scoreboard);
            let fetched = self.fetch.step(now, &mut self.core.warps, timing, &self.core.scoreboard, outlet);
            retired |= fetched.retired;
            self.core.warps.resident &= !fetched.retired;
            // A round in which nothing moved would be followed by the same.
            if !(has_decoded || fetched.moved) {
                break;
            }
            moved = true;
        }
        self.is_front_awake = moved || self.core.collectors.has_waiting_reads();
        Ok(retired)
    }

    #[inline]
    fn write_back(&mut self, now: Cycle, program: &Program<'_>) {
        if self.units.has_results(now) {
            self.write_results(now, program);
        }
    }

    fn write_results(&mut self, now: Cycle, program: &Program<'_>) {
        for result in self.units.pop_results(now) {
            self.core.write_result(result.warp, result.pc, program.timing);
        }
    }

    #[inline]
    fn execute(&mut self, now: Cycle, program: &Program<'_>, outlet: &mut impl Outlet) -> Moved {
        let mut makes_room = self.units.step(now, program.timing, &mut self.to_execute);
        let is_load_store_moving = self.load_store.step(now, &mut self.core, program, outlet);
        makes_room |= self.load_store.dispatch(now, &mut self.to_execute[Pipe::Memory as usize]);
        Moved { anything: is_load_store_moving | makes_room, makes_room }
    }

    #[inline(never)]
    fn retire(&mut self, mut retired: WarpMask) -> u32 {
        let mut ended = 0;
        while retired != 0 {
            let warp = retired.trailing_zeros() as usize;
            retired &= retired - 1;
            self.core.warps.resident &= !(1 << warp);
            if let Some(resident) = self.residents.retire(warp) {
                self.output.append(&mut resident.block.output);
                self.age.remove(resident.warps);
                resident.warps = 0;
                self.ended.push(resident.number);
                ended += 1;
            }
        }
        ended
    }

    #[inline]
    fn note_cycles(&mut self, cycles: u64) {
        if self.core.tolerance.is_on() {
            self.core.tolerance.note_cycles(cycles, self.schedulers.len());
        }
    }

    /// What each scheduler does in this cycle, and from then on until it is asked again.
    #[inline]
    pub(super) fn set_outcomes(&mut self, outcomes: [IssueOutcome; MAX_SCHEDULERS]) {
        if outcomes != self.outcomes {
            self.count_outcomes();
            self.outcomes = outcomes;
        }
    }

    /// Counts the cycles in which each scheduler has done the same. Which, is counted apart from the other counters: a place in an
    /// array is no jump.
    fn count_outcomes(&mut self) {
        let cycles = self.active_cycles - std::mem::replace(&mut self.outcomes_from, self.active_cycles);
        for outcome in &self.outcomes[..self.schedulers.len().min(MAX_SCHEDULERS)] {
            self.outcome_cycles[*outcome as usize] += cycles;
        }
    }

    fn fall_asleep(&mut self, now: Cycle) {
        let until = self.units.next_event(now, &self.to_execute).min(self.load_store.next_event(now));
        let instruction_miss = self.fetch.cache().miss_front().map(Packet::payload_bytes);
        let waiting_bytes =
            instruction_miss.into_iter().chain(self.load_store.smallest_waiting_packet()).min();
        self.sleep = Some(Sleep { until, waiting_bytes, from: now + 1 });
    }
}
