//! The load/store unit: one memory instruction at a time in front, many on their way behind.
//!
//! ```text
//! operands ─ dispatch ─┬─ shared memory ── pipeline ─────────────────┐
//!                      ├─ constant cache ── hit: done ─ miss ─┐      │
//!                      ├─ texture FIFO ───────────────────────┤      ├─ write-back (one per cycle)
//!                      ├─ L1D latency queue ─ hit: done ─ miss┤      │
//!                      └─ past the L1D ───────────────────────┤      │
//!                                            network ─ replies┴──────┘
//! ```
//!
//! An instruction stays in the dispatch register until its last access has been handed on: one access per cycle, for
//! shared memory as many cycles as the busiest bank has words. An access that a cache refuses (a reservation failure) is
//! tried again in every cycle and blocks those behind it.
//!
//! Hits need no write-back port: the register is free in the cycle of the access. Everything that comes from the network,
//! the texture cache or shared memory passes the write-back register, whose clients take turns.
//!
//! Order within a cycle: write-back, shared-memory pipeline, one reply, one miss of each cache, decompressed hits, the
//! head of the L1D queue, the dispatch register.

mod dispatch;
mod local_map;
mod operation;
mod pending;
mod stall;
mod texture_cache;
mod work;
mod write_back;

use arrayvec::ArrayVec;
use shrinkwarp_emu::memory::Memory;

use dispatch::Dispatch;
pub use local_map::LocalMap;
pub use operation::{Operation, OperationPool, OperationSpec, Route};
use pending::PendingLoads;
use stall::{Stall, StallCause};
use texture_cache::TextureCache;
pub use texture_cache::TextureCacheSpec;
use work::{
    COMPRESSED, DISPATCH, L1D_MISS, L1D_QUEUES, READ_ONLY, REPLIES, RESULTS, SHARED_PIPELINE, Stages,
    UNCACHED_RESULT, WRITE_BACK,
};
use write_back::WriteBack;

use super::coalescer::Coalescing;
use super::core::Core;
use super::in_flight::InFlight;
use super::l1::{L1, L1Access, L1Compression};
use super::network::Outlet;
use super::sm::Program;
use super::timing::KernelTiming;
use crate::base::cache_counters::{AccessOutcome, CacheCounters};
use crate::base::station::Station;
use crate::base::{AccessKind, Cache, CacheSpec, Cycle, DelayLine, Packet, Port, Sharing};
use crate::compute::counters::LoadStoreCounters;

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadStoreSpec {
    /// Data cache.
    pub l1d: CacheSpec,
    /// Cycles from the dispatch register to the tags.
    pub l1d_latency_cycles: usize,
    /// Banks of the data cache, one sector wide each; a power of two.
    pub l1d_banks: usize,
    /// Which accesses the lanes of a warp share.
    pub coalescing: Coalescing,
    /// Constant cache.
    pub l1c: CacheSpec,
    /// Texture cache.
    pub l1t: TextureCacheSpec,
    /// Cycles a shared-memory load spends in its pipeline.
    pub shared_latency_cycles: usize,
    /// Banks of the shared memory.
    pub shared_banks: u32,
    /// Whether constants and parameters are there as soon as an instruction asks.
    pub are_constants_perfect: bool,
    /// Replies that wait for the unit.
    pub reply_entries: usize,
}

/// Most banks of an L1D.
pub const MAX_L1_BANKS: usize = 4;

/// The unit.
#[derive(Debug)]
pub struct LoadStore {
    sm: u16,
    spec: LoadStoreSpec,
    /// Data cache.
    pub l1d: L1,
    l1c: Cache,
    l1t: TextureCache,
    /// Operations of instructions that have not left the dispatch register.
    pub operations: OperationPool,
    dispatch: Option<Dispatch>,
    /// Stage 0 is written back next.
    shared_pipeline: Vec<Option<InFlight>>,
    /// Instructions in the shared-memory pipeline.
    shared_loads: usize,
    /// Accesses on their way to the tags, by bank.
    l1d_queues: ArrayVec<DelayLine<Packet>, MAX_L1_BANKS>,
    replies: Port<Packet>,
    write_back: WriteBack,
    pending: PendingLoads,
    /// The stages that have something to do.
    work: Stages,
    /// The access that is stalled, so that its repetitions can be counted while the unit sleeps.
    stall: Stall,
    /// Nothing moves before this cycle unless a reply or an instruction arrives.
    asleep_until: Cycle,
    /// Cycles that repeated the stall and are not yet counted.
    idle_cycles: u64,
    /// What happened so far.
    pub counters: LoadStoreCounters,
}

