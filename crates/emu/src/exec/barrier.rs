//! Barriers: a warp arrives as a whole, as on hardware before Volta.

use super::{Context, StepResult};
use crate::LANES;
use crate::fault::FaultKind;
use crate::inst::Inst;
use crate::op::BarrierOp;
use crate::thread_block::{BARRIERS, ReductionOperation};
use crate::warp::{ReductionTarget, WaitingAt};

impl Context<'_> {
    pub(super) fn barrier(&mut self, inst: &Inst, operation: BarrierOp) -> StepResult {
        self.advance();
        if self.lanes == 0 {
            return Ok(());
        }
        let lane = self.first_lane();
        let lanes = self.lanes;
        let registers = &self.state().registers;
        let barrier = registers.get32(inst.a)[lane];
        let threads = if operation.has_count { registers.get32(inst.b)[lane] } else { 0 };
        let values = registers.get_pred(inst.c) ^ if operation.is_negated { u32::MAX } else { 0 };
        let is_bad_count = operation.has_count && (threads == 0 || !threads.is_multiple_of(LANES as u32));
        if barrier as usize >= BARRIERS || is_bad_count {
            return Err(self.fault(lane, FaultKind::BadBarrier { barrier, threads }));
        }
        let result = (operation.reduction != ReductionOperation::None).then_some(ReductionTarget {
            row: inst.dst,
            is_predicate: operation.result_is_predicate,
            lanes,
        });
        if result.is_some() {
            self.block.reduce(barrier, operation.reduction, values, lanes);
        }
        self.effects.arrived_at_barrier = true;
        let at = WaitingAt { barrier, line: inst.line, result };
        self.block.arrive(self.warp, threads, operation.waits, at);
        Ok(())
    }
}
