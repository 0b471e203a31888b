//! Issue: the schedulers choose, the chosen instructions execute functionally and enter the pipeline.

use shrinkwarp_emu::LaneMask;
use shrinkwarp_emu::exec::{step, step_plain};
use shrinkwarp_emu::fault::{Fault, FaultKind};
use shrinkwarp_emu::inst::{AccessDirection, Flow, Inst, Space, Unit};
use shrinkwarp_emu::op::Op;

use super::MAX_SCHEDULERS;
use super::async_copies::Arrival;
use super::counters::IssueOutcome;
use super::in_flight::{InFlight, NO_OPERATION};
use super::residents::Resident;
use super::sm::{Program, Sm};
use super::timing::{COMMON_PIPES, PIPES, Pipe};
use super::warps::WarpMask;

impl Sm {
    /// Lets every scheduler issue once. Returns whether anything moved.
    #[inline]
    pub(super) fn issue(&mut self, program: &Program<'_>) -> Result<bool, Box<Fault>> {
        if let Some(turn) = program.turn
            && self.spec.issues_per_scheduler == 1
        {
            // An instruction that waits for its registers now does not issue in this cycle; one at a barrier may.
            turn.announce(self.core.warps.sharing(self.core.warps.clear));
        }
        let warps = &self.core.warps;
        let candidates = warps.candidates();
        let room = self.warps_with_room(candidates);
        if self.is_every_cycle_noted {
            self.ask_schedulers::<true>(candidates, room, program)
        } else if candidates & (warps.misfetched | warps.clear & room) != 0 {
            self.ask_schedulers::<false>(candidates, room, program)
        } else {
            self.note_waits(candidates);
            Ok(false)
        }
    }

    /// No warp can issue or has the wrong instruction: all that a scheduler finds is why its warps wait.
    #[inline]
    fn note_waits(&mut self, candidates: WarpMask) {
        let clear = candidates & self.core.warps.clear;
        let mut outcomes = self.outcomes;
        for (outcome, scheduler) in outcomes.iter_mut().zip(&self.schedulers) {
            *outcome = outcome_of_none(candidates & scheduler.owned, clear & scheduler.owned);
        }
        self.set_outcomes(outcomes);
    }

    /// The schedulers choose in turn, beginning with another one each cycle. `IS_NOTED`: [`Sm::is_every_cycle_noted`].
    fn ask_schedulers<const IS_NOTED: bool>(
        &mut self,
        mut candidates: WarpMask,
        mut room: WarpMask,
        program: &Program<'_>,
    ) -> Result<bool, Box<Fault>> {
        let (mut moved, mut has_changed) = (false, false);
        let mut outcomes = self.outcomes;
        let count = self.schedulers.len();
        let cycle = self.active_cycles as usize;
        let mut index = if count.is_power_of_two() { cycle & (count - 1) } else { cycle % count };
        for _ in 0..count {
            if has_changed {
                candidates = self.core.warps.candidates();
                // No scheduler takes the registers of another's sub-core.
                if self.sub_core_mask == 0 {
                    room = self.warps_with_room(candidates);
                }
            }
            (has_changed, outcomes[index % MAX_SCHEDULERS]) =
                self.schedule::<IS_NOTED>(index, candidates, room, program)?;
            moved |= has_changed;
            index = if index + 1 == count { 0 } else { index + 1 };
        }
        self.set_outcomes(outcomes);
        if IS_NOTED && self.core.tolerance.is_on() {
            let available = self.core.warps.running & !self.core.warps.parked();
            self.core.tolerance.note_available(available.count_ones());
        }
        Ok(moved)
    }

    /// One scheduler chooses. Returns whether anything moved, and what it did.
    #[inline(always)]
    fn schedule<const IS_NOTED: bool>(
        &mut self,
        index: usize,
        candidates: WarpMask,
        room: WarpMask,
        program: &Program<'_>,
    ) -> Result<(bool, IssueOutcome), Box<Fault>> {
        let needs_parked_warps = IS_NOTED && self.schedulers[index].needs_parked_warps();
        if needs_parked_warps {
            self.schedulers[index].note_parked(self.core.warps.parked());
        }
        let candidates = candidates & self.schedulers[index].owned;
        let misfetched = candidates & self.core.warps.misfetched;
        let valid = candidates & !misfetched;
        let clear = valid & self.core.warps.clear;
        let issuable = clear & room;
        let mut moved = needs_parked_warps && self.core.warps.resident != 0;
        if issuable | misfetched != 0 {
            let selection = self.schedulers[index].select(issuable, misfetched, &self.age);
            if IS_NOTED && self.core.tolerance.is_on() {
                self.core.tolerance.note_choice(index, self.active_cycles, selection.winner);
            }
            moved |= self.redirect(selection.passed & misfetched);
            if let Some(warp) = selection.winner {
                self.issue_warp(warp, program)?;
                if self.spec.issues_per_scheduler > 1 {
                    self.issue_more(warp, program)?;
                }
                return Ok((true, IssueOutcome::Issued));
            }
        }
        Ok((moved, outcome_of_none(valid, clear)))
    }

