//! Floating-point arithmetic: type, rounding, ftz and sat choose the version.

use shrinkwarp_ptx::ast::Instruction;
use shrinkwarp_ptx::isa::{Kind, Opcode, Rounding, ScalarType};

use super::builder::Builder;
use super::{Decoded, Refusal, first_type, not_executable};
use crate::inst::Inst;
use crate::lanes::float as fp;
use crate::lanes::half::{HalfOp, HalfOperation, half_op};
use crate::lanes::narrow;
use crate::lanes::special as sp;
use crate::lanes::{Lane1, Lane2, Lane3, LaneFn, lanes1, lanes2, lanes3};

/// Suffixes that every floating-point version depends on.
#[derive(Clone, Copy)]
struct Style {
    rounding: Rounding,
    ftz: bool,
    saturates: bool,
}

impl Style {
    fn of(instruction: &Instruction) -> Self {
        let modifiers = instruction.modifiers();
        Self {
            rounding: modifiers.rounding.unwrap_or(Rounding::Rn),
            ftz: modifiers.has(Kind::Ftz),
            saturates: modifiers.has(Kind::Saturate),
        }
    }
}

fn single2<O: Lane2<A = u32, B = u32, D = u32>>(style: Style) -> LaneFn {
    match (style.ftz, style.saturates) {
        (false, false) => lanes2::<O>(),
        (true, false) => lanes2::<fp::Ftz<O>>(),
        (false, true) => lanes2::<fp::Saturated<f32, O>>(),
        (true, true) => lanes2::<fp::Saturated<f32, fp::Ftz<O>>>(),
    }
}

fn single3<O: Lane3<A = u32, B = u32, C = u32, D = u32>>(style: Style) -> LaneFn {
    match (style.ftz, style.saturates) {
        (false, false) => lanes3::<O>(),
        (true, false) => lanes3::<fp::Ftz<O>>(),
        (false, true) => lanes3::<fp::Saturated<f32, O>>(),
        (true, true) => lanes3::<fp::Saturated<f32, fp::Ftz<O>>>(),
    }
}

fn single1<O: Lane1<A = u32, D = u32>>(style: Style) -> LaneFn {
    if style.ftz { lanes1::<fp::Ftz<O>>() } else { lanes1::<O>() }
}

/// An operation with two sources in the mode of `style`: nearest by `$near`, others exactly.
macro_rules! by_rounding {
    ($ty:ident, $wrap:ident ( $($style:expr)? ), $style_of:expr, $near:ty, $op:expr) => {
        match $style_of.rounding {
            Rounding::Rz => $wrap::<fp::Directed<$ty, { $op }, 1>>($($style)?),
            Rounding::Rm => $wrap::<fp::Directed<$ty, { $op }, 2>>($($style)?),
            Rounding::Rp => $wrap::<fp::Directed<$ty, { $op }, 3>>($($style)?),
            _ => $wrap::<$near>($($style)?),
        }
    };
}

