//! setp, set, selp, slct, testp.

use half::{bf16, f16};
use shrinkwarp_ptx::ast::{Instruction, Operand};
use shrinkwarp_ptx::isa::{Compare, Kind, Opcode, Operation, Property, ScalarType};

use super::builder::Builder;
use super::operand::operand;
use super::{Decoded, Refusal, first_type, lanes, not_executable};
use crate::inst::{Inst, NO_ROW, Row};
use crate::lanes::compare::{
    self as cmp, Combine, Comparison, Flushed, Selp32, Selp64, SetpExtras, Slct32, Slct64, SlctF32, SlctF64,
    Testp,
};
use crate::lanes::{LaneFn, lanes1, lanes2, lanes3};

/// Which function of a comparison is wanted.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    Combined,
    Value,
}

/// The same for a comparison of the two halves of a row.
fn packed_form_of<C: Comparison<A = u32>>(form: Form) -> LaneFn {
    match form {
        Form::Plain | Form::Combined => LaneFn::plain(cmp::setp_packed::<C>),
        Form::Value => LaneFn::plain(cmp::set_packed::<C>),
    }
}

fn form_of<C: Comparison>(form: Form) -> LaneFn {
    match form {
        Form::Plain => lanes2::<cmp::Setp<C>>(),
        Form::Combined => LaneFn::plain(cmp::setp_combined::<C>),
        Form::Value => LaneFn::plain(cmp::set::<C>),
    }
}

macro_rules! integer_comparison {
    ($form:expr, $compare:expr, $ty:ident) => {
        match $compare {
            Compare::Eq => Some(form_of::<cmp::Equal<$ty>>($form)),
            Compare::Ne => Some(form_of::<cmp::NotEqual<$ty>>($form)),
            Compare::Lt | Compare::Lo => Some(form_of::<cmp::Less<$ty>>($form)),
            Compare::Le | Compare::Ls => Some(form_of::<cmp::LessEqual<$ty>>($form)),
            Compare::Gt | Compare::Hi => Some(form_of::<cmp::Greater<$ty>>($form)),
            Compare::Ge | Compare::Hs => Some(form_of::<cmp::GreaterEqual<$ty>>($form)),
            _ => None,
        }
    };
}

macro_rules! float_comparison {
    ($form_of:ident, $form:expr, $compare:expr, $ty:ident) => {
        match $compare {
            Compare::Eq => Some($form_of::<cmp::FloatEqual<$ty>>($form)),
            Compare::Ne => Some($form_of::<cmp::FloatNotEqual<$ty>>($form)),
            Compare::Lt => Some($form_of::<cmp::FloatLess<$ty>>($form)),
            Compare::Le => Some($form_of::<cmp::FloatLessEqual<$ty>>($form)),
            Compare::Gt => Some($form_of::<cmp::FloatGreater<$ty>>($form)),
            Compare::Ge => Some($form_of::<cmp::FloatGreaterEqual<$ty>>($form)),
            Compare::Equ => Some($form_of::<cmp::FloatEqualOrNan<$ty>>($form)),
            Compare::Neu => Some($form_of::<cmp::FloatNotEqualOrNan<$ty>>($form)),
            Compare::Ltu => Some($form_of::<cmp::FloatLessOrNan<$ty>>($form)),
            Compare::Leu => Some($form_of::<cmp::FloatLessEqualOrNan<$ty>>($form)),
            Compare::Gtu => Some($form_of::<cmp::FloatGreaterOrNan<$ty>>($form)),
            Compare::Geu => Some($form_of::<cmp::FloatGreaterEqualOrNan<$ty>>($form)),
            Compare::Num => Some($form_of::<cmp::FloatNumbers<$ty>>($form)),
            Compare::Nan => Some($form_of::<cmp::FloatNan<$ty>>($form)),
            _ => None,
        }
    };
}

