//! mov, cvt, cvta, isspacep.

use shrinkwarp_ptx::ast::{Instruction, Operand};
use shrinkwarp_ptx::isa::{Kind, Opcode, Rounding, ScalarType, SpecialRegister, StateSpace};

use super::builder::{Bank, Builder};
use super::layout::Place;
use super::operand::{bank_of, is_changing, operand};
use super::{Decoded, Refusal, first_type, lanes, not_executable};
use crate::inst::{Inst, NO_ROW, Row};
use crate::lanes::bits::{Mov32, Mov64};
use crate::lanes::compare::{mov_pred, not_pred};
use crate::lanes::convert::{self as cv, Conversion, Side, convert_any};
use crate::lanes::exact::Mode;
use crate::lanes::integer::Add;
use crate::lanes::narrow::{self, Brain, Half};
use crate::lanes::pack::{isspacep, pack_fn, unpack_fn};
use crate::lanes::{LaneFn, lanes1, lanes2};
use crate::memory::{CONSTANT_WINDOW, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW};
use crate::op::{ChangingRegister, Op};

impl Builder<'_> {
    pub(crate) fn conversion(&mut self, instruction: &Instruction) -> Decoded {
        match instruction.opcode() {
            Opcode::Mov => self.mov(instruction),
            Opcode::Cvt => self.cvt(instruction),
            Opcode::Cvta => self.cvta(instruction),
            _ => self.isspacep(instruction),
        }
    }

    fn mov(&mut self, instruction: &Instruction) -> Decoded {
        let ty = first_type(instruction)?;
        let (target, source) = (operand(instruction, 0)?, operand(instruction, 1)?);
        match (target, source) {
            (Operand::Vector(elements), Operand::Register(_)) => {
                self.unpack(instruction, elements, source, ty)
            }
            (Operand::Register(_), Operand::Vector(elements)) => self.pack(instruction, elements, ty),
            (_, Operand::Special(special)) if is_changing(*special) => {
                self.read_changing(instruction, *special, ty)
            }
            (_, Operand::Symbol(symbol, offset)) => match self.place(*symbol)? {
                Place::Frame(at) => self.frame_address(instruction, i64::from(at) + offset, ty),
                _ => self.simple_mov(instruction, ty),
            },
            _ if ty == ScalarType::Pred => {
                let dst = self.target(target, ty)?;
                let (a, is_negated) = self.predicate(Some(source))?;
                let function = if is_negated { not_pred } else { mov_pred };
                Ok(Inst { dst, a, ..lanes(LaneFn::plain(function), instruction) })
            }
            _ => self.simple_mov(instruction, ty),
        }
    }

    fn simple_mov(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        let function = if bank_of(ty) == Bank::W64 { lanes1::<Mov64>() } else { lanes1::<Mov32>() };
        if ty == ScalarType::B128 {
            return not_executable(instruction);
        }
        self.unary(instruction, function, ty, ty)
    }

    fn frame_address(&mut self, instruction: &Instruction, offset: i64, ty: ScalarType) -> Decoded {
        let register = match bank_of(ty) {
            Bank::W64 => ChangingRegister::FrameAddress64,
            _ => ChangingRegister::FrameAddress32,
        };
        let dst = self.target_at(instruction, 0, ty)?;
        Ok(Inst { dst, offset, ..Inst::blank(Op::ReadChanging(register), instruction.span.line) })
    }

    fn read_changing(
        &mut self,
        instruction: &Instruction,
        special: SpecialRegister,
        ty: ScalarType,
    ) -> Decoded {
        use SpecialRegister as S;
        let register = match special {
            S::Clock | S::GlobalTimerLo => ChangingRegister::Clock,
            S::ClockHi | S::GlobalTimerHi => ChangingRegister::ClockHigh,
            S::Clock64 | S::GlobalTimer | S::GridId => ChangingRegister::Clock64,
            S::SmId => ChangingRegister::MultiprocessorId,
            S::NsmId => ChangingRegister::MultiprocessorCount,
            _ => ChangingRegister::SharedBytes,
        };
        let is_64 = register == ChangingRegister::Clock64;
        if is_64 != (bank_of(ty) == Bank::W64) {
            return Err(format!("{} is read with a type of another width", special.name()));
        }
        let dst = self.target_at(instruction, 0, ty)?;
        Ok(Inst { dst, ..Inst::blank(Op::ReadChanging(register), instruction.span.line) })
    }

    /// `mov.b64 %rd, {%r1, %r2}`: the first element is lowest.
    fn pack(&mut self, instruction: &Instruction, elements: &[Operand], ty: ScalarType) -> Decoded {
        let element = element_type(ty, elements.len())?;
        let function = pack_fn(ty.bits(), elements.len()).ok_or("a vector of this shape cannot be packed")?;
        let mut rows = [NO_ROW; 4];
        for (row, operand) in rows.iter_mut().zip(elements) {
            *row = self.source(operand, element)?;
        }
        let dst = self.target_at(instruction, 0, ty)?;
        let [a, b, c, d] = rows;
        Ok(Inst { dst, a, b, c, d, ..lanes(function, instruction) })
    }

    /// `mov.b64 {%r1, %r2}, %rd`
    fn unpack(
        &mut self,
        instruction: &Instruction,
        elements: &[Operand],
        source: &Operand,
        ty: ScalarType,
    ) -> Decoded {
        let element = element_type(ty, elements.len())?;
        let function =
            unpack_fn(ty.bits(), elements.len()).ok_or("a vector of this shape cannot be unpacked")?;
        let mut rows = [NO_ROW; 4];
        for (row, operand) in rows.iter_mut().zip(elements) {
            *row = self.target(operand, element)?;
        }
        let a = self.source(source, ty)?;
        let [dst, b, c, d] = rows;
        Ok(Inst { dst, a, b, c, d, ..lanes(function, instruction) })
    }

    fn cvt(&mut self, instruction: &Instruction) -> Decoded {
        let modifiers = instruction.modifiers();
        let (Some(to), Some(from)) = (modifiers.types.get(0), modifiers.types.get(1)) else {
            return not_executable(instruction);
        };
        if let Some(function) = frequent(instruction, to, from) {
            // Registers may be wider than the types; then the general way applies.
            if let Ok(inst) = self.unary(instruction, function, to, from) {
                return Ok(inst);
            }
        }
        let (source_bank, a) = self.any_source(operand(instruction, 1)?, from)?;
        let (register_bits, dst) = self.any_target(operand(instruction, 0)?)?;
        let is_pair = matches!(to, ScalarType::F16x2 | ScalarType::Bf16x2);
        let (Some(to_side), Some(from_side)) = (side_of(to), side_of(from)) else {
            return not_executable(instruction);
        };
        let (mode, is_integral) = mode_of(modifiers.rounding, from, to);
        let conversion = Conversion {
            from: from_side,
            to: to_side,
            mode,
            is_integral,
            ftz: modifiers.has(Kind::Ftz),
            saturate: modifiers.has(Kind::Saturate) || modifiers.has(Kind::SatFinite),
            relu: modifiers.has(Kind::Relu),
            source_is_64: source_bank == Bank::W64,
            register_bits,
            is_pair,
        };
        let b = if is_pair { self.source_at(instruction, 2, from)? } else { NO_ROW };
        let function = match to {
            ScalarType::F16x2 if is_frequent_pair(&conversion) => lanes2::<narrow::RoundPair<Half>>(),
            ScalarType::Bf16x2 if is_frequent_pair(&conversion) => lanes2::<narrow::RoundPair<Brain>>(),
            _ => LaneFn::plain(convert_any),
        };
        let inst = lanes(function, instruction);
        Ok(Inst { dst, a, b, offset: conversion.pack(), ..inst })
    }

    /// A source whose register may be wider than the type.
    fn any_source(&mut self, operand: &Operand, ty: ScalarType) -> Result<(Bank, Row), Refusal> {
        match operand {
            Operand::Register(register) => Ok(self.row_of(*register)),
            other => Ok((bank_of(ty), self.source(other, ty)?)),
        }
    }

    /// A destination register and its width.
    fn any_target(&self, operand: &Operand) -> Result<(u8, Row), Refusal> {
        match operand {
            Operand::Register(register) => {
                let function = &self.module.functions[self.unit().id.index()];
                let declared = function.body.as_ref().and_then(|body| body.registers.get(register.index()));
                let bits = declared.map_or(32, |register| register.ty.bits()).clamp(16, 64) as u8;
                Ok((bits, self.row_of(*register).1))
            }
            Operand::Sink => Ok((32, NO_ROW)),
            _ => Err("a register was expected".into()),
        }
    }

    /// Generic addresses are addresses of a space plus the start of its window.
    fn cvta(&mut self, instruction: &Instruction) -> Decoded {
        let ty = first_type(instruction)?;
        let modifiers = instruction.modifiers();
        let window = match modifiers.space {
            Some(StateSpace::Shared | StateSpace::SharedCluster) => SHARED_WINDOW,
            Some(StateSpace::Local) => LOCAL_WINDOW,
            Some(StateSpace::Constant) => CONSTANT_WINDOW,
            Some(StateSpace::Parameter) => PARAMETER_WINDOW,
            _ => 0,
        };
        let delta = if modifiers.has(Kind::To) { window.wrapping_neg() } else { window };
        if let Operand::Symbol(symbol, offset) = operand(instruction, 1)?
            && let Place::Frame(at) = self.place(*symbol)?
        {
            let offset = (i64::from(at) + offset).wrapping_add(delta as i64);
            return self.frame_address(instruction, offset, ty);
        }
        if delta == 0 {
            return self.simple_mov(instruction, ty);
        }
        let is_64 = bank_of(ty) == Bank::W64;
        let function = if is_64 { lanes2::<Add<u64>>() } else { lanes2::<Add<u32>>() };
        let dst = self.target_at(instruction, 0, ty)?;
        let a = self.source_at(instruction, 1, ty)?;
        let b = if is_64 { self.constant64(delta) } else { self.constant32(delta as u32) };
        Ok(Inst { dst, a, b, ..lanes(function, instruction) })
    }

    fn isspacep(&mut self, instruction: &Instruction) -> Decoded {
        let (bank, a) = match operand(instruction, 1)? {
            Operand::Register(register) => self.row_of(*register),
            _ => return not_executable(instruction),
        };
        let Some(function) = isspacep(instruction.modifiers().space, bank == Bank::W64) else {
            return not_executable(instruction);
        };
        let dst = self.target_at(instruction, 0, ScalarType::Pred)?;
        Ok(Inst { dst, a, ..lanes(function, instruction) })
    }
}