impl Builder<'_> {
    pub(crate) fn floating_point(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        match ty {
            ScalarType::F32 => self.single(instruction),
            ScalarType::F64 => self.double(instruction),
            ScalarType::F16 | ScalarType::F16x2 | ScalarType::Bf16 | ScalarType::Bf16x2 => {
                self.half(instruction, ty)
            }
            _ => not_executable(instruction),
        }
    }

    fn single(&mut self, instruction: &Instruction) -> Decoded {
        if instruction.modifiers().types.len() > 1 || instruction.operands.len() > 4 {
            return not_executable(instruction);
        }
        let ty = ScalarType::F32;
        let style = Style::of(instruction);
        let (nan, odd) = extreme_flags(instruction);
        let function = match instruction.opcode() {
            Opcode::Add => by_rounding!(f32, single2(style), style, fp::AddNearest<f32>, fp::ADD),
            Opcode::Sub => by_rounding!(f32, single2(style), style, fp::SubNearest<f32>, fp::SUB),
            Opcode::Mul => by_rounding!(f32, single2(style), style, fp::MulNearest<f32>, fp::MUL),
            Opcode::Div if instruction.modifiers().has(Kind::Approx) => single2::<sp::DivApprox>(style),
            Opcode::Div if instruction.modifiers().has(Kind::Full) => single2::<sp::DivFull>(style),
            Opcode::Div => by_rounding!(f32, single2(style), style, fp::DivNearest<f32>, fp::DIV),
            Opcode::Min | Opcode::Max if odd => return not_executable(instruction),
            Opcode::Min if nan => single2::<fp::MinNan<f32>>(style),
            Opcode::Max if nan => single2::<fp::MaxNan<f32>>(style),
            Opcode::Min => single2::<fp::MinNumber<f32>>(style),
            Opcode::Max => single2::<fp::MaxNumber<f32>>(style),
            Opcode::Fma | Opcode::Mad => {
                let function = match style.rounding {
                    Rounding::Rz => single3::<fp::DirectedFma<f32, 1>>(style),
                    Rounding::Rm => single3::<fp::DirectedFma<f32, 2>>(style),
                    Rounding::Rp => single3::<fp::DirectedFma<f32, 3>>(style),
                    _ => single3::<fp::FmaNearest<f32>>(style),
                };
                return self.ternary(instruction, function, ty, [ty; 3]);
            }
            Opcode::Neg => return self.unary(instruction, single1::<fp::Neg32>(style), ty, ty),
            Opcode::Abs => return self.unary(instruction, single1::<fp::Abs32>(style), ty, ty),
            _ => return not_executable(instruction),
        };
        self.extreme_or_binary(instruction, function, ty)
    }

    fn double(&mut self, instruction: &Instruction) -> Decoded {
        let ty = ScalarType::F64;
        let style = Style::of(instruction);
        if style.saturates {
            return not_executable(instruction);
        }
        let function = match instruction.opcode() {
            Opcode::Add => by_rounding!(f64, lanes2(), style, fp::AddNearest<f64>, fp::ADD),
            Opcode::Sub => by_rounding!(f64, lanes2(), style, fp::SubNearest<f64>, fp::SUB),
            Opcode::Mul => by_rounding!(f64, lanes2(), style, fp::MulNearest<f64>, fp::MUL),
            Opcode::Div => by_rounding!(f64, lanes2(), style, fp::DivNearest<f64>, fp::DIV),
            Opcode::Min => lanes2::<fp::MinNumber<f64>>(),
            Opcode::Max => lanes2::<fp::MaxNumber<f64>>(),
            Opcode::Fma | Opcode::Mad => {
                let function = match style.rounding {
                    Rounding::Rz => lanes3::<fp::DirectedFma<f64, 1>>(),
                    Rounding::Rm => lanes3::<fp::DirectedFma<f64, 2>>(),
                    Rounding::Rp => lanes3::<fp::DirectedFma<f64, 3>>(),
                    _ => lanes3::<fp::FmaNearest<f64>>(),
                };
                return self.ternary(instruction, function, ty, [ty; 3]);
            }
            Opcode::Neg => return self.unary(instruction, lanes1::<fp::Neg64>(), ty, ty),
            Opcode::Abs => return self.unary(instruction, lanes1::<fp::Abs64>(), ty, ty),
            _ => return not_executable(instruction),
        };
        self.extreme_or_binary(instruction, function, ty)
    }

    /// `min` and `max` with three sources do not run yet; everything else here has two.
    fn extreme_or_binary(&mut self, instruction: &Instruction, function: LaneFn, ty: ScalarType) -> Decoded {
        if instruction.operands.len() > 3 {
            return not_executable(instruction);
        }
        self.binary(instruction, function, ty, [ty; 2])
    }

    fn half(&mut self, instruction: &Instruction, ty: ScalarType) -> Decoded {
        let operation = match instruction.opcode() {
            Opcode::Add => HalfOperation::Add,
            Opcode::Sub => HalfOperation::Sub,
            Opcode::Mul => HalfOperation::Mul,
            Opcode::Fma => HalfOperation::Fma,
            Opcode::Neg => HalfOperation::Neg,
            Opcode::Abs => HalfOperation::Abs,
            Opcode::Min => HalfOperation::Min,
            Opcode::Max => HalfOperation::Max,
            Opcode::Ex2 => HalfOperation::Ex2,
            Opcode::Tanh => HalfOperation::Tanh,
            _ => return not_executable(instruction),
        };
        let modifiers = instruction.modifiers();
        let (nan, odd) = extreme_flags(instruction);
        if modifiers.types.len() > 1 || odd {
            return not_executable(instruction);
        }
        let half = HalfOp {
            operation,
            is_bf16: matches!(ty, ScalarType::Bf16 | ScalarType::Bf16x2),
            is_packed: matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2),
            ftz: modifiers.has(Kind::Ftz),
            saturate: modifiers.has(Kind::Saturate),
            relu: modifiers.has(Kind::Relu),
            propagate_nan: nan,
        };
        let function = frequent_half(half).unwrap_or_else(|| LaneFn::plain(half_op));
        let inst = match instruction.operands.len() {
            2 => self.unary(instruction, function, ty, ty)?,
            3 => self.binary(instruction, function, ty, [ty; 2])?,
            _ => self.ternary(instruction, function, ty, [ty; 3])?,
        };
        Ok(Inst { offset: half.pack(), ..inst })
    }

    /// Reciprocals, roots and transcendental functions.
    pub(crate) fn special_function(&mut self, instruction: &Instruction) -> Decoded {
        let ty = first_type(instruction)?;
        if instruction.opcode() == Opcode::Copysign {
            let is_single = ty == ScalarType::F32;
            let function =
                if is_single { lanes2::<fp::CopySign<f32>>() } else { lanes2::<fp::CopySign<f64>>() };
            return self.binary(instruction, function, ty, [ty; 2]);
        }
        match ty {
            ScalarType::F32 => self.unary(instruction, single_special(instruction)?, ty, ty),
            ScalarType::F64 => self.unary(instruction, double_special(instruction)?, ty, ty),
            _ => self.floating_point(instruction, ty),
        }
    }
}