impl Builder<'_> {
    pub(crate) fn comparison(&mut self, instruction: &Instruction) -> Decoded {
        let ty = first_type(instruction)?;
        match instruction.opcode() {
            Opcode::Setp => self.setp(instruction, ty),
            Opcode::Set => self.set(instruction, ty),
            Opcode::Selp => self.selp(instruction, ty),
            Opcode::Slct => self.slct(instruction, ty),
            _ => self.testp(instruction, ty),
        }
    }

    fn setp(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        let (dst, d) = self.predicate_targets(instruction)?;
        let (c, is_negated) = self.predicate(instruction.operands.get(3))?;
        let combine = combine_of(instruction)?;
        let is_plain = combine == Combine::Nothing && d == NO_ROW && dst != NO_ROW;
        let form = if is_plain { Form::Plain } else { Form::Combined };
        let function = Self::comparison_function(instruction, ty, form)?;
        let extras = SetpExtras { combine, is_negated, has_first: dst != NO_ROW, has_second: d != NO_ROW };
        let a = self.source_at(instruction, 1, ty)?;
        let b = self.source_at(instruction, 2, ty)?;
        Ok(Inst { dst, a, b, c, d, offset: extras.pack(), ..lanes(function, instruction) })
    }

    fn set(&mut self, instruction: &Instruction, to: ScalarType) -> Decoded {
        let Some(from) = instruction.modifiers().types.get(1) else { return not_executable(instruction) };
        let (c, is_negated) = self.predicate(instruction.operands.get(3))?;
        let combine = combine_of(instruction)?;
        let function = Self::comparison_function(instruction, from, Form::Value)?;
        let extras = SetpExtras { combine, is_negated, has_first: true, has_second: false };
        // What `lanes::compare::set` writes where the comparison holds.
        let d = match to {
            ScalarType::F32 => 1,
            ScalarType::F16 | ScalarType::F16x2 => 2,
            ScalarType::Bf16 | ScalarType::Bf16x2 => 3,
            ScalarType::U16 | ScalarType::S16 => 4,
            ScalarType::U32 | ScalarType::S32 => 0,
            _ => return not_executable(instruction),
        };
        let inst = self.binary(instruction, function, to, [from; 2])?;
        Ok(Inst { c, d, offset: extras.pack(), ..inst })
    }

    /// One predicate, or the pair `p|q`.
    fn predicate_targets(&self, instruction: &Instruction) -> Result<(Row, Row), Refusal> {
        match operand(instruction, 0)? {
            Operand::Pair(first, second) => {
                let row = |register: &Option<_>| register.map_or(NO_ROW, |register| self.row_of(register).1);
                Ok((row(first), row(second)))
            }
            single => Ok((self.target(single, ScalarType::Pred)?, NO_ROW)),
        }
    }

    fn comparison_function(instruction: &Instruction, ty: ScalarType, form: Form) -> Result<LaneFn, Refusal> {
        let Some(compare) = instruction.modifiers().compare else { return not_executable(instruction) };
        let ftz = instruction.modifiers().has(Kind::Ftz);
        let function = match ty {
            ScalarType::U16 | ScalarType::B16 => integer_comparison!(form, compare, u16),
            ScalarType::S16 => integer_comparison!(form, compare, i16),
            ScalarType::U32 | ScalarType::B32 => integer_comparison!(form, compare, u32),
            ScalarType::S32 => integer_comparison!(form, compare, i32),
            ScalarType::U64 | ScalarType::B64 => integer_comparison!(form, compare, u64),
            ScalarType::S64 => integer_comparison!(form, compare, i64),
            ScalarType::F32 if ftz => float_comparison!(form_of, form, compare, Flushed),
            ScalarType::F32 => float_comparison!(form_of, form, compare, f32),
            ScalarType::F64 => float_comparison!(form_of, form, compare, f64),
            ScalarType::F16 => float_comparison!(form_of, form, compare, f16),
            ScalarType::Bf16 => float_comparison!(form_of, form, compare, bf16),
            ScalarType::F16x2 => float_comparison!(packed_form_of, form, compare, f16),
            ScalarType::Bf16x2 => float_comparison!(packed_form_of, form, compare, bf16),
            _ => None,
        };
        function.map_or_else(|| not_executable(instruction), Ok)
    }

    fn selp(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        let (c, is_negated) = self.predicate(instruction.operands.get(3))?;
        let function = if ty.bits() == 64 { lanes3::<Selp64>() } else { lanes3::<Selp32>() };
        let mut inst = self.binary(instruction, function, ty, [ty; 2])?;
        if is_negated {
            std::mem::swap(&mut inst.a, &mut inst.b);
        }
        Ok(Inst { c, ..inst })
    }

    fn slct(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        let by_float = instruction.modifiers().types.get(1) == Some(ScalarType::F32);
        let function = match (ty.bits() == 64, by_float) {
            (false, false) => lanes3::<Slct32>(),
            (true, false) => lanes3::<Slct64>(),
            (false, true) => lanes3::<SlctF32>(),
            (true, true) => lanes3::<SlctF64>(),
        };
        self.ternary(instruction, function, ty, [ty, ty, ScalarType::B32])
    }

    fn testp(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        macro_rules! pick {
            ($($property:ident $code:literal)*) => {
                match (instruction.modifiers().property, ty) {
                    $((Some(Property::$property), ScalarType::F32) => lanes1::<Testp<f32, $code>>(),
                    (Some(Property::$property), _) => lanes1::<Testp<f64, $code>>(),)*
                    (None, _) => return not_executable(instruction),
                }
            };
        }
        let function = pick!(Finite 0 Infinite 1 Number 2 NotANumber 3 Normal 4 Subnormal 5);
        self.unary(instruction, function, ScalarType::Pred, ty)
    }
}

fn combine_of(instruction: &Instruction) -> Result<Combine, Refusal> {
    match instruction.modifiers().operation {
        None => Ok(Combine::Nothing),
        Some(Operation::And) => Ok(Combine::And),
        Some(Operation::Or) => Ok(Combine::Or),
        Some(Operation::Xor) => Ok(Combine::Xor),
        Some(_) => not_executable(instruction),
    }
}