/// The type of one element when a register of type `ty` is split into `count`.
fn element_type(ty: ScalarType, count: usize) -> Result<ScalarType, Refusal> {
    match ty.bits() as usize / count.max(1) {
        32 => Ok(ScalarType::B32),
        16 => Ok(ScalarType::B16),
        8 => Ok(ScalarType::B8),
        bits => Err(format!("a vector of {count} elements of {bits} bits is not supported by mov")),
    }
}

/// Whether two singles are rounded to nearest, and nothing else.
fn is_frequent_pair(conversion: &Conversion) -> bool {
    let has_suffix = conversion.ftz || conversion.saturate || conversion.relu;
    conversion.is_pair && conversion.from == Side::F32 && conversion.mode == Mode::Nearest && !has_suffix
}

/// Conversions that have a vectorised version.
fn frequent(instruction: &Instruction, to: ScalarType, from: ScalarType) -> Option<LaneFn> {
    use ScalarType as T;
    let modifiers = instruction.modifiers();
    if [Kind::Saturate, Kind::SatFinite, Kind::Ftz, Kind::Relu].into_iter().any(|kind| modifiers.has(kind)) {
        return None;
    }
    let rounding = modifiers.rounding;
    let nearest = rounding == Some(Rounding::Rn);
    let towards_zero = rounding == Some(Rounding::Rzi);
    Some(match (to, from) {
        (T::U64 | T::S64, T::U32) => lanes1::<cv::ZeroExtend>(),
        (T::U64 | T::S64, T::S32) => lanes1::<cv::SignExtend>(),
        (T::U32 | T::S32, T::U64 | T::S64) => lanes1::<cv::Truncate>(),
        (T::U32 | T::S32, T::U32 | T::S32) => lanes1::<Mov32>(),
        (T::U64 | T::S64, T::U64 | T::S64) => lanes1::<Mov64>(),
        (T::U16 | T::S16, T::U32 | T::S32) | (T::U32 | T::S32, T::U16) => lanes1::<cv::Low16>(),
        (T::U32 | T::S32 | T::U16, T::U8) => lanes1::<cv::Low8>(),
        (T::S32 | T::U32, T::S16) => lanes1::<cv::Sign16>(),
        (T::F32, T::S32) if nearest => lanes1::<cv::SignedToF32>(),
        (T::F32, T::U32) if nearest => lanes1::<cv::UnsignedToF32>(),
        (T::F64, T::S32) => lanes1::<cv::SignedToF64>(),
        (T::F64, T::U32) => lanes1::<cv::UnsignedToF64>(),
        (T::S32, T::F32) if towards_zero => lanes1::<cv::F32ToSigned>(),
        (T::U32, T::F32) if towards_zero => lanes1::<cv::F32ToUnsigned>(),
        (T::S32, T::F64) if towards_zero => lanes1::<cv::F64ToSigned>(),
        (T::F64, T::F32) if rounding.is_none() => lanes1::<cv::F32ToF64>(),
        (T::F32, T::F64) if nearest => lanes1::<cv::F64ToF32>(),
        (T::F32, T::U16) if nearest => lanes1::<cv::Unsigned16ToF32>(),
        (T::F32, T::S16) if nearest => lanes1::<cv::Signed16ToF32>(),
        (T::F32, T::S64) if nearest => lanes1::<cv::Signed64ToF32>(),
        (T::F32, T::U64) if nearest => lanes1::<cv::Unsigned64ToF32>(),
        (T::F64, T::S64) if nearest => lanes1::<cv::Signed64ToF64>(),
        (T::F64, T::U64) if nearest => lanes1::<cv::Unsigned64ToF64>(),
        (T::S64, T::F32) if towards_zero => lanes1::<cv::F32ToSigned64>(),
        (T::U64, T::F32) if towards_zero => lanes1::<cv::F32ToUnsigned64>(),
        (T::S64, T::F64) if towards_zero => lanes1::<cv::F64ToSigned64>(),
        (T::U64, T::F64) if towards_zero => lanes1::<cv::F64ToUnsigned64>(),
        (T::U32, T::F64) if towards_zero => lanes1::<cv::F64ToUnsigned>(),
        (T::F32, T::F32) if rounding == Some(Rounding::Rmi) => lanes1::<cv::Floor>(),
        (T::F32, T::F32) if rounding == Some(Rounding::Rpi) => lanes1::<cv::Ceiling>(),
        (T::F32, T::F32) if towards_zero => lanes1::<cv::WithoutFraction>(),
        (T::F32, T::F32) if rounding == Some(Rounding::Rni) => lanes1::<cv::NearestIntegral>(),
        (T::S32, T::F32) if rounding == Some(Rounding::Rni) => lanes1::<cv::F32NearestSigned>(),
        (T::S32, T::F32) if rounding == Some(Rounding::Rmi) => lanes1::<cv::F32FloorSigned>(),
        (T::S32, T::F32) if rounding == Some(Rounding::Rpi) => lanes1::<cv::F32CeilingSigned>(),
        (T::F32, T::F16) if rounding.is_none() => lanes1::<narrow::Widen<Half>>(),
        (T::F32, T::Bf16) if rounding.is_none() => lanes1::<narrow::Widen<Brain>>(),
        (T::F16, T::F32) if nearest => lanes1::<narrow::Round<Half>>(),
        (T::Bf16, T::F32) if nearest => lanes1::<narrow::Round<Brain>>(),
        _ => return None,
    })
}

