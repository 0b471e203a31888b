//! One instruction, and which registers it reads and writes.

use std::sync::Arc;

use super::{AddressBase, Operand, RegId, Span};
use crate::isa::{Kind, Modifiers, Opcode, Role, UnitClass};

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Opcode and modifiers; instructions of one module that are spelt alike share it.
    pub variant: Arc<Variant>,
    /// `@%p` or `@!%p`.
    pub guard: Option<Guard>,
    /// Operands, in the order of the opcode's shape.
    pub operands: Vec<Operand>,
    /// From the guard to the semicolon.
    pub span: Span,
}

/// What precedes the operands: `ld.global.v4.f32`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// As written, e.g. `setp.lt.and.s32`.
    pub spelling: Box<str>,
    /// Row of the opcode table.
    pub opcode: Opcode,
    /// What the dotted suffixes say.
    pub modifiers: Modifiers,
}

impl Variant {
    /// The execution unit this variant needs.
    pub fn unit(&self) -> UnitClass {
        self.opcode.info().unit.of(self.modifiers.types.first())
    }
}

/// Guard predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub predicate: RegId,
    /// `@!`: execute where it is false.
    pub is_negated: bool,
}

impl Instruction {
    /// Row of the opcode table.
    pub fn opcode(&self) -> Opcode {
        self.variant.opcode
    }

    /// The dotted suffixes.
    pub fn modifiers(&self) -> &Modifiers {
        &self.variant.modifiers
    }

    /// Calls `visit` with every register this instruction writes.
    ///
    /// A guarded write leaves the old value in lanes where the guard is false: such a register is still live
    /// before the instruction.
    pub fn for_each_def(&self, mut visit: impl FnMut(RegId)) {
        let shape = &self.opcode().info().shape;
        for (position, operand) in self.operands.iter().enumerate() {
            if shape.role(position).is_written() {
                visit_registers(operand, &mut visit);
            }
        }
    }

    /// Calls `visit` with every register this instruction reads, the guard included.
    pub fn for_each_use(&self, mut visit: impl FnMut(RegId)) {
        if let Some(guard) = self.guard {
            visit(guard.predicate);
        }
        let shape = &self.opcode().info().shape;
        for (position, operand) in self.operands.iter().enumerate() {
            if shape.role(position) != Role::Destination {
                visit_registers(operand, &mut visit);
            }
        }
    }

    /// Whether the carry flag is read (`addc`, `subc`, `madc`).
    pub fn reads_carry(&self) -> bool {
        matches!(self.opcode(), Opcode::Addc | Opcode::Subc | Opcode::Madc)
    }

    /// Whether the carry flag is written (`.cc`).
    pub fn writes_carry(&self) -> bool {
        self.modifiers().has(Kind::CarryOut)
    }
}

/// Every register inside one operand. Nesting is at most two deep by construction of the parser.
fn visit_registers(operand: &Operand, visit: &mut impl FnMut(RegId)) {
    match operand {
        Operand::Register(register) | Operand::NotPredicate(register) => visit(*register),
        Operand::Pair(first, second) => first.iter().chain(second).for_each(|register| visit(*register)),
        Operand::Address(address) => {
            if let AddressBase::Register(register) = address.base {
                visit(register);
            }
        }
        Operand::Vector(elements) | Operand::List(elements) => visit_flat(elements, visit),
        Operand::Texture(address) => {
            visit_flat(std::slice::from_ref(&address.texture), visit);
            visit_flat(address.sampler.as_slice(), visit);
            visit_flat(std::slice::from_ref(&address.coordinates), visit);
        }
        Operand::Immediate(_)
        | Operand::Special(_)
        | Operand::Symbol(..)
        | Operand::Sink
        | Operand::Label(_)
        | Operand::BranchTable(_)
        | Operand::CallTable(_)
        | Operand::Prototype(_) => {}
    }
}

/// Registers among operands that are registers or one-level vectors of them.
fn visit_flat(operands: &[Operand], visit: &mut impl FnMut(RegId)) {
    for operand in operands {
        match operand {
            Operand::Register(register) | Operand::NotPredicate(register) => visit(*register),
            Operand::Vector(elements) => {
                for element in elements {
                    if let Operand::Register(register) = element {
                        visit(*register);
                    }
                }
            }
            _ => {}
        }
    }
}