impl LoadStore {
    /// An idle unit with empty caches; the data cache is compressed if that is given.
    pub fn new(sm: u16, spec: LoadStoreSpec, compression: Option<&L1Compression>) -> Self {
        Self {
            sm,
            spec,
            l1d: L1::new(sm, spec.l1d, spec.l1d_latency_cycles, compression),
            l1c: Cache::new(spec.l1c),
            l1t: TextureCache::new(spec.l1t),
            operations: OperationPool::default(),
            dispatch: None,
            shared_pipeline: vec![None; spec.shared_latency_cycles.max(1)],
            shared_loads: 0,
            l1d_queues: (0..spec.l1d_banks.clamp(1, MAX_L1_BANKS))
                .map(|_| DelayLine::bounded(spec.l1d_latency_cycles))
                .collect(),
            replies: Port::new(spec.reply_entries),
            write_back: WriteBack::default(),
            pending: PendingLoads::default(),
            work: if compression.is_some() { COMPRESSED } else { 0 },
            stall: Stall::default(),
            asleep_until: Cycle(0),
            idle_cycles: 0,
            counters: LoadStoreCounters::default(),
        }
    }

    /// Makes ready for a launch.
    pub fn prepare(&mut self) {
        self.asleep_until = Cycle(0);
    }

    /// How operations are built.
    pub fn operation_spec(&self) -> OperationSpec {
        OperationSpec {
            coalescing: self.spec.coalescing,
            shared_banks: self.spec.shared_banks,
            are_constants_perfect: self.spec.are_constants_perfect,
            constant_line_bytes: self.spec.l1c.line_bytes as u64,
            texture_line_bytes: self.spec.l1t.line_bytes as u64,
            moves_matrix_rows: false,
        }
    }

    /// Whether a reply can be taken.
    pub fn has_room_for_reply(&self) -> bool {
        self.replies.has_room()
    }

    /// Takes a reply from the network.
    pub fn receive(&mut self, reply: Packet) {
        self.replies.push(reply);
        self.note_work(REPLIES, true);
        self.asleep_until = Cycle(0);
    }

    /// One cycle before the dispatch of new instructions. Returns whether anything moved.
    #[inline]
    pub fn step(
        &mut self,
        now: Cycle,
        core: &mut Core,
        program: &Program<'_>,
        outlet: &mut impl Outlet,
    ) -> bool {
        if now < self.asleep_until {
            self.count_idle(1);
            return false;
        }
        if self.has_work(COMPRESSED)
            && let Some(turn) = program.turn
        {
            // A compressed L1 reads device memory and shares its codes and tallies with those of the other SMs. What it
            // does without a turn, because an SM before it failed, is thrown away with the machine's state.
            let _has_turn = turn.take(Sharing::Writes);
        }
        let moved = self.run_stages(now, core, program, outlet);
        let is_over = if moved { self.is_stuck(now) } else { !self.waits_for_banks_or_network() };
        if is_over {
            self.asleep_until = self.next_event(now);
        }
        moved
    }

    fn run_stages(
        &mut self,
        now: Cycle,
        core: &mut Core,
        program: &Program<'_>,
        outlet: &mut impl Outlet,
    ) -> bool {
        let timing = program.timing;
        self.settle();
        self.stall = Stall::default();
        debug_assert!(self.is_work_noted(), "a stage was not told that it has something to do");
        let mut moved = self.has_work(WRITE_BACK | RESULTS) && self.write_results(core, timing);
        moved |= self.has_work(SHARED_PIPELINE) && self.shift_shared_pipeline();
        moved |= self.has_work(REPLIES) && self.take_reply(now, core, program.memory);
        moved |= self.has_work(READ_ONLY) && self.step_read_only(outlet);
        moved |= self.has_work(L1D_MISS) && self.forward_l1d_miss(outlet);
        moved |= self.has_work(COMPRESSED) && self.finish_decompressed(now, core, program);
        moved |= self.has_work(L1D_QUEUES) && self.look_up(now, core, timing);
        moved |= self.has_work(DISPATCH) && self.advance_dispatch(now, core, timing, outlet);
        moved
    }

    /// The texture cache, and a miss of the constant cache.
    #[inline(never)]
    fn step_read_only(&mut self, outlet: &mut impl Outlet) -> bool {
        let moved = self.l1t.step(outlet) | outlet.forward(&mut self.l1c);
        self.note_read_only();
        moved
    }

