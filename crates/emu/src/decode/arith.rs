//! Integer arithmetic; floating point goes on to `floats`.

use shrinkwarp_ptx::ast::Instruction;
use shrinkwarp_ptx::isa::{Kind, Opcode, Product, ScalarType};

use super::builder::Builder;
use super::{Decoded, first_type, lanes, not_executable};
use crate::inst::Inst;
use crate::lanes::bits::{Dp2a, Dp4a, MadHi64, MulHi64};
use crate::lanes::carry::{CarryKind, carry_fn};
use crate::lanes::integer as int;
use crate::lanes::{LaneFn, lanes1, lanes2, lanes3};

/// The version of a generic operation for an integer type.
macro_rules! by_integer {
    ($ty:expr, $driver:ident, $($op:ident)::+) => {
        match $ty {
            ScalarType::U16 | ScalarType::B16 => Some($driver::<$($op)::+<u16>>()),
            ScalarType::S16 => Some($driver::<$($op)::+<i16>>()),
            ScalarType::U32 | ScalarType::B32 => Some($driver::<$($op)::+<u32>>()),
            ScalarType::S32 => Some($driver::<$($op)::+<i32>>()),
            ScalarType::U64 | ScalarType::B64 => Some($driver::<$($op)::+<u64>>()),
            ScalarType::S64 => Some($driver::<$($op)::+<i64>>()),
            _ => None,
        }
    };
}
pub(crate) use by_integer;

/// The same for products of twice the width, which 64-bit types do not have.
macro_rules! by_wide_integer {
    ($ty:expr, $driver:ident, $($op:ident)::+) => {
        match $ty {
            ScalarType::U16 => Some($driver::<$($op)::+<u16>>()),
            ScalarType::S16 => Some($driver::<$($op)::+<i16>>()),
            ScalarType::U32 => Some($driver::<$($op)::+<u32>>()),
            ScalarType::S32 => Some($driver::<$($op)::+<i32>>()),
            _ => None,
        }
    };
}

impl Builder<'_> {
    pub(crate) fn arithmetic(&mut self, instruction: &Instruction) -> Decoded {
        let ty = first_type(instruction)?;
        if ty.is_float() {
            return self.floating_point(instruction, ty);
        }
        if instruction.reads_carry() || instruction.writes_carry() {
            return self.carry(instruction, ty);
        }
        let is_wide = instruction.modifiers().product == Some(Product::Wide);
        let Some(function) = integer_function(instruction, ty) else { return not_executable(instruction) };
        let wide = if is_wide { doubled(ty) } else { ty };
        match instruction.opcode() {
            Opcode::Abs | Opcode::Neg => self.unary(instruction, function, ty, ty),
            Opcode::Mad | Opcode::Mad24 | Opcode::Sad | Opcode::Dp4a | Opcode::Dp2a => {
                self.ternary(instruction, function, wide, [ty, ty, wide])
            }
            _ => self.binary(instruction, function, wide, [ty, ty]),
        }
    }

    fn carry(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        let modifiers = instruction.modifiers();
        let is_high = modifiers.product == Some(Product::Hi);
        let kind = match instruction.opcode() {
            Opcode::Add | Opcode::Addc => CarryKind::Add,
            Opcode::Sub | Opcode::Subc => CarryKind::Sub,
            Opcode::Mad | Opcode::Madc if is_high && ty.is_signed() => CarryKind::MadHighSigned,
            Opcode::Mad | Opcode::Madc if is_high => CarryKind::MadHigh,
            Opcode::Mad | Opcode::Madc => CarryKind::MadLow,
            _ => return not_executable(instruction),
        };
        let function = carry_fn(kind, ty.bits() == 64, instruction.reads_carry(), instruction.writes_carry());
        if matches!(kind, CarryKind::Add | CarryKind::Sub) {
            self.binary(instruction, function, ty, [ty, ty])
        } else {
            self.ternary(instruction, function, ty, [ty, ty, ty])
        }
    }

    /// `d, a`
    pub(crate) fn unary(
        &mut self,
        instruction: &Instruction,
        function: LaneFn,
        to: ScalarType,
        from: ScalarType,
    ) -> Decoded {
        let dst = self.target_at(instruction, 0, to)?;
        let a = self.source_at(instruction, 1, from)?;
        Ok(Inst { dst, a, ..lanes(function, instruction) })
    }

    /// `d, a, b`
    pub(crate) fn binary(
        &mut self,
        instruction: &Instruction,
        function: LaneFn,
        to: ScalarType,
        from: [ScalarType; 2],
    ) -> Decoded {
        let dst = self.target_at(instruction, 0, to)?;
        let a = self.source_at(instruction, 1, from[0])?;
        let b = self.source_at(instruction, 2, from[1])?;
        Ok(Inst { dst, a, b, ..lanes(function, instruction) })
    }

    /// `d, a, b, c`
    pub(crate) fn ternary(
        &mut self,
        instruction: &Instruction,
        function: LaneFn,
        to: ScalarType,
        from: [ScalarType; 3],
    ) -> Decoded {
        let c = self.source_at(instruction, 3, from[2])?;
        Ok(Inst { c, ..self.binary(instruction, function, to, [from[0], from[1]])? })
    }
}

