//! Logic, shifts and bit fields.

use shrinkwarp_ptx::ast::{Immediate, Instruction, Operand};
use shrinkwarp_ptx::isa::{Direction, Kind, Opcode, Overflow, PermuteMode, ScalarType};

use super::arith::by_integer;
use super::builder::Builder;
use super::{Decoded, first_type, lanes, not_executable};
use crate::inst::Inst;
use crate::lanes::bits as b;
use crate::lanes::compare::{and_pred, not_pred, or_pred, xor_pred};
use crate::lanes::integer::{Shl, Shr};
use crate::lanes::{LaneFn, lanes1, lanes2, lanes3};

const WORD: ScalarType = ScalarType::B32;

impl Builder<'_> {
    pub(crate) fn bit_operation(&mut self, instruction: &Instruction) -> Decoded {
        let ty = first_type(instruction)?;
        match instruction.opcode() {
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not | Opcode::Cnot => {
                self.logic(instruction, ty)
            }
            Opcode::Shl | Opcode::Shr => {
                let function = match instruction.opcode() {
                    Opcode::Shl => by_integer!(ty, lanes2, Shl),
                    _ => by_integer!(ty, lanes2, Shr),
                };
                let Some(function) = function else { return not_executable(instruction) };
                self.binary(instruction, function, ty, [ty, WORD])
            }
            Opcode::Bfi => self.insert(instruction, ty),
            Opcode::Lop3 => self.lop3(instruction),
            Opcode::Bfe => {
                let function = match ty {
                    ScalarType::U32 => lanes3::<b::BfeU32>(),
                    ScalarType::S32 => lanes3::<b::BfeS32>(),
                    ScalarType::U64 => lanes3::<b::BfeU64>(),
                    _ => lanes3::<b::BfeS64>(),
                };
                self.ternary(instruction, function, ty, [ty, WORD, WORD])
            }
            Opcode::Shf | Opcode::Prmt | Opcode::Fns => {
                let Some(function) = three_words(instruction) else { return not_executable(instruction) };
                self.ternary(instruction, function, WORD, [WORD; 3])
            }
            Opcode::Szext | Opcode::Bmsk => {
                let function = two_words(instruction, ty);
                self.binary(instruction, function, WORD, [WORD; 2])
            }
            _ => {
                let Some(function) = count(instruction, ty) else { return not_executable(instruction) };
                let to = if instruction.opcode() == Opcode::Brev { ty } else { WORD };
                self.unary(instruction, function, to, ty)
            }
        }
    }

    fn logic(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        let is_64 = ty.bits() == 64;
        if ty == ScalarType::Pred {
            return self.predicate_logic(instruction);
        }
        let function = match (instruction.opcode(), is_64) {
            (Opcode::And, false) => lanes2::<b::And32>(),
            (Opcode::And, true) => lanes2::<b::And64>(),
            (Opcode::Or, false) => lanes2::<b::Or32>(),
            (Opcode::Or, true) => lanes2::<b::Or64>(),
            (Opcode::Xor, false) => lanes2::<b::Xor32>(),
            (Opcode::Xor, true) => lanes2::<b::Xor64>(),
            (Opcode::Not, false) if ty.bits() == 16 => lanes1::<b::Not16>(),
            (Opcode::Not, false) => lanes1::<b::Not32>(),
            (Opcode::Not, true) => lanes1::<b::Not64>(),
            (_, false) => lanes1::<b::Cnot32>(),
            (_, true) => lanes1::<b::Cnot64>(),
        };
        match instruction.opcode() {
            Opcode::Not | Opcode::Cnot => self.unary(instruction, function, ty, ty),
            _ => self.binary(instruction, function, ty, [ty; 2]),
        }
    }

    fn predicate_logic(&mut self, instruction: &Instruction) -> Decoded {
        let function = match instruction.opcode() {
            Opcode::And => and_pred,
            Opcode::Or => or_pred,
            Opcode::Xor => xor_pred,
            Opcode::Not => not_pred,
            _ => return not_executable(instruction),
        };
        let dst = self.target_at(instruction, 0, ScalarType::Pred)?;
        let (a, a_negated) = self.predicate(instruction.operands.get(1))?;
        let (b, b_negated) = self.predicate(instruction.operands.get(2))?;
        let offset = i64::from(a_negated) | i64::from(b_negated) << 1;
        Ok(Inst { dst, a, b, offset, ..lanes(LaneFn::plain(function), instruction) })
    }

    fn insert(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        let function = LaneFn::plain(if ty.bits() == 64 { b::bfi64 } else { b::bfi32 });
        let d = self.source_at(instruction, 4, WORD)?;
        Ok(Inst { d, ..self.ternary(instruction, function, ty, [ty, ty, WORD])? })
    }

    fn lop3(&mut self, instruction: &Instruction) -> Decoded {
        let Some(Operand::Immediate(Immediate::Integer(table))) = instruction.operands.get(4) else {
            return Err("the truth table of lop3 must be a literal".into());
        };
        if instruction.modifiers().operation.is_some() {
            return not_executable(instruction);
        }
        let inst = self.ternary(instruction, LaneFn::plain(b::lop3), WORD, [WORD; 3])?;
        Ok(Inst { offset: *table as i64, ..inst })
    }
}