    #[inline(never)]
    fn forward_l1d_miss(&mut self, outlet: &mut impl Outlet) -> bool {
        let moved = self.l1d.forward_miss(outlet);
        self.note_l1d_miss();
        moved
    }

    /// Whether it is known behind a step that the next ones will move nothing, before something arrives or is due: all that is left
    /// was refused in this step. With several banks, what one lets pass may be what another waits for.
    fn is_stuck(&self, now: Cycle) -> bool {
        let [queue] = &self.l1d_queues[..] else { return false };
        let is_queue_waiting =
            self.stall.l1d_fails[0].is_some() || queue.next_due().is_none_or(|due| due > now);
        let is_dispatch_waiting = !self.has_work(DISPATCH)
            || matches!(self.stall.cause, Some(StallCause::L1Queue | StallCause::SharedBanks));
        is_queue_waiting && is_dispatch_waiting && !self.has_work(!(L1D_QUEUES | DISPATCH))
    }

    /// Whether a step may move something though the one before, which was the same, did not.
    fn waits_for_banks_or_network(&self) -> bool {
        self.has_work(WRITE_BACK) || self.stall.cause == Some(StallCause::Network) || self.has_waiting_miss()
    }

    /// Whether a miss waits for room in the network.
    fn has_waiting_miss(&self) -> bool {
        self.has_work(L1D_MISS)
            || self.has_work(READ_ONLY)
                && (self.l1c.miss_front().is_some() || self.l1t.miss_front().is_some())
    }

    /// The next cycle in which something happens by itself, if nothing arrives.
    pub fn next_event(&self, now: Cycle) -> Cycle {
        let mut next = self.l1d.next_event(now);
        if let Some(dispatch) = &self.dispatch
            && dispatch.ready_at > now
            && self.operations.get(dispatch.instruction.operation).route == Route::Shared
        {
            next = next.min(dispatch.ready_at);
        }
        // A head that is due and was refused waits for something else to happen.
        let heads = self.l1d_queues.iter().filter_map(DelayLine::next_due).filter(|&due| due > now);
        heads.fold(next, Cycle::min)
    }

    /// Warps that may get registers in the next step: those of the result that is about to be written, of accesses that may hit, and
    /// of the instruction in the dispatch register.
    pub fn warps_about_to_get_registers(&self) -> u64 {
        let written = self.warp_of_result();
        let looked_up = self.l1d_queues.iter().filter_map(|queue| queue.due(Cycle::NEVER));
        let looked_up = looked_up.map(|packet| packet.warp as u8);
        let dispatched = self.dispatch.as_ref().map(|dispatch| dispatch.instruction.warp);
        written.into_iter().chain(looked_up).chain(dispatched).fold(0, |warps, warp| warps | 1 << warp)
    }

    /// Whether the instruction in the dispatch register stays there in the next step: it has more accesses than one.
    pub fn keeps_dispatched(&self) -> bool {
        let Some(dispatch) = self.dispatch.as_ref().filter(|_| self.l1d_queues.len() == 1) else {
            return false;
        };
        let operation = self.operations.get(dispatch.instruction.operation);
        let makes_one_each_step = matches!(operation.route, Route::Data | Route::Constant | Route::Texture);
        makes_one_each_step && operation.accesses.len() > 1
    }

    /// The data bytes of the smallest packet that waits for room in the network.
    pub fn smallest_waiting_packet(&self) -> Option<u32> {
        if self.stall.cause != Some(StallCause::Network) && !self.has_waiting_miss() {
            return None;
        }
        let misses = [self.l1t.miss_front(), self.l1c.miss_front(), self.l1d.miss_front()];
        let fronts = misses.map(|packet| packet.map(Packet::payload_bytes));
        let bypass = match (self.stall.cause, &self.dispatch) {
            (Some(StallCause::Network), Some(dispatch)) => {
                let operation = self.operations.get(dispatch.instruction.operation);
                operation
                    .accesses
                    .last()
                    .map(|access| self.packet_of(operation, access, dispatch, Cycle(0)).payload_bytes())
            }
            _ => None,
        };
        fronts.into_iter().chain([bypass]).flatten().min()
    }

    /// Statistics of data, constant and texture cache.
    pub fn cache_counters(&self) -> [&CacheCounters; 3] {
        [self.l1d.counters(), &self.l1c.counters, &self.l1t.counters]
    }

