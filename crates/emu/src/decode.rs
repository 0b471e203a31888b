//! From the syntax tree to the dense form that executes.
//!
//! | file       | decodes                                                   |
//! |------------|-----------------------------------------------------------|
//! | `builder`  | one kernel with its functions: rows, constants, frames    |
//! | `call_graph` | which functions a kernel can reach, which are recursive |
//! | `operand`  | registers, immediates, symbols and addresses to rows      |
//! | `layout`   | where shared, local and parameter variables lie           |
//! | `limits`   | how much of everything a kernel may have                  |
//! | `arith`    | add, mul, fma, div, min, …                                |
//! | `floats`   | rounding, ftz and sat of those                            |
//! | `bits`     | logic, shifts, bit fields                                 |
//! | `compare`  | setp, set, selp, slct, testp                              |
//! | `convert`  | mov, cvt, cvta                                            |
//! | `memory`   | ld, st, atom, red, cp.async                               |
//! | `control`  | bra, call, ret, bar                                       |
//! | `intrinsic`| printf, malloc, free, assert                              |
//! | `texture`  | tex, txq                                                  |
//! | `surface`  | suld.b, sust.b, sust.p                                    |
//! | `matrix`   | wmma, mma, ldmatrix, stmatrix                             |
//! | `mbarrier` | mbarrier.*, cp.async.mbarrier.arrive                      |
//! | `video`    | vadd4, vabsdiff2, …                                       |
//! | `provenance` | which parameters lead to memory                         |
//! | `warp`     | shfl, vote, match, redux                                  |
//!
//! What is not executable is refused here, with its line.

mod arith;
mod bits;
mod builder;
mod call_graph;
mod compare;
mod control;
mod convert;
mod floats;
mod intrinsic;
mod layout;
mod limits;
mod matrix;
mod mbarrier;
mod memory;
mod operand;
mod pragma;
mod provenance;
mod surface;
mod texture;
mod video;
mod warp;

pub(crate) use builder::decode_kernel;
pub(crate) use call_graph::CallGraph;
pub(crate) use layout::Place;
pub(crate) use provenance::{Provenance, UNKNOWN};

use shrinkwarp_ptx::ast::Instruction;
use shrinkwarp_ptx::isa::{Opcode, ScalarType, UnitClass};

use crate::inst::{Inst, LatencyClass, Unit};
use crate::lanes::LaneFn;
use crate::op::Op;

/// Why an instruction cannot be executed.
pub(crate) type Refusal = String;
/// A decoded instruction, or why there is none.
pub(crate) type Decoded = Result<Inst, Refusal>;

/// Refuses an instruction because of its variant.
pub(crate) fn not_executable<T>(instruction: &Instruction) -> Result<T, Refusal> {
    Err(format!("{} cannot be executed", instruction.variant.spelling))
}

/// The first type, which nearly every instruction has.
pub(crate) fn first_type(instruction: &Instruction) -> Result<ScalarType, Refusal> {
    instruction.modifiers().ty().ok_or_else(|| format!("{} has no type", instruction.variant.spelling))
}

/// An arithmetic instruction, its operands still to be filled in.
pub(crate) fn lanes(function: LaneFn, instruction: &Instruction) -> Inst {
    Inst::blank(Op::Lanes(function), instruction.span.line)
}

/// What a timing model wants to know of any instruction.
pub(crate) fn classify(inst: &mut Inst, instruction: &Instruction) {
    inst.unit = match instruction.variant.unit() {
        UnitClass::Integer => Unit::Integer,
        UnitClass::Single => Unit::Float32,
        UnitClass::Double => Unit::Float64,
        UnitClass::Special => Unit::Special,
        UnitClass::Tensor => Unit::Tensor,
        UnitClass::Memory | UnitClass::Texture => Unit::Memory,
        UnitClass::Control => Unit::Control,
        UnitClass::Barrier => Unit::Barrier,
    };
    inst.data = match instruction.modifiers().ty() {
        Some(ScalarType::F64) => Unit::Float64,
        Some(ty) if ty.is_float() => Unit::Float32,
        _ => Unit::Integer,
    };
    inst.latency = match instruction.opcode() {
        Opcode::Add | Opcode::Sub | Opcode::Addc | Opcode::Subc => LatencyClass::Add,
        Opcode::Max | Opcode::Min => LatencyClass::Max,
        Opcode::Mul | Opcode::Mul24 => LatencyClass::Mul,
        Opcode::Mad | Opcode::Madc | Opcode::Mad24 | Opcode::Fma => LatencyClass::Mad,
        Opcode::Div | Opcode::Rem => LatencyClass::Div,
        Opcode::Shfl => LatencyClass::Shuffle,
        _ => LatencyClass::Other,
    };
}
