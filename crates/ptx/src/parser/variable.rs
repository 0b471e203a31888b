//! Declarations of variables and parameters.

use super::names::Binding;
use super::{Parsed, Parser};
use crate::ast::{Linkage, Span, Symbol, Variable, VariableId, VariableType};
use crate::diagnostic::Diagnostic;
use crate::isa::{ScalarType, StateSpace};

/// No variable may be larger; real GPUs have less.
const MAX_VARIABLE_BYTES: u64 = 1 << 40;

/// What the dotted words before the name say.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeclaredType {
    pub element: VariableType,
    pub vector_elements: u32,
    pub align_bytes: Option<u32>,
    pub points_to: Option<(Option<StateSpace>, u32)>,
}

impl<'src> Parser<'src> {
    /// `.align 4 .b8 a[16] = {…}, b;` after the state space.
    pub(super) fn variables(&mut self, space: StateSpace, linkage: Linkage, is_global: bool) -> Parsed<()> {
        let declared = self.declared_type()?;
        loop {
            let (name, span) = self.expect_name("the name of a variable")?;
            let mut variable = self.sized_variable(name, span, space, declared)?;
            variable.linkage = linkage;
            if self.take_punctuation(b'=') {
                self.initializer(&mut variable)?;
            }
            self.declare(name, variable, is_global)?;
            if !self.take_punctuation(b',') {
                return self.expect_semicolon("after the variable");
            }
        }
    }

    /// The dotted words up to the name.
    pub(super) fn declared_type(&mut self) -> Parsed<DeclaredType> {
        let mut element = None;
        let mut declared = DeclaredType {
            element: VariableType::Scalar(ScalarType::B8),
            vector_elements: 1,
            align_bytes: None,
            points_to: None,
        };
        while self.is_dotted() {
            match self.text() {
                ".align" => {
                    self.advance();
                    declared.align_bytes = Some(self.alignment()?);
                    continue;
                }
                ".ptr" => {
                    self.advance();
                    declared.points_to = Some(self.pointed_to()?);
                    continue;
                }
                ".attribute" => {
                    self.advance();
                    self.attribute()?;
                    continue;
                }
                ".v2" => declared.vector_elements = 2,
                ".v4" => declared.vector_elements = 4,
                ".texref" => element = Some(VariableType::Texture),
                ".samplerref" => element = Some(VariableType::Sampler),
                ".surfref" => element = Some(VariableType::Surface),
                word => match ScalarType::from_spelling(&word[1..]) {
                    Some(scalar) => element = Some(VariableType::Scalar(scalar)),
                    None => return self.expected("a type such as .u32"),
                },
            }
            self.advance();
        }
        declared.element = element.ok_or_else(|| self.expected_here("a type such as .u32"))?;
        Ok(declared)
    }

    fn alignment(&mut self) -> Parsed<u32> {
        let span = self.token.span;
        let bytes = self.integer_constant("an alignment in bytes")?;
        if !bytes.is_power_of_two() || bytes > 1 << 16 {
            let message = format!("an alignment of {bytes} bytes; expected a power of two up to 65536");
            return Err(Box::new(Diagnostic::new(span, message)));
        }
        Ok(bytes as u32)
    }

    /// `.global .align 16` after `.ptr`; the alignment is 4 unless given.
    fn pointed_to(&mut self) -> Parsed<(Option<StateSpace>, u32)> {
        let space = self.text().strip_prefix('.').and_then(StateSpace::from_spelling);
        if space.is_some() {
            self.advance();
        }
        let align_bytes = if self.take_word(".align") { self.alignment()? } else { 4 };
        Ok((space, align_bytes))
    }

    /// `(.managed)` or `(.unified(…))` after `.attribute`: where the driver places it, which changes no value.
    pub(super) fn attribute(&mut self) -> Parsed<()> {
        self.expect_punctuation(b'(', "after .attribute")?;
        let mut depth = 1usize;
        while depth > 0 {
            if self.is_end() {
                return self.expected("')' after the attribute");
            }
            if self.is_punctuation(b'(') {
                depth += 1;
            } else if self.is_punctuation(b')') {
                depth -= 1;
            }
            self.advance();
        }
        Ok(())
    }