fn side_of(ty: ScalarType) -> Option<Side> {
    use ScalarType as T;
    Some(match ty {
        T::U8 | T::B8 => Side::Unsigned(8),
        T::U16 | T::B16 => Side::Unsigned(16),
        T::U32 | T::B32 => Side::Unsigned(32),
        T::U64 | T::B64 => Side::Unsigned(64),
        T::S8 => Side::Signed(8),
        T::S16 => Side::Signed(16),
        T::S32 => Side::Signed(32),
        T::S64 => Side::Signed(64),
        T::F16 | T::F16x2 => Side::F16,
        T::Bf16 | T::Bf16x2 => Side::Bf16,
        T::F32 => Side::F32,
        T::F64 => Side::F64,
        T::Tf32 => Side::Tf32,
        _ => return None,
    })
}

/// Rounding mode, and whether a float becomes an integral float.
fn mode_of(rounding: Option<Rounding>, from: ScalarType, to: ScalarType) -> (Mode, bool) {
    let between_floats = from.is_float() && to.is_float();
    let mode = match rounding {
        Some(Rounding::Rz | Rounding::Rzi) => Mode::Zero,
        Some(Rounding::Rm | Rounding::Rmi) => Mode::Down,
        Some(Rounding::Rp | Rounding::Rpi) => Mode::Up,
        Some(Rounding::Rna) => Mode::NearestAway,
        _ => Mode::Nearest,
    };
    let is_integral = matches!(rounding, Some(Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi));
    (mode, is_integral && between_floats)
}
