//! `call (returns), callee, (arguments), prototype;`
//!
//! All but the callee may be left out; the operands are always put into that order, absent lists as empty ones.

use super::body::UNRESOLVED;
use super::registers::Found;
use super::{Parsed, Parser, shorten};
use crate::ast::{FunctionId, Operand, Span, Symbol};
use crate::diagnostic::Diagnostic;
use crate::scanner::TokenKind;

/// Position of the prototype or target list among the operands.
const TABLE_POSITION: usize = 3;

impl Parser<'_> {
    /// After the mnemonic.
    pub(super) fn call(&mut self) -> Parsed<()> {
        let mut returns = Vec::new();
        if self.is_punctuation(b'(') {
            returns = self.call_list()?;
            self.expect_punctuation(b',', "after the return parameters")?;
        }
        let callee = self.callee()?;
        let mut arguments = Vec::new();
        let mut has_more = self.take_punctuation(b',');
        if has_more && self.is_punctuation(b'(') {
            arguments = self.call_list()?;
            has_more = self.take_punctuation(b',');
        }
        self.code.operands.push(Operand::List(returns.into()));
        self.code.operands.push(callee);
        self.code.operands.push(Operand::List(arguments.into()));
        if has_more {
            let (name, span) = self.expect_name("a .callprototype or .calltargets label")?;
            self.refer(name, span, TABLE_POSITION);
            self.code.operands.push(Operand::Label(UNRESOLVED));
        }
        Ok(())
    }

    /// A function by name or the register that holds its address.
    fn callee(&mut self) -> Parsed<Operand> {
        let text = self.text();
        if self.token.kind != TokenKind::Word {
            return self.expected("the function to call");
        }
        if let Some(Found::One(register)) = self.find_register(text) {
            self.advance();
            return Ok(Operand::Register(register));
        }
        let (name, span) = self.expect_name("the function to call")?;
        Ok(Operand::Symbol(Symbol::Function(self.known_function(name, span)?), 0))
    }

    /// A function declared before.
    pub(super) fn known_function(&self, name: &str, span: Span) -> Parsed<FunctionId> {
        self.names.function(name).ok_or_else(|| {
            let message = format!("function '{}' is not declared", shorten(name));
            Box::new(Diagnostic::new(span, message).with_hint("declare it with .func or .extern .func"))
        })
    }

    /// `(a, b)`: parameters, registers, constants.
    fn call_list(&mut self) -> Parsed<Vec<Operand>> {
        self.advance();
        if self.take_punctuation(b')') {
            return Ok(Vec::new());
        }
        self.items(b')', "or ')' in the list", Self::argument)
    }

    fn argument(&mut self) -> Parsed<Operand> {
        match self.token.kind {
            TokenKind::Word => self.simple_name(),
            _ if self.starts_constant() => Ok(Operand::Immediate(self.constant()?)),
            _ => self.expected("a parameter, a register or a constant"),
        }
    }
}