    /// Issues further instructions of a warp that has just issued, as long as they can go in the same cycle.
    #[inline(never)]
    fn issue_more(&mut self, warp: usize, program: &Program<'_>) -> Result<(), Box<Fault>> {
        for _ in 1..self.spec.issues_per_scheduler {
            if !self.issue_again(warp, program)? {
                break;
            }
        }
        Ok(())
    }

    /// Issues one more instruction of a warp that has just issued, if it can go in the same cycle.
    fn issue_again(&mut self, warp: usize, program: &Program<'_>) -> Result<bool, Box<Fault>> {
        let bit = 1 << warp;
        let candidate = self.core.warps.candidates() & bit;
        self.redirect(candidate & self.core.warps.misfetched);
        let room = self.warps_with_room(candidate);
        let can_issue = candidate & !self.core.warps.misfetched & self.core.warps.clear & room != 0;
        if can_issue {
            self.issue_warp(warp, program)?;
        }
        Ok(can_issue)
    }

    /// Warps whose buffered instruction would find room in its pipe; none if no candidate has its registers.
    #[inline(always)]
    fn warps_with_room(&self, candidates: WarpMask) -> WarpMask {
        if candidates & self.core.warps.clear == 0 {
            return 0;
        }
        if self.sub_core_mask > 0 {
            return self.warps_with_sub_core_room();
        }
        let mut warps = 0;
        for pipe in 0..COMMON_PIPES {
            if self.issued[pipe].has_room() {
                warps |= self.core.warps.wants[pipe];
            }
        }
        warps
    }

    /// Warps whose buffered instruction would find room in its sub-core's register of its pipe.
    #[inline(never)]
    fn warps_with_sub_core_room(&self) -> WarpMask {
        let mut warps = 0;
        for pipe in 0..PIPES {
            let full = u64::from(self.issued[pipe].taken()) * self.sub_core_pattern;
            warps |= self.core.warps.wants[pipe] & !full;
        }
        warps
    }

    fn redirect(&mut self, mut warps: WarpMask) -> bool {
        let moved = warps != 0;
        while warps != 0 {
            self.core.warps.redirect(warps.trailing_zeros() as usize);
            warps &= warps - 1;
        }
        moved
    }

    fn issue_warp(&mut self, warp: usize, program: &Program<'_>) -> Result<(), Box<Fault>> {
        let pc = self.core.warps.buffer_pc(warp);
        let inst = &program.kernel.code[pc as usize];
        let instruction = program.timing.at(pc);
        debug_assert!(instruction.sharing <= self.foretold, "no one expected this instruction in this cycle");
        if let Some(turn) = program.turn
            && !turn.take(instruction.sharing)
        {
            return Err(given_up(program, self.residents.of_warp(warp).0));
        }
        // A warp issues the instruction that it needs next, and does not while it waits at a barrier.
        let plain = if instruction.is_plain {
            let (resident, index) = self.residents.of_warp(warp);
            step_plain(inst, &mut resident.block.warps[index])
        } else {
            None
        };
        let (executed, operation) = if let Some((executed, next_pc)) = plain {
            self.core.warps.pop_buffer(warp, next_pc);
            (executed, NO_OPERATION)
        } else {
            self.execute_with_effects(warp, inst, program, pc)?
        };
        let written = program.timing.registers(instruction.written);
        self.core.scoreboard.reserve(warp, written, instruction.is_long);
        if plain.is_none()
            && inst.unit == Unit::Barrier
            && inst.flow == Flow::Next
            && self.core.scoreboard.waiting_warps() >> warp & 1 == 1
        {
            self.core.warps.at_fence |= 1 << warp;
        }
        if self.core.warps.buffered >> warp & 1 == 1 {
            self.core.warps.look_at_head(warp, program.timing, &self.core.scoreboard);
        }
        self.core.warps.enter_pipeline(warp);
        let (order, sub_core) = (self.next_order, (warp & self.sub_core_mask) as u8);
        let pipe = instruction.pipe;
        let in_flight = InFlight { pc, order, warp: warp as u8, sub_core, operation, pipe };
        self.issued[pipe as usize].push(&in_flight);
        self.next_order = self.next_order.wrapping_add(1);
        self.counters.count_issue(inst, executed, &mut self.lanes_by_unit);
        Ok(())
    }