/// Operations on halves that have a vectorised version.
fn frequent_half(half: HalfOp) -> Option<LaneFn> {
    use narrow::{Brain, Half};
    if !half.is_plain() {
        return None;
    }
    macro_rules! of_format {
        ($lanes:ident, $one:ident, $pair:ident) => {
            match (half.is_bf16, half.is_packed) {
                (false, false) => $lanes::<narrow::$one<Half>>(),
                (false, true) => $lanes::<narrow::$pair<Half>>(),
                (true, false) => $lanes::<narrow::$one<Brain>>(),
                (true, true) => $lanes::<narrow::$pair<Brain>>(),
            }
        };
    }
    Some(match half.operation {
        HalfOperation::Add => of_format!(lanes2, Add, AddPair),
        HalfOperation::Sub => of_format!(lanes2, Sub, SubPair),
        HalfOperation::Mul => of_format!(lanes2, Mul, MulPair),
        HalfOperation::Fma => of_format!(lanes3, Fma, FmaPair),
        _ => return None,
    })
}

/// `.NaN`, and whether suffixes are there that do not run.
fn extreme_flags(instruction: &Instruction) -> (bool, bool) {
    let modifiers = instruction.modifiers();
    (modifiers.has(Kind::PropagateNan), modifiers.has(Kind::XorSign) || modifiers.has(Kind::Absolute))
}

fn single_special(instruction: &Instruction) -> Result<LaneFn, Refusal> {
    let style = Style::of(instruction);
    let is_approximate = instruction.modifiers().has(Kind::Approx);
    Ok(match (instruction.opcode(), is_approximate) {
        (Opcode::Rcp, true) => single1::<sp::RcpApprox>(style),
        (Opcode::Sqrt, true) => single1::<sp::SqrtApprox>(style),
        (Opcode::Rsqrt, _) => single1::<sp::RsqrtApprox>(style),
        (Opcode::Sin, _) => single1::<sp::SinApprox>(style),
        (Opcode::Cos, _) => single1::<sp::CosApprox>(style),
        (Opcode::Lg2, _) => single1::<sp::Lg2Approx>(style),
        (Opcode::Ex2, _) => single1::<sp::Ex2Approx>(style),
        (Opcode::Tanh, _) => single1::<sp::TanhApprox>(style),
        (Opcode::Rcp, false) => match style.rounding {
            Rounding::Rz => single1::<fp::Reciprocal<f32, 1>>(style),
            Rounding::Rm => single1::<fp::Reciprocal<f32, 2>>(style),
            Rounding::Rp => single1::<fp::Reciprocal<f32, 3>>(style),
            _ => single1::<sp::RcpApprox>(style),
        },
        (Opcode::Sqrt, false) => match style.rounding {
            Rounding::Rz => single1::<fp::DirectedRoot<f32, 1>>(style),
            Rounding::Rm => single1::<fp::DirectedRoot<f32, 2>>(style),
            Rounding::Rp => single1::<fp::DirectedRoot<f32, 3>>(style),
            _ => single1::<fp::SqrtNearest<f32>>(style),
        },
        _ => return not_executable(instruction),
    })
}

fn double_special(instruction: &Instruction) -> Result<LaneFn, Refusal> {
    let style = Style::of(instruction);
    let is_approximate = instruction.modifiers().has(Kind::Approx);
    Ok(match (instruction.opcode(), is_approximate) {
        (Opcode::Rcp, true) => lanes1::<sp::RcpTruncated>(),
        (Opcode::Rsqrt, _) if style.ftz => lanes1::<sp::RsqrtTruncated>(),
        (Opcode::Rsqrt, _) => lanes1::<sp::Rsqrt64>(),
        (Opcode::Rcp, false) => match style.rounding {
            Rounding::Rz => lanes1::<fp::Reciprocal<f64, 1>>(),
            Rounding::Rm => lanes1::<fp::Reciprocal<f64, 2>>(),
            Rounding::Rp => lanes1::<fp::Reciprocal<f64, 3>>(),
            _ => lanes1::<fp::Reciprocal<f64, 0>>(),
        },
        (Opcode::Sqrt, false) => match style.rounding {
            Rounding::Rz => lanes1::<fp::DirectedRoot<f64, 1>>(),
            Rounding::Rm => lanes1::<fp::DirectedRoot<f64, 2>>(),
            Rounding::Rp => lanes1::<fp::DirectedRoot<f64, 3>>(),
            _ => lanes1::<fp::SqrtNearest<f64>>(),
        },
        _ => return not_executable(instruction),
    })
}