    /// Array dimensions after the name, and the size they make.
    pub(super) fn sized_variable(
        &mut self,
        name: &str,
        span: Span,
        space: StateSpace,
        declared: DeclaredType,
    ) -> Parsed<Variable> {
        let mut dimensions = Vec::new();
        while self.take_punctuation(b'[') {
            let is_open = self.is_punctuation(b']');
            dimensions.push(if is_open { 0 } else { self.integer_constant("an array size")? });
            self.expect_punctuation(b']', "after the array size")?;
        }
        let unit_bytes = u64::from(declared.element.bytes() * declared.vector_elements);
        let Some(size_bytes) = array_bytes(unit_bytes, &dimensions) else {
            let message = format!("'{name}' is larger than {MAX_VARIABLE_BYTES} bytes");
            return Err(Box::new(Diagnostic::new(span, message)));
        };
        Ok(Variable {
            name: name.to_string(),
            space,
            element: declared.element,
            vector_elements: declared.vector_elements,
            dimensions,
            align_bytes: declared.align_bytes.unwrap_or(unit_bytes as u32),
            size_bytes,
            linkage: Linkage::Internal,
            initializer: None,
            points_to: declared.points_to,
            span,
        })
    }

    fn declare(&mut self, name: &'src str, variable: Variable, is_global: bool) -> Parsed<()> {
        if !is_global {
            let id = VariableId(self.code.body.variables.len() as u32);
            self.code.body.variables.push(variable);
            return self.bind(name, Symbol::Local(id));
        }
        if let Some(Binding::Symbol(Symbol::Global(id))) = self.names.look_up(name) {
            return self.complete_extern(id, variable);
        }
        let id = VariableId(self.module.globals.len() as u32);
        self.module.globals.push(variable);
        self.bind(name, Symbol::Global(id))
    }

    /// A second declaration of a module variable: one of the two must be `.extern`, `.weak` or `.common`.
    fn complete_extern(&mut self, id: VariableId, variable: Variable) -> Parsed<()> {
        let known = &mut self.module.globals[id.index()];
        let may_repeat = |linkage| matches!(linkage, Linkage::Extern | Linkage::Weak | Linkage::Common);
        if !may_repeat(known.linkage) && !may_repeat(variable.linkage) {
            let message = format!("'{}' is already declared in line {}", variable.name, known.span.line);
            return Err(Box::new(Diagnostic::new(variable.span, message).with_hint("rename one of the two")));
        }
        if known.linkage == Linkage::Extern || known.initializer.is_none() && variable.initializer.is_some() {
            *known = variable;
        }
        Ok(())
    }

    fn bind(&mut self, name: &'src str, symbol: Symbol) -> Parsed<()> {
        let span = self.previous;
        if self.names.bind(name, Binding::Symbol(symbol)).is_none() {
            return Ok(());
        }
        let message = format!("'{name}' is already declared in this scope");
        Err(Box::new(Diagnostic::new(span, message).with_hint("rename one of the two")))
    }

    /// `(.param .u64 a, .param .align 4 .b8 b[12])`; without a parenthesis the list is empty.
    pub(super) fn parameter_list(&mut self) -> Parsed<Vec<(&'src str, Variable)>> {
        if !self.take_punctuation(b'(') || self.take_punctuation(b')') {
            return Ok(Vec::new());
        }
        self.items(b')', "or ')' after a parameter", Self::parameter)
    }

    fn parameter(&mut self) -> Parsed<(&'src str, Variable)> {
        let space = match self.text() {
            ".param" => StateSpace::Parameter,
            ".reg" => StateSpace::Register,
            _ => return self.expected("'.param' or '.reg'"),
        };
        self.advance();
        let declared = self.declared_type()?;
        let (name, span) = self.expect_name("the name of a parameter")?;
        Ok((name, self.sized_variable(name, span, space, declared)?))
    }
}

/// Bytes of an array; `None` when it is too large. `name[]` has none yet, but each of its rows must have a size that
/// is allowed.
fn array_bytes(unit_bytes: u64, dimensions: &[u64]) -> Option<u64> {
    let (outermost, inner) = dimensions.split_first().unwrap_or((&1, &[]));
    let row_bytes = inner.iter().try_fold(unit_bytes, |size, count| size.checked_mul((*count).max(1)))?;
    let has_empty_rows = inner.contains(&0);
    let size_bytes = row_bytes.checked_mul((*outermost).max(1)).filter(|size| *size <= MAX_VARIABLE_BYTES)?;
    Some(if *outermost == 0 || has_empty_rows { 0 } else { size_bytes })
}