    /// Executes an instruction that may do more than plain arithmetic. Returns its lanes and its operation in the load/store unit.
    ///
    /// Never inlined: most instructions are plain, and their few values then stay in the processor's registers.
    #[inline(never)]
    fn execute_with_effects(
        &mut self,
        warp: usize,
        inst: &Inst,
        program: &Program<'_>,
        pc: u32,
    ) -> Result<(LaneMask, u8), Box<Fault>> {
        let (resident, index) = self.residents.of_warp(warp);
        resident.block.clock = self.active_cycles;
        let (block, effects) = (&mut resident.block, &mut self.effects);
        step(program.kernel, program.launch, block, index, program.memory, effects)?;
        let next_pc = resident.block.warps[index].pc();
        self.core.warps.pop_buffer(warp, next_pc);
        Ok((self.effects.executed, self.follow_effects(warp, inst, program, pc)))
    }

    /// What an instruction that is not plain arithmetic did beside its registers. Returns its operation in the load/store unit.
    fn follow_effects(&mut self, warp: usize, inst: &Inst, program: &Program<'_>, pc: u32) -> u8 {
        if inst.is_exit() && self.effects.executed != 0 {
            // Whatever was fetched behind an exit is dropped, even if some lanes go on there.
            self.core.warps.flush(warp);
        }
        if self.effects.arrived_at_barrier || self.effects.warp_finished {
            self.renew_barriers(warp);
        }
        let is_memory = program.timing.at(pc).pipe == Pipe::Memory;
        let operation = if is_memory { self.open_operation(warp, inst, program, pc) } else { NO_OPERATION };
        self.note_copies(warp, inst, operation);
        if let Some(access) = self.effects.access
            && access.space == Space::Local
            && access.kind == AccessDirection::Store
        {
            let map = self.residents.local_map(warp);
            let (resident, index) = self.residents.of_warp(warp);
            let stored = (&self.effects.addresses, access.lanes, access.bytes_per_lane);
            map.keep(&resident.block.warps[index], stored.0, stored.1, stored.2, program.memory);
        }
        operation
    }

    /// Copies begin, are committed or waited for, or an arrival waits for them.
    #[inline]
    fn note_copies(&mut self, warp: usize, inst: &Inst, operation: u8) {
        if let Op::CopyGroups(groups) = inst.op {
            let waits = self.effects.executed != 0 && self.core.copies.group(warp, groups);
            self.core.warps.at_copies |= u64::from(waits) << warp;
        } else if self.effects.awaits_copies {
            let lanes = self.effects.access.map_or(0, |access| access.lanes);
            self.core.copies.arrive(&Arrival { warp, lanes, addresses: self.effects.addresses });
        } else if self
            .effects
            .access
            .is_some_and(|access| access.kind == AccessDirection::Copy && access.lanes != 0)
        {
            self.load_store.operations.get_mut(operation).copy = Some(self.core.copies.begin(warp));
            self.core.warps.awaiting_copies |= 1 << warp;
        }
    }

    fn open_operation(&mut self, warp: usize, inst: &Inst, program: &Program<'_>, pc: u32) -> u8 {
        let mut spec = self.load_store.operation_spec();
        spec.moves_matrix_rows = program.timing.at(pc).moves_matrix_rows;
        let residents = &self.residents;
        let local = || residents.local_map(warp);
        let slot = self.load_store.operations.open(inst, &self.effects, &spec, local);
        let operation = self.load_store.operations.get(slot);
        if operation.is_atomic {
            self.core.warps.send_atomics(warp, operation.accesses.len() as u16);
        }
        slot
    }

    fn renew_barriers(&mut self, warp: usize) {
        let (block, waiting) = self.residents.waiting_at_barrier(warp);
        self.core.warps.at_barrier = self.core.warps.at_barrier & !block | waiting;
    }
}

/// What ends an SM's step when an SM before it has failed; the failure of that one is reported.
#[cold]
fn given_up(program: &Program<'_>, resident: &Resident) -> Box<Fault> {
    Box::new(Fault {
        kind: FaultKind::Trap,
        kernel: program.kernel.name.clone(),
        line: 0,
        block: resident.block.index,
        thread: [0; 3],
        printed: Vec::new(),
    })
}

/// What a scheduler reports that issues nothing, with these warps that have the right instruction, and of them those that
/// have its registers.
#[inline]
fn outcome_of_none(valid: WarpMask, clear: WarpMask) -> IssueOutcome {
    match (valid, clear) {
        (0, _) => IssueOutcome::NoInstruction,
        (_, 0) => IssueOutcome::WaitingForRegisters,
        _ => IssueOutcome::PipeFull,
    }
}
