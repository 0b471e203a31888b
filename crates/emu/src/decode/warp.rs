//! shfl, vote, match, activemask, redux, elect.

use shrinkwarp_ptx::ast::{Instruction, Operand};
use shrinkwarp_ptx::isa::{Kind, Opcode, ScalarType, ShuffleMode as Shuffle, VoteMode as Vote};

use super::builder::Builder;
use super::memory::{atomic_function, atomic_type};
use super::operand::{immediate_bits, operand};
use super::{Decoded, Refusal, first_type, not_executable};
use crate::inst::{Inst, NO_ROW, Row};
use crate::op::{Op, ShuffleMode, VoteMode, WarpOp};

const WORD: ScalarType = ScalarType::B32;

impl Builder<'_> {
    pub(crate) fn warp(&mut self, instruction: &Instruction) -> Decoded {
        let blank = |operation| Inst::blank(Op::Warp(operation), instruction.span.line);
        match instruction.opcode() {
            Opcode::Shfl => self.shuffle(instruction),
            Opcode::Vote => self.vote(instruction),
            Opcode::Match => self.matching(instruction),
            Opcode::Activemask => {
                let dst = self.target_at(instruction, 0, WORD)?;
                Ok(Inst { dst, ..blank(WarpOp::ActiveMask) })
            }
            Opcode::Redux => {
                let ty = first_type(instruction)?;
                let function = instruction.modifiers().operation.and_then(atomic_function);
                let has_odd_suffix = instruction.modifiers().has(Kind::Absolute)
                    || instruction.modifiers().has(Kind::PropagateNan);
                let (Some(function), Some(atomic), false) = (function, atomic_type(ty), has_odd_suffix)
                else {
                    return not_executable(instruction);
                };
                let dst = self.target_at(instruction, 0, ty)?;
                let a = self.source_at(instruction, 1, ty)?;
                let b = self.members_at(instruction, 2)?;
                Ok(Inst { dst, a, b, ..blank(WarpOp::Redux(function, atomic)) })
            }
            _ => {
                let (dst, d) = self.pair(instruction)?;
                let b = self.members_at(instruction, 1)?;
                Ok(Inst { dst, b, d, ..blank(WarpOp::Elect) })
            }
        }
    }

    /// The row of a member mask; none where it is missing or names every lane.
    fn members_at(&mut self, instruction: &Instruction, index: usize) -> Result<Row, Refusal> {
        match instruction.operands.get(index) {
            None => Ok(NO_ROW),
            Some(Operand::Immediate(mask)) if immediate_bits(*mask, WORD) as u32 == u32::MAX => Ok(NO_ROW),
            Some(mask) => self.source(mask, WORD),
        }
    }

    /// A 32-bit destination, perhaps with a predicate: `%r1|%p1`.
    fn pair(&self, instruction: &Instruction) -> Result<(Row, Row), Refusal> {
        match operand(instruction, 0)? {
            Operand::Pair(first, second) => {
                let row = |register: &Option<_>| register.map_or(NO_ROW, |register| self.row_of(register).1);
                Ok((row(first), row(second)))
            }
            single => Ok((self.target(single, WORD)?, NO_ROW)),
        }
    }

    fn shuffle(&mut self, instruction: &Instruction) -> Decoded {
        let mode = match instruction.modifiers().shuffle {
            Some(Shuffle::Up) => ShuffleMode::Up,
            Some(Shuffle::Down) => ShuffleMode::Down,
            Some(Shuffle::Bfly) => ShuffleMode::Butterfly,
            Some(Shuffle::Idx) => ShuffleMode::Index,
            None => return not_executable(instruction),
        };
        let (dst, d) = self.pair(instruction)?;
        let a = self.source_at(instruction, 1, WORD)?;
        let b = self.source_at(instruction, 2, WORD)?;
        let c = self.source_at(instruction, 3, WORD)?;
        let operation = WarpOp::Shuffle { mode, has_predicate: d != NO_ROW };
        Ok(Inst { dst, a, b, c, d, ..Inst::blank(Op::Warp(operation), instruction.span.line) })
    }

    fn vote(&mut self, instruction: &Instruction) -> Decoded {
        let mode = match instruction.modifiers().vote {
            Some(Vote::All) => VoteMode::All,
            Some(Vote::Any) => VoteMode::Any,
            Some(Vote::Uni) => VoteMode::Uniform,
            Some(Vote::Ballot) => VoteMode::Ballot,
            None => return not_executable(instruction),
        };
        let ty = if mode == VoteMode::Ballot { WORD } else { ScalarType::Pred };
        let dst = self.target_at(instruction, 0, ty)?;
        let (a, is_negated) = self.predicate(instruction.operands.get(1))?;
        let b = self.members_at(instruction, 2)?;
        let operation = WarpOp::Vote { mode, is_negated };
        Ok(Inst { dst, a, b, ..Inst::blank(Op::Warp(operation), instruction.span.line) })
    }

    fn matching(&mut self, instruction: &Instruction) -> Decoded {
        let ty = first_type(instruction)?;
        let is_64 = ty.bits() == 64;
        let (dst, d) = self.pair(instruction)?;
        let a = self.source_at(instruction, 1, ty)?;
        let b = self.members_at(instruction, 2)?;
        let operation = match instruction.modifiers().vote {
            Some(Vote::Any) => WarpOp::MatchAny { is_64 },
            Some(Vote::All) => WarpOp::MatchAll { is_64, has_predicate: d != NO_ROW },
            _ => return not_executable(instruction),
        };
        Ok(Inst { dst, a, b, d, ..Inst::blank(Op::Warp(operation), instruction.span.line) })
    }
}