fn integer_function(instruction: &Instruction, ty: ScalarType) -> Option<LaneFn> {
    let modifiers = instruction.modifiers();
    let product = modifiers.product.unwrap_or(Product::Lo);
    let saturates = modifiers.has(Kind::Saturate);
    let is_high = product == Product::Hi;
    match instruction.opcode() {
        Opcode::Add if saturates => Some(lanes2::<int::AddSaturating>()),
        Opcode::Sub if saturates => Some(lanes2::<int::SubSaturating>()),
        Opcode::Add => by_integer!(ty, lanes2, int::Add),
        Opcode::Sub => by_integer!(ty, lanes2, int::Sub),
        Opcode::Mul => match product {
            Product::Wide => by_wide_integer!(ty, lanes2, int::MulWide),
            Product::Hi if ty == ScalarType::U64 => Some(lanes2::<MulHi64>()),
            Product::Hi => by_integer!(ty, lanes2, int::MulHi),
            Product::Lo => by_integer!(ty, lanes2, int::MulLo),
        },
        Opcode::Mad => match product {
            Product::Hi if saturates => Some(lanes3::<int::MadHiSaturating>()),
            Product::Wide => by_wide_integer!(ty, lanes3, int::MadWide),
            Product::Hi if ty == ScalarType::U64 => Some(lanes3::<MadHi64>()),
            Product::Hi => by_integer!(ty, lanes3, int::MadHi),
            Product::Lo => by_integer!(ty, lanes3, int::MadLo),
        },
        Opcode::Sad => by_integer!(ty, lanes3, int::Sad),
        Opcode::Div => by_integer!(ty, lanes2, int::Div),
        Opcode::Rem => by_integer!(ty, lanes2, int::Rem),
        Opcode::Abs => by_integer!(ty, lanes1, int::Abs),
        Opcode::Neg => by_integer!(ty, lanes1, int::Neg),
        Opcode::Min => by_integer!(ty, lanes2, int::Min),
        Opcode::Max => by_integer!(ty, lanes2, int::Max),
        Opcode::Mul24 => Some(match (ty.is_signed(), is_high) {
            (false, false) => lanes2::<int::Mul24<u32, false>>(),
            (false, true) => lanes2::<int::Mul24<u32, true>>(),
            (true, false) => lanes2::<int::Mul24<i32, false>>(),
            (true, true) => lanes2::<int::Mul24<i32, true>>(),
        }),
        Opcode::Mad24 if !saturates => Some(match (ty.is_signed(), is_high) {
            (false, false) => lanes3::<int::Mad24<u32, false>>(),
            (false, true) => lanes3::<int::Mad24<u32, true>>(),
            (true, false) => lanes3::<int::Mad24<i32, false>>(),
            (true, true) => lanes3::<int::Mad24<i32, true>>(),
        }),
        Opcode::Dp4a | Opcode::Dp2a => dot_product(instruction, ty, is_high),
        _ => None,
    }
}

fn dot_product(instruction: &Instruction, ty: ScalarType, is_high: bool) -> Option<LaneFn> {
    let second = instruction.modifiers().types.get(1)?;
    macro_rules! pick {
        ($($a:literal $b:literal)*) => {
            match (instruction.opcode(), ty.is_signed(), second.is_signed(), is_high) {$(
                (Opcode::Dp4a, $a, $b, _) => lanes3::<Dp4a<$a, $b>>(),
                (_, $a, $b, false) => lanes3::<Dp2a<$a, $b, false>>(),
                (_, $a, $b, true) => lanes3::<Dp2a<$a, $b, true>>(),
            )*}
        };
    }
    Some(pick!(false false  false true  true false  true true))
}

/// The type of twice the width.
fn doubled(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::U16 => ScalarType::U32,
        ScalarType::S16 => ScalarType::S32,
        ScalarType::U32 => ScalarType::U64,
        _ => ScalarType::S64,
    }
}