fn three_words(instruction: &Instruction) -> Option<LaneFn> {
    let modifiers = instruction.modifiers();
    Some(match instruction.opcode() {
        Opcode::Fns => lanes3::<b::Fns>(),
        Opcode::Shf => match (modifiers.direction?, modifiers.overflow?) {
            (Direction::Left, Overflow::Clamp) => lanes3::<b::ShfLeftClamp>(),
            (Direction::Left, Overflow::Wrap) => lanes3::<b::ShfLeftWrap>(),
            (Direction::Right, Overflow::Clamp) => lanes3::<b::ShfRightClamp>(),
            (Direction::Right, Overflow::Wrap) => lanes3::<b::ShfRightWrap>(),
        },
        _ => match modifiers.permute {
            None => lanes3::<b::Prmt>(),
            Some(PermuteMode::F4e) => lanes3::<b::PrmtF4e>(),
            Some(PermuteMode::B4e) => lanes3::<b::PrmtB4e>(),
            Some(PermuteMode::Rc8) => lanes3::<b::PrmtRc8>(),
            Some(PermuteMode::Ecl) => lanes3::<b::PrmtEcl>(),
            Some(PermuteMode::Ecr) => lanes3::<b::PrmtEcr>(),
            Some(PermuteMode::Rc16) => lanes3::<b::PrmtRc16>(),
        },
    })
}

fn two_words(instruction: &Instruction, ty: ScalarType) -> LaneFn {
    let wraps = instruction.modifiers().overflow == Some(Overflow::Wrap);
    match (instruction.opcode(), wraps, ty.is_signed()) {
        (Opcode::Bmsk, false, _) => lanes2::<b::BmskClamp>(),
        (Opcode::Bmsk, true, _) => lanes2::<b::BmskWrap>(),
        (_, false, false) => lanes2::<b::SzextClampU32>(),
        (_, false, true) => lanes2::<b::SzextClampS32>(),
        (_, true, false) => lanes2::<b::SzextWrapU32>(),
        (_, true, true) => lanes2::<b::SzextWrapS32>(),
    }
}

fn count(instruction: &Instruction, ty: ScalarType) -> Option<LaneFn> {
    let is_64 = ty.bits() == 64;
    let wants_shift = instruction.modifiers().has(Kind::ShiftAmount);
    Some(match (instruction.opcode(), is_64) {
        (Opcode::Popc, false) => lanes1::<b::Popc32>(),
        (Opcode::Popc, true) => lanes1::<b::Popc64>(),
        (Opcode::Clz, false) => lanes1::<b::Clz32>(),
        (Opcode::Clz, true) => lanes1::<b::Clz64>(),
        (Opcode::Brev, false) => lanes1::<b::Brev32>(),
        (Opcode::Brev, true) => lanes1::<b::Brev64>(),
        (Opcode::Bfind, _) => match (ty, wants_shift) {
            (ScalarType::U32, false) => lanes1::<b::BfindU32>(),
            (ScalarType::S32, false) => lanes1::<b::BfindS32>(),
            (ScalarType::U64, false) => lanes1::<b::BfindU64>(),
            (ScalarType::S64, false) => lanes1::<b::BfindS64>(),
            (ScalarType::U32, true) => lanes1::<b::BfindShiftU32>(),
            (ScalarType::S32, true) => lanes1::<b::BfindShiftS32>(),
            (ScalarType::U64, true) => lanes1::<b::BfindShiftU64>(),
            _ => lanes1::<b::BfindShiftS64>(),
        },
        _ => return None,
    })
}
