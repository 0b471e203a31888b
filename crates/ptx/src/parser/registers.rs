//! Registers: declarations such as `.reg .b32 %r<10>;` and the names that use them.
//!
//! A range declares any number of registers at no cost; a [`RegId`] is given out when a register is first named.

use rustc_hash::FxHashMap;

use super::names::{Binding, RegisterGroup};
use super::{Parsed, Parser};
use crate::ast::{Body, RegId, Register, VariableType};
use crate::diagnostic::Diagnostic;
use crate::isa::ScalarType;

/// Names of vector elements, and their old alternatives.
const ELEMENTS: [(&str, &str); 4] = [("x", "r"), ("y", "g"), ("z", "b"), ("w", "a")];

/// Registers named so far in one function: declaration, number in the range, vector element.
pub(super) type RegisterIds = FxHashMap<(u32, u64, u8), RegId>;

/// What a name found among the registers.
pub(super) enum Found {
    /// One register.
    One(RegId),
    /// All elements of a vector register.
    Vector(Vec<RegId>),
}

impl<'src> Parser<'src> {
    /// After `.reg`.
    pub(super) fn register_declaration(&mut self) -> Parsed<()> {
        let declared = self.declared_type()?;
        let VariableType::Scalar(ty) = declared.element else {
            return self.expected("a register of a fundamental type");
        };
        loop {
            let (name, span) = self.expect_name("the name of a register")?;
            let range = if self.take_punctuation(b'<') {
                let count = self.range_count()?;
                self.expect_punctuation(b'>', "after the number of registers")?;
                Some(count)
            } else {
                None
            };
            let elements = declared.vector_elements;
            let group = RegisterGroup { serial: self.next_serial(), ty, elements, range };
            count_declared(&mut self.code.body, group);
            if self.names.bind(name, Binding::Registers(group)).is_some() {
                let message = format!("'{name}' is already declared in this scope");
                self.note(Diagnostic::new(span, message).with_hint("rename one of the two"));
            }
            if !self.take_punctuation(b',') {
                return self.expect_semicolon("after the registers");
            }
        }
    }

    /// A bare number: in `<10>` an expression would swallow the `>`.
    fn range_count(&mut self) -> Parsed<u64> {
        match self.text().parse() {
            Ok(count) => {
                self.advance();
                Ok(count)
            }
            Err(_) => self.expected("the number of registers"),
        }
    }

    /// The register or registers of a name such as `%r12`, `%v` or `%v.x`; `None` if it names no register.
    pub(super) fn find_register(&mut self, text: &'src str) -> Option<Found> {
        if let Some(Binding::Registers(group)) = self.names.look_up(text)
            && group.range.is_none()
        {
            return Some(self.whole_register(group, 0, text));
        }
        if let Some((base, suffix)) = text.split_once('.') {
            return self.vector_element(base, suffix, text);
        }
        let (group, number) = self.in_range(text)?;
        Some(self.whole_register(group, number, text))
    }

    /// The range a numbered name belongs to.
    fn in_range(&self, text: &str) -> Option<(RegisterGroup, u64)> {
        let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = text.split_at(text.len() - digits);
        // `%r007` is not `%r7`.
        if number.is_empty() || number.len() > 1 && number.starts_with('0') {
            return None;
        }
        let number: u64 = number.parse().ok()?;
        match self.names.look_up(prefix)? {
            Binding::Registers(group) if group.range.is_some_and(|count| number < count) => {
                Some((group, number))
            }
            _ => None,
        }
    }

    fn whole_register(&mut self, group: RegisterGroup, number: u64, text: &str) -> Found {
        if group.elements == 1 {
            return Found::One(self.register_id(group, number, 0, text));
        }
        let element = |index: u8| format!("{text}.{}", ELEMENTS[usize::from(index)].0);
        let ids =
            (0..group.elements as u8).map(|index| self.register_id(group, number, index, &element(index)));
        Found::Vector(ids.collect())
    }

    fn vector_element(&mut self, base: &str, suffix: &str, text: &str) -> Option<Found> {
        let (group, number) = match self.names.look_up(base) {
            Some(Binding::Registers(group)) if group.range.is_none() => (group, 0),
            _ => self.in_range(base)?,
        };
        let index = ELEMENTS.iter().position(|(name, old_name)| suffix == *name || suffix == *old_name)?;
        if group.elements == 1 || index >= group.elements as usize {
            return None;
        }
        Some(Found::One(self.register_id(group, number, index as u8, text)))
    }

    fn register_id(&mut self, group: RegisterGroup, number: u64, element: u8, name: &str) -> RegId {
        let registers = &mut self.code.body.registers;
        let next = RegId(registers.len() as u32);
        let id = *self.code.register_ids.entry((group.serial, number, element)).or_insert(next);
        if id == next {
            registers.push(Register { name: name.to_string(), ty: group.ty });
        }
        id
    }
}

fn count_declared(body: &mut Body, group: RegisterGroup) {
    let count = group.range.unwrap_or(1).saturating_mul(u64::from(group.elements));
    if group.ty == ScalarType::Pred {
        body.declared_predicates = body.declared_predicates.saturating_add(count);
    } else {
        let words = count.saturating_mul(u64::from(group.ty.bits().div_ceil(32)));
        body.declared_register_words = body.declared_register_words.saturating_add(words);
    }
}
