//! Calls of device functions and the way back.

use super::{Context, StepResult};
use crate::call::{FrameSlot, RowRanges};
use crate::fault::{Fault, FaultKind};
use crate::inst::Inst;
use crate::registers::lanes_of;
use crate::simt::NOWHERE;
use crate::warp::{SavedRegisters, Warp};
use crate::{LANES, LaneMask};

/// Most local memory a thread's call frames may take.
const STACK_LIMIT_BYTES: u32 = 256 * 1024;

impl Context<'_> {
    pub(super) fn call(&mut self, inst: &Inst, site: u32) -> StepResult {
        let kernel = self.kernel;
        let Some(call) = kernel.calls.get(site as usize) else { return Ok(()) };
        if self.lanes == 0 {
            self.advance();
            return Ok(());
        }
        let (callee, lanes) = match call.callee {
            Some(index) => (index as usize, self.lanes),
            None => self.indirect_callee(inst)?,
        };
        let Some(callee) = kernel.functions.get(callee) else { return Ok(()) };
        let caller_base = self.frame_base();
        let frame_base = caller_base + call.caller_frame_bytes;
        self.reserve_frame(frame_base + callee.frame_bytes)?;
        let (pc, next) = (self.pc, self.pc + 1);
        let later = self.lanes & !lanes;
        self.effects.executed = lanes;
        let state = self.state();
        if later != 0 {
            // Lanes with another target stay at the call and make theirs when these come back.
            let idle = state.stack.top().map_or(0, |top| top.lanes) & !(later | lanes);
            state.stack.branch_indexed(&[(next, idle), (pc, later), (pc, lanes)], next);
        }
        copy_slots(state, (&call.arguments, caller_base), (&callee.parameters, frame_base), lanes);
        if let Some(rows) = call.saved_rows {
            let saved = save(state, rows, lanes);
            state.saved.push(saved);
        }
        state.stack.call(lanes, callee.entry, next, frame_base, pc);
        Ok(())
    }

    /// The function that the lowest lane's pointer names, and the lanes that go there too.
    fn indirect_callee(&mut self, inst: &Inst) -> Result<(usize, LaneMask), Box<Fault>> {
        let pointers = self.state().registers.get64(inst.a);
        let lane = self.first_lane();
        let value = pointers[lane];
        let kernel = self.kernel;
        let Some(callee) = kernel.functions.iter().position(|callee| callee.address == value) else {
            return Err(self.fault(lane, FaultKind::BadTarget { value }));
        };
        let lanes = lanes_of(self.lanes).filter(|&lane| pointers[lane] == value);
        Ok((callee, lanes.fold(0, |mask, lane| mask | 1 << lane)))
    }

    fn reserve_frame(&mut self, end_bytes: u32) -> StepResult {
        if end_bytes > STACK_LIMIT_BYTES.max(self.kernel.local_bytes_per_thread) {
            let kind = FaultKind::StackOverflow { limit_bytes: STACK_LIMIT_BYTES };
            return Err(self.fault(self.first_lane(), kind));
        }
        let words = end_bytes.div_ceil(4) as usize * LANES;
        let local = &mut self.state().local;
        if local.len() < words {
            local.resize(words, 0);
        }
        Ok(())
    }

    /// `ret` of a device function: results go to the caller's frame, lanes wait for the others of the call.
    pub(super) fn return_from_call(&mut self) {
        let (lanes, next) = (self.lanes, self.pc + 1);
        let kernel = self.kernel;
        let state = self.state();
        let Some(&entry) = state.stack.current_call() else { return };
        let site = match kernel.code.get(entry.call_site as usize).map(|inst| inst.op) {
            Some(crate::op::Op::Call(site)) => kernel.calls.get(site as usize),
            _ => None,
        };
        let Some(call) = site else { return };
        let callee = kernel.functions.iter().filter(|callee| callee.entry <= self.pc).max_by_key(|c| c.entry);
        let state = self.state();
        if let Some(callee) = callee {
            let caller_base = entry.frame_base - call.caller_frame_bytes;
            copy_slots(state, (&callee.returns, entry.frame_base), (&call.returns, caller_base), lanes);
        }
        let depth = calls_in(state);
        state.stack.leave_call(lanes, next);
        if call.saved_rows.is_some()
            && calls_in(state) < depth
            && let Some(saved) = state.saved.pop()
        {
            restore(state, call.saved_rows.unwrap_or_default(), &saved);
        }
    }
}

fn calls_in(state: &Warp) -> usize {
    state.stack.entries().filter(|entry| entry.call_site != NOWHERE).count()
}

/// Copies parameters between two frames of the same threads.
fn copy_slots(state: &mut Warp, from: (&[FrameSlot], u32), to: (&[FrameSlot], u32), lanes: LaneMask) {
    for (source, target) in from.0.iter().zip(to.0) {
        let (source_at, target_at) = (from.1 + source.offset, to.1 + target.offset);
        for byte in 0..source.bytes.min(target.bytes) {
            for lane in lanes_of(lanes) {
                let value = local_byte(state, source_at + byte, lane);
                set_local_byte(state, target_at + byte, lane, value);
            }
        }
    }
}

fn local_byte(state: &Warp, at: u32, lane: usize) -> u8 {
    let word = state.local.get(at as usize / 4 * LANES + lane).copied().unwrap_or(0);
    word.to_le_bytes()[at as usize % 4]
}

fn set_local_byte(state: &mut Warp, at: u32, lane: usize, value: u8) {
    if let Some(word) = state.local.get_mut(at as usize / 4 * LANES + lane) {
        let mut bytes = word.to_le_bytes();
        bytes[at as usize % 4] = value;
        *word = u32::from_le_bytes(bytes);
    }
}

fn save(state: &Warp, rows: RowRanges, lanes: LaneMask) -> SavedRegisters {
    let registers = &state.registers;
    let range = |(start, count): (u32, u32)| start as usize..(start + count) as usize;
    SavedRegisters {
        w32: registers.w32.get(range(rows.w32)).unwrap_or(&[]).to_vec(),
        w64: registers.w64.get(range(rows.w64)).unwrap_or(&[]).to_vec(),
        pred: registers.pred.get(range(rows.pred)).unwrap_or(&[]).to_vec(),
        lanes,
    }
}

fn restore(state: &mut Warp, rows: RowRanges, saved: &SavedRegisters) {
    let registers = &mut state.registers;
    for (row, values) in (rows.w32.0..).zip(&saved.w32) {
        registers.set32(row, values, saved.lanes);
    }
    for (row, values) in (rows.w64.0..).zip(&saved.w64) {
        registers.set64(row, values, saved.lanes);
    }
    for (row, &values) in (rows.pred.0..).zip(&saved.pred) {
        registers.set_pred(row, values, saved.lanes);
    }
}