    /// What the unit waits for, in words.
    pub fn describe_wait(&self) -> String {
        let blocks: Vec<_> =
            self.l1d.blocks_awaited().iter().map(|block| format!("{:#x}", block.first_byte())).collect();
        let at_l1d = self.l1d.compressed().and_then(Station::describe_wait);
        format!(
            "{} loads pending, dispatch {}, L1D misses [{}], {} replies waiting{}",
            self.pending.len(),
            self.stall.cause.map_or("free".to_owned(), |cause| format!("waits for {}", cause.words())),
            blocks.join(" "),
            self.replies.len(),
            at_l1d.map(|wait| format!(", {wait}")).unwrap_or_default(),
        )
    }

    #[inline(never)]
    fn shift_shared_pipeline(&mut self) -> bool {
        let mut moved = false;
        for stage in 1..self.shared_pipeline.len() {
            if self.shared_pipeline[stage - 1].is_none() && self.shared_pipeline[stage].is_some() {
                self.shared_pipeline.swap(stage - 1, stage);
                moved = true;
            }
        }
        self.note_shared_pipeline();
        moved
    }

    /// The oldest reply.
    #[inline(never)]
    fn take_reply(&mut self, now: Cycle, core: &mut Core, memory: &Memory) -> bool {
        let Some(reply) = self.replies.front() else { return false };
        match reply.kind {
            AccessKind::TextureRead => self.l1t.fill(reply),
            AccessKind::ConstantRead => {
                self.l1c.fill(reply, now);
            }
            _ if reply.is_write() => core.warps.acknowledge_store(usize::from(reply.warp)),
            _ if reply.bypasses_l1 => {
                if !self.write_back.take_uncached(*reply) {
                    return false;
                }
                self.note_work(UNCACHED_RESULT, true);
            }
            _ => {
                self.l1d.fill(reply, now, memory);
                self.note_l1d_result();
                self.note_l1d_miss();
            }
        }
        self.replies.pop();
        self.note_work(REPLIES, !self.replies.is_empty());
        true
    }

    /// The access at the head of each bank's queue meets the tags.
    #[inline]
    fn look_up(&mut self, now: Cycle, core: &mut Core, timing: &KernelTiming) -> bool {
        let mut moved = false;
        for bank in 0..self.l1d_queues.len() {
            if self.l1d_queues[bank].due(now).is_some() {
                moved |= self.look_up_oldest(bank, now, core, timing);
            }
        }
        moved
    }

    fn look_up_oldest(&mut self, bank: usize, now: Cycle, core: &mut Core, timing: &KernelTiming) -> bool {
        let Some(packet) = self.l1d_queues[bank].due(now) else { return false };
        if let Some(reason) = self.l1d.repeat_refusal(packet) {
            self.stall.l1d_fails[bank % MAX_L1_BANKS] = Some((packet.kind, reason));
            return false;
        }
        let (kind, warp, load) = (packet.kind, usize::from(packet.warp), packet.handle);
        let L1Access { access, is_data_ready } = self.l1d.access(packet, now, &mut core.tolerance);
        if self.has_work(COMPRESSED) {
            self.note_l1d_miss();
            self.note_l1d_result();
        }
        if let AccessOutcome::ReservationFail(reason) = access.outcome {
            self.stall.l1d_fails[bank % MAX_L1_BANKS] = Some((kind, reason));
            return false;
        }
        let is_hit = access.outcome == AccessOutcome::Hit;
        if !is_hit || access.is_write_forwarded {
            self.note_l1d_miss();
        }
        if kind.is_write() {
            let is_kept = is_hit || self.spec.l1d.write_policy.is_lazy();
            // A store that stays in the L1D gets no answer.
            if is_kept && !access.is_write_forwarded {
                core.warps.acknowledge_store(warp);
            }
        } else if is_hit && is_data_ready {
            self.finish_access(load, core, timing);
        }
        self.l1d_queues[bank].drop_oldest();
        self.note_work(L1D_QUEUES, self.l1d_queues.iter().any(|queue| !queue.is_empty()));
        true
    }

    /// Hits that waited for the decompressor have their data.
    #[inline(never)]
    fn finish_decompressed(&mut self, now: Cycle, core: &mut Core, program: &Program<'_>) -> bool {
        let mut moved = false;
        while let Some(load) = self.l1d.pop_decompressed(now, program.memory) {
            self.finish_access(load, core, program.timing);
            moved = true;
        }
        self.note_l1d_miss();
        self.note_l1d_result();
        moved
    }

    fn finish_access(&mut self, load: u32, core: &mut Core, timing: &KernelTiming) {
        if let Some(done) = self.pending.finish_access(load) {
            core.release_registers(done.warp, done.pc, timing);
            if let Some(number) = done.copy {
                core.finish_copy(done.warp, number);
            }
        }
    }
}
