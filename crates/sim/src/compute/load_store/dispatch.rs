//! The dispatch register: the instruction in front hands its accesses on, one after the other, and then leaves.

use super::stall::StallCause;
use super::work::{DISPATCH, L1D_QUEUES, READ_ONLY};
use super::{LoadStore, Operation, Route};
use crate::base::cache_counters::AccessOutcome;
use crate::base::{Cycle, Packet};
use crate::compute::coalescer::CoalescedAccess;
use crate::compute::core::Core;
use crate::compute::in_flight::{InFlight, NO_OPERATION, StageRegisters};
use crate::compute::network::Outlet;
use crate::compute::timing::KernelTiming;

/// The instruction in the dispatch register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dispatch {
    pub(super) instruction: InFlight,
    /// When the banks of the shared memory are done with it.
    pub(super) ready_at: Cycle,
    /// Handle of its pending load.
    load: Option<u32>,
    /// Whether its accesses wait for room in the only queue of the L1D.
    uses_only_queue: bool,
}

impl LoadStore {
    /// Takes the next instruction into the dispatch register, if it is free. Returns whether it did.
    #[inline]
    pub fn dispatch(&mut self, now: Cycle, waiting: &mut StageRegisters) -> bool {
        if waiting.is_empty() || self.dispatch.is_some() {
            return false;
        }
        let Some(instruction) = waiting.pop_oldest() else { return false };
        self.take_instruction(instruction, now);
        true
    }

    fn take_instruction(&mut self, instruction: InFlight, now: Cycle) {
        self.asleep_until = Cycle(0);
        let operation = self.operations.get(instruction.operation);
        let is_tracked = operation.is_load && !matches!(operation.route, Route::Shared | Route::Pass);
        let (accesses, cycles) = (operation.accesses.len() as u16, operation.conflict_cycles);
        let uses_only_queue =
            operation.route == Route::Data && !operation.bypasses_l1 && self.l1d_queues.len() == 1;
        if operation.route == Route::Data {
            self.counters.data_instructions += 1;
            self.counters.data_accesses += u64::from(accesses);
            self.counters.bypassing_accesses += if operation.bypasses_l1 { u64::from(accesses) } else { 0 };
        }
        let copy = operation.copy;
        let load = is_tracked.then(|| self.pending.open(instruction.pc, instruction.warp, accesses, copy));
        let ready_at = now + u64::from(cycles);
        self.dispatch = Some(Dispatch { instruction, ready_at, load, uses_only_queue });
        self.note_work(DISPATCH, true);
    }

    #[inline]
    pub(super) fn advance_dispatch(
        &mut self,
        now: Cycle,
        core: &mut Core,
        timing: &KernelTiming,
        outlet: &mut impl Outlet,
    ) -> bool {
        let Some(dispatch) = &self.dispatch else { return false };
        if dispatch.uses_only_queue && !self.l1d_queues[0].has_room() {
            self.stall.cause = Some(StallCause::L1Queue);
            self.count_stall(StallCause::L1Queue, 1);
            return false;
        }
        self.advance_instruction(*dispatch, now, core, timing, outlet)
    }

    fn advance_instruction(
        &mut self,
        dispatch: Dispatch,
        now: Cycle,
        core: &mut Core,
        timing: &KernelTiming,
        outlet: &mut impl Outlet,
    ) -> bool {
        let (moved, stall) = match self.operations.get(dispatch.instruction.operation).route {
            Route::Shared if dispatch.ready_at > now => (false, Some(StallCause::SharedBanks)),
            Route::Shared | Route::Pass => (false, None),
            Route::Constant | Route::Texture => self.access_read_only(&dispatch, now, core, timing),
            Route::Data => self.access_data(&dispatch, now, core, outlet),
        };
        if let Some(cause) = stall {
            self.stall.cause = Some(cause);
            self.count_stall(cause, 1);
            return moved;
        }
        self.complete_dispatch(&dispatch, core, timing) || moved
    }

    #[inline(never)]
    fn access_read_only(
        &mut self,
        dispatch: &Dispatch,
        now: Cycle,
        core: &mut Core,
        timing: &KernelTiming,
    ) -> (bool, Option<StallCause>) {
        let operation = self.operations.get(dispatch.instruction.operation);
        let Some(access) = operation.accesses.last() else { return (false, None) };
        let packet = self.packet_of(operation, access, dispatch, now);
        let is_constant = operation.route == Route::Constant;
        self.note_work(READ_ONLY, true);
        let (outcome, cause) = if is_constant {
            (self.l1c.access(&packet, now).outcome, StallCause::ConstantCache)
        } else {
            (self.l1t.access(packet, now), StallCause::TextureCache)
        };
        match outcome {
            AccessOutcome::ReservationFail(reason) => {
                let fail =
                    if is_constant { &mut self.stall.constant_fail } else { &mut self.stall.texture_fail };
                *fail = Some(reason);
                return (false, Some(cause));
            }
            // A texture hit comes back through the FIFO.
            AccessOutcome::Hit if is_constant => self.finish_access(packet.handle, core, timing),
            AccessOutcome::Hit
            | AccessOutcome::HitReserved
            | AccessOutcome::Miss
            | AccessOutcome::SectorMiss => {}
        }
        let operation = self.operations.get_mut(dispatch.instruction.operation);
        operation.accesses.pop();
        (true, (!operation.accesses.is_empty()).then_some(cause))
    }

