//! mbarrier.*, cp.async.mbarrier.arrive.

use shrinkwarp_ptx::ast::{Immediate, Instruction};
use shrinkwarp_ptx::isa::{Kind, Opcode, ScalarType};

use super::builder::Builder;
use super::{Decoded, not_executable};
use crate::inst::{Access, AccessDirection, CacheOperator, Inst, NO_ROW, Unit};
use crate::mbarrier::{MbarrierFunction as F, MbarrierOp};
use crate::op::{Base, Op, WideOp};

impl Builder<'_> {
    pub(crate) fn mbarrier(&mut self, instruction: &Instruction) -> Decoded {
        let Some(function) = function_of(instruction) else { return not_executable(instruction) };
        let line = instruction.span.line;
        if function == F::PendingCount {
            let dst = self.target_at(instruction, 0, ScalarType::U32)?;
            let a = self.source_at(instruction, 1, ScalarType::B64)?;
            let op = self.mbarrier_op(Base::Absolute, function);
            return Ok(Inst { dst, a, ..Inst::blank(op, line) });
        }
        let has_result = has_result(instruction.opcode());
        let at = usize::from(has_result);
        let (space, base, a, offset) = self.located(instruction, at)?;
        let result_type = if function.is_test() { ScalarType::Pred } else { ScalarType::B64 };
        let dst = if has_result { self.target_at(instruction, 0, result_type)? } else { NO_ROW };
        let operand_type = if function == F::TestState { ScalarType::B64 } else { ScalarType::U32 };
        let b = match instruction.operands.get(at + 1) {
            Some(operand) => self.source(operand, operand_type)?,
            None if function.awaits_copies() => NO_ROW,
            None => self.immediate(Immediate::Integer(1), ScalarType::U32)?,
        };
        let kind = match function {
            F::TestState | F::TestParity => AccessDirection::Load,
            F::Init | F::Invalidate => AccessDirection::Store,
            _ if dst == NO_ROW => AccessDirection::Reduction,
            _ => AccessDirection::Atomic,
        };
        let access = Access { space, kind, bytes_per_lane: 8, cache: CacheOperator::default() };
        let op = self.mbarrier_op(base, function);
        Ok(Inst { dst, a, b, offset, unit: Unit::Memory, access: Some(access), ..Inst::blank(op, line) })
    }

    fn mbarrier_op(&mut self, base: Base, function: F) -> Op {
        self.kernel.wide.push(WideOp::Mbarrier(MbarrierOp { base, function }));
        Op::Wide(self.kernel.wide.len() as u32 - 1)
    }
}

fn has_result(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(opcode, O::MbarrierArrive | O::MbarrierArriveDrop | O::MbarrierTestWait | O::MbarrierTryWait)
}

fn function_of(instruction: &Instruction) -> Option<F> {
    use Opcode as O;
    let has_word = |word: &str| instruction.variant.spelling.split('.').any(|suffix| suffix == word);
    Some(match instruction.opcode() {
        O::MbarrierInit => F::Init,
        O::MbarrierInval => F::Invalidate,
        O::MbarrierArrive if has_word("expect_tx") => F::ArriveExpectBytes,
        O::MbarrierArrive => F::Arrive,
        O::MbarrierArriveDrop if has_word("expect_tx") => F::ArriveDropExpectBytes,
        O::MbarrierArriveDrop => F::ArriveDrop,
        O::MbarrierExpectTx => F::ExpectBytes,
        O::MbarrierCompleteTx => F::CompleteBytes,
        O::MbarrierTestWait | O::MbarrierTryWait if has_word("parity") => F::TestParity,
        O::MbarrierTestWait | O::MbarrierTryWait => F::TestState,
        O::MbarrierPending => F::PendingCount,
        O::CpAsyncMbarrier if instruction.modifiers().has(Kind::NoIncrement) => F::CopyArriveExpected,
        O::CpAsyncMbarrier => F::CopyArrive,
        _ => return None,
    })
}
