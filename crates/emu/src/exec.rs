//! Executes one instruction of one warp, functionally and completely.
//!
//! [`step`] is the whole story: find the instruction, apply the guard, do what its [`Op`] says, move the program
//! counter. Arithmetic is done by `lanes`; the files below this one do the rest.

mod access;
mod address;
mod atomic;
mod barrier;
mod calls;
mod changing;
mod control;
mod device_runtime;
mod intrinsic;
mod matrix;
mod mbarrier;
mod spaces;
mod surface;
mod texture;
mod warp_ops;
mod wide;

pub(crate) use address::resolve_generic;

use crate::effects::Effects;
use crate::fault::{Fault, FaultKind};
use crate::inst::Inst;
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::memory::Memory;
use crate::op::Op;
use crate::thread_block::ThreadBlock;
use crate::warp::Warp;
use crate::{LANES, LaneMask};

/// What stopped a kernel; boxed because it is rare and large.
pub type StepResult = Result<(), Box<Fault>>;

/// Executes the instruction at the warp's program counter and moves the counter.
///
/// `effects` tells what happened. A warp that waits at a barrier or has ended must not be stepped; doing so does
/// nothing.
#[inline]
pub fn step(
    kernel: &Kernel,
    launch: &Launch,
    block: &mut ThreadBlock,
    warp: usize,
    memory: &Memory,
    effects: &mut Effects,
) -> StepResult {
    let Some(state) = block.warps.get(warp) else { return Ok(()) };
    let (Some(top), None) = (state.stack.top(), state.barrier) else { return Ok(()) };
    let pc = top.pc;
    let Some(inst) = kernel.code.get(pc as usize) else { return Ok(()) };
    let lanes = match inst.guard {
        None => top.lanes,
        Some(guard) => {
            let values = state.registers.get_pred(guard.predicate);
            top.lanes & if guard.is_negated { !values } else { values }
        }
    };
    effects.executed = lanes;
    effects.pc = pc;
    effects.access = None;
    effects.arrived_at_barrier = false;
    effects.warp_finished = false;
    effects.awaits_copies = false;
    if let Op::Lanes(function) = inst.op {
        let state = &mut block.warps[warp];
        if lanes != 0 {
            function.call(&mut state.registers, inst, lanes);
        }
        state.stack.advance(pc + 1);
        return Ok(());
    }
    Context { kernel, launch, block, warp, memory, effects, pc, lanes }.execute(inst)
}

/// The same for an instruction that only computes registers from registers: the lanes that executed it, and the warp's next
/// instruction. `None`, and nothing done, for any other instruction. The caller knows that it is the warp's next one, and that
/// the warp does not wait at a barrier.
#[inline(always)]
pub fn step_plain(inst: &Inst, warp: &mut Warp) -> Option<(LaneMask, Option<u32>)> {
    let (Op::Lanes(function), Some(top)) = (inst.op, warp.stack.top()) else { return None };
    let lanes = match inst.guard {
        None => top.lanes,
        Some(guard) => {
            let values = warp.registers.get_pred(guard.predicate);
            top.lanes & if guard.is_negated { !values } else { values }
        }
    };
    let next = top.pc + 1;
    if lanes != 0 {
        function.call(&mut warp.registers, inst, lanes);
    }
    warp.stack.advance(next);
    Some((lanes, warp.pc()))
}

/// Everything an instruction can reach.
pub(crate) struct Context<'a> {
    pub kernel: &'a Kernel,
    pub launch: &'a Launch,
    pub block: &'a mut ThreadBlock,
    pub warp: usize,
    pub memory: &'a Memory,
    pub effects: &'a mut Effects,
    pub pc: u32,
    pub lanes: LaneMask,
}

impl Context<'_> {
    fn execute(&mut self, inst: &Inst) -> StepResult {
        match inst.op {
            Op::Load(transfer) => self.load(inst, transfer)?,
            Op::Store(transfer) => self.store(inst, transfer)?,
            Op::Atomic(atomic) => self.atomic(inst, atomic)?,
            Op::Warp(operation) => self.warp_op(inst, operation),
            Op::ReadChanging(register) => self.read_changing(inst, register),
            Op::Wide(index) => self.wide(inst, index)?,
            Op::Branch { target, meet } => {
                self.branch(target, meet);
                return Ok(());
            }
            Op::BranchIndexed { table, meet } => return self.branch_indexed(inst, table, meet),
            Op::Call(site) => return self.call(inst, site),
            Op::Return => {
                self.return_from_call();
                return Ok(());
            }
            Op::Exit => {
                self.exit();
                return Ok(());
            }
            Op::Trap if self.lanes != 0 => return Err(self.fault(self.first_lane(), FaultKind::Trap)),
            Op::Barrier(operation) => return self.barrier(inst, operation),
            Op::Lanes(_) | Op::Nothing | Op::CopyGroups(_) | Op::Trap => {}
        }
        self.advance();
        Ok(())
    }

    /// To the next instruction.
    pub(crate) fn advance(&mut self) {
        let next = self.pc + 1;
        self.state().stack.advance(next);
    }

    /// The warp that steps.
    pub(crate) fn state(&mut self) -> &mut crate::warp::Warp {
        &mut self.block.warps[self.warp]
    }

    /// The lowest lane that executes.
    pub(crate) fn first_lane(&self) -> usize {
        (self.lanes.trailing_zeros() as usize).min(LANES - 1)
    }

    /// A fault in one lane of this instruction.
    pub(crate) fn fault(&self, lane: usize, kind: FaultKind) -> Box<Fault> {
        Box::new(Fault {
            kind,
            kernel: self.kernel.name.clone(),
            line: self.kernel.code.get(self.pc as usize).map_or(0, |inst| inst.line),
            block: self.block.index,
            thread: self.launch.thread_at((self.warp * LANES + lane) as u32),
            printed: Vec::new(),
        })
    }
}