    fn access_data(
        &mut self,
        dispatch: &Dispatch,
        now: Cycle,
        core: &mut Core,
        outlet: &mut impl Outlet,
    ) -> (bool, Option<StallCause>) {
        let operation = self.operations.get(dispatch.instruction.operation);
        if operation.bypasses_l1 || self.l1d_queues.len() == 1 {
            return self.access_once(dispatch, now, core, outlet);
        }
        // One access for each bank, until two meet at one.
        let (mut moved, mut taken_banks) = (false, 0_u32);
        while let Some(access) = self.operations.get(dispatch.instruction.operation).accesses.last() {
            let bank = self.bank_of(access.address);
            if taken_banks >> bank & 1 == 1 || !self.l1d_queues[bank].has_room() {
                return (moved, Some(StallCause::L1Queue));
            }
            if taken_banks.count_ones() as usize == self.l1d_queues.len() {
                return (moved, Some(StallCause::MoreAccesses));
            }
            taken_banks |= 1 << bank;
            self.access_once(dispatch, now, core, outlet);
            moved = true;
        }
        (moved, None)
    }

    /// The next access of an instruction goes to its bank of the L1D, or past it.
    fn access_once(
        &mut self,
        dispatch: &Dispatch,
        now: Cycle,
        core: &mut Core,
        outlet: &mut impl Outlet,
    ) -> (bool, Option<StallCause>) {
        let operation = self.operations.get(dispatch.instruction.operation);
        let Some(access) = operation.accesses.last() else { return (false, None) };
        let bank = self.bank_of(access.address);
        if !(operation.bypasses_l1 || self.l1d_queues[bank].has_room()) {
            return (false, Some(StallCause::L1Queue));
        }
        let packet = self.packet_of(operation, access, dispatch, now);
        if operation.bypasses_l1 {
            if !outlet.has_room(packet.payload_bytes()) {
                return (false, Some(StallCause::Network));
            }
            outlet.send(packet);
        } else {
            self.l1d_queues[bank].push(now + self.spec.l1d_latency_cycles as u64, packet);
            self.note_work(L1D_QUEUES, true);
        }
        if packet.is_write() {
            core.warps.send_store(usize::from(packet.warp));
        }
        let operation = self.operations.get_mut(dispatch.instruction.operation);
        operation.accesses.pop();
        (true, (!operation.accesses.is_empty()).then_some(StallCause::MoreAccesses))
    }

    /// The bank of the L1D that holds an address: sectors lie across them in turn.
    #[inline]
    fn bank_of(&self, address: u64) -> usize {
        (address >> 5) as usize & (self.l1d_queues.len() - 1)
    }

    /// All accesses are on their way: the instruction leaves, unless it must wait for the shared-memory pipeline.
    fn complete_dispatch(&mut self, dispatch: &Dispatch, core: &mut Core, timing: &KernelTiming) -> bool {
        let instruction = dispatch.instruction;
        let operation = self.operations.get(instruction.operation);
        let (is_load, route) = (operation.is_load, operation.route);
        if is_load && route == Route::Shared {
            let Some(last @ None) = self.shared_pipeline.last_mut() else { return false };
            *last = Some(InFlight { operation: NO_OPERATION, ..instruction });
            self.shared_loads += 1;
            self.note_shared_pipeline();
        } else {
            core.warps.leave_pipeline(usize::from(instruction.warp));
            if dispatch.load.is_none() && is_load {
                core.release_registers(instruction.warp, instruction.pc, timing);
            }
        }
        self.operations.close(instruction.operation);
        self.dispatch = None;
        self.note_work(DISPATCH, false);
        true
    }

    pub(super) fn packet_of(
        &self,
        operation: &Operation,
        access: &CoalescedAccess,
        dispatch: &Dispatch,
        now: Cycle,
    ) -> Packet {
        Packet {
            byte_mask: access.touched,
            handle: dispatch.load.unwrap_or(0),
            warp: u16::from(dispatch.instruction.warp),
            is_atomic: operation.is_atomic,
            bypasses_l1: operation.bypasses_l1,
            ..Packet::new(operation.kind, access.address, access.bytes, self.sm, now)
        }
    }
}
