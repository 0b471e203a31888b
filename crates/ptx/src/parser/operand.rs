//! Operands: registers, constants, addresses, vectors.

use super::body::UNRESOLVED;
use super::names::{Binding, RegisterGroup};
use super::registers::Found;
use super::{Parsed, Parser, shorten};
use crate::ast::{Address, AddressBase, Operand, RegId, Span, Symbol, TextureAddress, Variable};
use crate::diagnostic::Diagnostic;
use crate::isa::{Role, ScalarType, SpecialRegister};
use crate::scanner::TokenKind;

impl Parser<'_> {
    /// The operand at `position`, which plays `role`.
    pub(super) fn operand(&mut self, role: Role, position: usize) -> Parsed<Operand> {
        match self.token.kind {
            TokenKind::Word if matches!(role, Role::Label | Role::Table) => {
                let (name, span) = self.expect_name("a label")?;
                self.refer(name, span, position);
                Ok(Operand::Label(UNRESOLVED))
            }
            TokenKind::Word => self.named_operand(role),
            TokenKind::Punctuation(b'[') => self.bracket(),
            TokenKind::Punctuation(b'{') => self.vector(),
            TokenKind::Punctuation(b'!') if self.ahead.kind == TokenKind::Word => self.negated_predicate(),
            _ if self.starts_constant() => Ok(Operand::Immediate(self.constant()?)),
            _ => self.expected("an operand"),
        }
    }

    /// A register, pair, special register, symbol or `_`.
    fn named_operand(&mut self, role: Role) -> Parsed<Operand> {
        let first = self.simple_name()?;
        if self.is_punctuation(b'|') {
            return self.pair(&first);
        }
        match first {
            Operand::Symbol(symbol, _) if self.is_punctuation(b'[') => self.indexed(symbol, role),
            Operand::Symbol(symbol, _) => Ok(Operand::Symbol(symbol, self.addend()?)),
            other => Ok(other),
        }
    }

    /// What one word means, without anything that follows it.
    pub(super) fn simple_name(&mut self) -> Parsed<Operand> {
        let text = self.text();
        let span = self.token.span;
        if text == "_" {
            self.advance();
            return Ok(Operand::Sink);
        }
        if let Some(found) = self.find_register(text) {
            self.advance();
            return Ok(match found {
                Found::One(register) => Operand::Register(register),
                Found::Vector(elements) => {
                    Operand::Vector(elements.into_iter().map(Operand::Register).collect())
                }
            });
        }
        let operand = match self.names.look_up(text) {
            Some(Binding::Special(special)) => Operand::Special(special),
            Some(Binding::Symbol(symbol)) => Operand::Symbol(symbol, 0),
            Some(Binding::Constant(_)) => return Ok(Operand::Immediate(self.constant()?)),
            Some(Binding::Registers(_)) | None => match SpecialRegister::from_name(text) {
                Some(special) => Operand::Special(special),
                None => return Err(self.unknown_name(text, span).into()),
            },
        };
        self.advance();
        Ok(operand)
    }

    fn unknown_name(&self, text: &str, span: Span) -> Diagnostic {
        let name = shorten(text);
        let diagnostic = Diagnostic::new(span, format!("'{name}' is not declared"));
        let base = text.split('.').next().unwrap_or(text);
        if self.names.look_up(&format!("{base}.x")).is_some() {
            return diagnostic.with_hint(format!("take an element of it, such as '{base}.x'"));
        }
        let prefix = base.trim_end_matches(|letter: char| letter.is_ascii_digit());
        match self.names.look_up(prefix) {
            Some(Binding::Registers(RegisterGroup { range: Some(count), .. })) => {
                let last = count.max(1) - 1;
                diagnostic.with_hint(format!("'{prefix}<{count}>' declares {prefix}0 to {prefix}{last}"))
            }
            _ if text.starts_with('%') => diagnostic.with_hint("declare it with .reg"),
            _ => diagnostic.with_hint("declare it before it is used"),
        }
    }

    /// `p|q` after `p`.
    fn pair(&mut self, first: &Operand) -> Parsed<Operand> {
        let first = self.pair_half(first)?;
        self.advance();
        if self.token.kind != TokenKind::Word {
            return self.expected("a register after '|'");
        }
        let second = self.simple_name()?;
        Ok(Operand::Pair(first, self.pair_half(&second)?))
    }

    fn pair_half(&self, half: &Operand) -> Parsed<Option<RegId>> {
        match half {
            Operand::Register(register) => Ok(Some(*register)),
            Operand::Sink => Ok(None),
            _ => {
                let message = "only registers and '_' are allowed next to '|'";
                Err(Box::new(Diagnostic::new(self.previous, message)))
            }
        }
    }

    fn negated_predicate(&mut self) -> Parsed<Operand> {
        self.advance();
        let text = self.text();
        match self.find_register(text) {
            Some(Found::One(register)) if self.register_type(register) == ScalarType::Pred => {
                self.advance();
                Ok(Operand::NotPredicate(register))
            }
            _ => self.expected("a predicate register after '!'"),
        }
    }

    /// `{a, b, _, 0}`
    fn vector(&mut self) -> Parsed<Operand> {
        self.advance();
        let elements = self.items(b'}', "or '}' in the vector", Self::element)?;
        Ok(Operand::Vector(elements.into()))
    }

    fn element(&mut self) -> Parsed<Operand> {
        let element = match self.token.kind {
            TokenKind::Word => self.simple_name()?,
            _ if self.starts_constant() => Operand::Immediate(self.constant()?),
            _ => return self.expected("an element of the vector"),
        };
        match element {
            Operand::Vector(_) => {
                Err(Box::new(Diagnostic::new(self.previous, "a vector cannot be an element of a vector")))
            }
            element => Ok(element),
        }
    }

    /// `[base+offset]` or `[texture, sampler, {x, y}]`
    fn bracket(&mut self) -> Parsed<Operand> {
        self.advance();
        let address = self.address()?;
        if self.take_punctuation(b']') {
            return Ok(Operand::Address(address));
        }
        self.expect_punctuation(b',', "or ']' in the address")?;
        let mut second = Some(self.coordinate()?);
        let mut third = None;
        if self.take_punctuation(b',') {
            third = Some(self.coordinate()?);
        }
        self.expect_punctuation(b']', "after the coordinates")?;
        let coordinates = third.or_else(|| second.take()).unwrap_or(Operand::Sink);
        let texture = match (address.base, address.offset_bytes) {
            (AddressBase::Register(register), 0) => Operand::Register(register),
            (AddressBase::Symbol(symbol), offset_bytes) => Operand::Symbol(symbol, offset_bytes),
            _ => return Err(Box::new(Diagnostic::new(self.previous, "a texture is a name or a register"))),
        };
        Ok(Operand::Texture(Box::new(TextureAddress { texture, sampler: second, coordinates })))
    }

    /// A vector, or one register, symbol or constant.
    fn coordinate(&mut self) -> Parsed<Operand> {
        match self.token.kind {
            TokenKind::Punctuation(b'{') => self.vector(),
            TokenKind::Word => self.simple_name(),
            _ if self.starts_constant() => Ok(Operand::Immediate(self.constant()?)),
            _ => self.expected("coordinates"),
        }
    }

    fn address(&mut self) -> Parsed<Address> {
        let span = self.token.span;
        if self.starts_constant() {
            let offset_bytes = self.integer_constant("an address")? as i64;
            return Ok(Address { base: AddressBase::Absolute, offset_bytes });
        }
        if self.token.kind != TokenKind::Word {
            return self.expected("an address");
        }
        let base = match self.simple_name()? {
            Operand::Register(register) => AddressBase::Register(register),
            Operand::Symbol(symbol, _) => AddressBase::Symbol(symbol),
            _ => {
                return Err(Box::new(Diagnostic::new(
                    span,
                    "an address starts with a register or a variable",
                )));
            }
        };
        Ok(Address { base, offset_bytes: self.addend()? })
    }

    /// `array[3]`: the address of an element, or the memory there, as the role has it.
    fn indexed(&mut self, symbol: Symbol, role: Role) -> Parsed<Operand> {
        self.advance();
        let index = self.integer_constant("an array index")?;
        self.expect_punctuation(b']', "after the array index")?;
        let bytes =
            self.variable(symbol).map_or(1, |variable| variable.element.bytes() * variable.vector_elements);
        let offset_bytes = index.wrapping_mul(u64::from(bytes)) as i64;
        Ok(match role {
            Role::Address => Operand::Address(Address { base: AddressBase::Symbol(symbol), offset_bytes }),
            _ => Operand::Symbol(symbol, offset_bytes),
        })
    }

    /// The variable behind a symbol that has been declared at module level or in this body.
    fn variable(&self, symbol: Symbol) -> Option<&Variable> {
        match symbol {
            Symbol::Global(id) => self.module.globals.get(id.index()),
            Symbol::Local(id) => self.code.body.variables.get(id.index()),
            Symbol::Parameter(_) | Symbol::Return(_) | Symbol::Function(_) => None,
        }
    }

    /// Declared type of a register of this body.
    pub(super) fn register_type(&self, register: RegId) -> ScalarType {
        self.code.body.registers.get(register.index()).map_or(ScalarType::B32, |register| register.ty)
    }
}
