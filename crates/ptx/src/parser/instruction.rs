//! One instruction: guard, dotted name, operands.

use std::sync::Arc;

use super::registers::Found;
use super::{Parsed, Parser, shorten};
use crate::ast::{Guard, Instruction, Span, Variant};
use crate::diagnostic::Diagnostic;
use crate::isa::{Opcode, ScalarType, VariantError, read_variant};
use crate::scanner::TokenKind;

impl Parser<'_> {
    /// `@!%p add.s32 %r1, %r2, 3;`
    pub(super) fn instruction(&mut self) -> Parsed<()> {
        let start = self.token.span;
        let guard = if self.is_punctuation(b'@') { Some(self.guard()?) } else { None };
        let variant = self.variant()?;
        self.code.operands.clear();
        if variant.opcode == Opcode::Call {
            self.call()?;
        } else {
            self.operands(&variant)?;
        }
        let span = start.to(self.previous);
        self.check_operands(&variant, span)?;
        let operands = self.code.operands.drain(..).collect();
        self.code.body.instructions.push(Instruction { variant, guard, operands, span });
        self.expect_semicolon("after the instruction")
    }

    fn guard(&mut self) -> Parsed<Guard> {
        self.advance();
        let is_negated = self.take_punctuation(b'!');
        let text = self.text();
        let found = if self.token.kind == TokenKind::Word { self.find_register(text) } else { None };
        match found {
            Some(Found::One(predicate)) if self.register_type(predicate) == ScalarType::Pred => {
                self.advance();
                Ok(Guard { predicate, is_negated })
            }
            _ => self.expected("a predicate register after '@'"),
        }
    }

    /// The dotted name. Suffixes may be set apart by blanks, though no compiler does so.
    fn variant(&mut self) -> Parsed<Arc<Variant>> {
        if self.token.kind != TokenKind::Word || self.is_dotted() {
            return self.expected("an instruction");
        }
        let span = self.token.span;
        let name = self.text();
        self.advance();
        if self.is_dotted() {
            let mut joined = name.to_string();
            while self.is_dotted() {
                joined.push_str(self.text());
                self.advance();
            }
            return Ok(Arc::new(checked_variant(&joined, span.to(self.previous))?));
        }
        if let Some(variant) = self.variants.get(name) {
            return Ok(Arc::clone(variant));
        }
        let variant = Arc::new(checked_variant(name, span)?);
        self.variants.insert(name, Arc::clone(&variant));
        Ok(variant)
    }

    fn operands(&mut self, variant: &Variant) -> Parsed<()> {
        let shape = &variant.opcode.info().shape;
        // After `ret` a new line without a semicolon is the next statement, not an operand.
        let is_cut = shape.accepts(0) && self.token.span.line != self.previous.line;
        if self.is_punctuation(b';') || is_cut {
            return Ok(());
        }
        loop {
            let position = self.code.operands.len();
            let operand = self.operand(shape.role(position), position)?;
            self.code.operands.push(operand);
            if !self.take_punctuation(b',') {
                return Ok(());
            }
        }
    }
}

fn checked_variant(name: &str, span: Span) -> Parsed<Variant> {
    match read_variant(name) {
        Ok((opcode, modifiers)) => Ok(Variant { spelling: name.into(), opcode, modifiers }),
        Err(error) => Err(Box::new(explain(name, span, error))),
    }
}

/// The table's complaint as a sentence.
fn explain(name: &str, span: Span, error: VariantError) -> Diagnostic {
    let mnemonic = Opcode::from_name(name).map_or(name, |(opcode, _)| opcode.info().mnemonic);
    let name = shorten(name);
    let dotted =
        |spellings: &[&str]| spellings.iter().map(|word| format!(".{word}")).collect::<Vec<_>>().join(", ");
    match error {
        VariantError::UnknownOpcode { nearest } => {
            let diagnostic = Diagnostic::new(span, format!("unknown instruction '{name}'"));
            match nearest {
                Some(nearest) => diagnostic.with_hint(format!("did you mean '{nearest}'?")),
                None => diagnostic,
            }
        }
        VariantError::Suffix { suffix, is_repeated: true } => Diagnostic::new(
            span,
            format!("'{name}': '.{}' is a second suffix of the same kind", shorten(&suffix)),
        ),
        VariantError::Suffix { suffix, is_repeated: false } => {
            Diagnostic::new(span, format!("'{name}': {mnemonic} has no suffix '.{}'", shorten(&suffix)))
        }
        VariantError::Missing { spellings } => {
            Diagnostic::new(span, format!("'{name}': {mnemonic} needs one of {}", dotted(&spellings)))
        }
        VariantError::MissingType { spellings } => {
            Diagnostic::new(span, format!("'{name}': {mnemonic} needs a type"))
                .with_hint(format!("one of {}", dotted(&spellings)))
        }
        VariantError::Type { found, spellings } if spellings.is_empty() => {
            Diagnostic::new(span, format!("'{name}': one type too many, .{}", found.spelling()))
        }
        VariantError::Type { found, spellings } => {
            Diagnostic::new(span, format!("'{name}': {mnemonic} does not work on .{}", found.spelling()))
                .with_hint(format!("one of {}", dotted(&spellings)))
        }
    }
}
