//! Do the operands fit the opcode's row?

use super::{Parsed, Parser};
use crate::ast::{Operand, Span, Variant};
use crate::diagnostic::Diagnostic;
use crate::isa::{Kind, Role};

impl Parser<'_> {
    /// Checks number and kinds of the operands just read.
    pub(super) fn check_operands(&self, variant: &Variant, span: Span) -> Parsed<()> {
        let info = variant.opcode.info();
        let operands = &self.code.operands;
        if !info.shape.accepts(operands.len()) {
            let message = format!("'{}' has {} operands", variant.spelling, operands.len());
            let hint = format!("expected {} {}", info.mnemonic, info.shape.text);
            return Err(Box::new(Diagnostic::new(span, message).with_hint(hint)));
        }
        // Families that are parsed but not understood have shapes of their own.
        if info.allows.contains(Kind::Anything) {
            return Ok(());
        }
        for (position, operand) in operands.iter().enumerate() {
            let role = info.shape.role(position);
            if let Some(wanted) = mismatch(role, operand) {
                let message = format!("operand {} of '{}' must be {wanted}", position + 1, variant.spelling);
                let hint = format!("expected {} {}", info.mnemonic, info.shape.text);
                return Err(Box::new(Diagnostic::new(span, message).with_hint(hint)));
            }
        }
        Ok(())
    }
}

/// What the operand should have been, if it is not.
fn mismatch(role: Role, operand: &Operand) -> Option<&'static str> {
    let (fits, wanted) = match role {
        Role::Destination | Role::Updated => (is_destination(operand), "a register to write"),
        Role::Address => {
            (matches!(operand, Operand::Address(_) | Operand::Texture(_)), "an address in brackets")
        }
        Role::Source => (is_source(operand), "a register or a constant"),
        Role::Callee => {
            (matches!(operand, Operand::Symbol(..) | Operand::Register(_)), "a function or a register")
        }
        Role::Label | Role::Table => (matches!(operand, Operand::Label(_)), "a label"),
    };
    (!fits).then_some(wanted)
}

fn is_destination(operand: &Operand) -> bool {
    match operand {
        Operand::Register(_) | Operand::Pair(..) | Operand::Sink | Operand::List(_) => true,
        Operand::Vector(elements) => {
            elements.iter().all(|element| matches!(element, Operand::Register(_) | Operand::Sink))
        }
        _ => false,
    }
}

fn is_source(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Register(_)
            | Operand::Immediate(_)
            | Operand::Special(_)
            | Operand::Symbol(..)
            | Operand::Vector(_)
            | Operand::NotPredicate(_)
            | Operand::List(_)
    )
}
