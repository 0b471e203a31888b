//! `= { … }` after a variable.
//!
//! Elements fill the array in memory order; an inner brace starts at the next multiple of its dimension and leaves
//! the rest of it zero.

use super::names::Binding;
use super::{MAX_NESTING, Parsed, Parser};
use crate::ast::{Immediate, Initializer, Relocation, Span, Symbol, Variable, VariableType};
use crate::diagnostic::Diagnostic;
use crate::isa::ScalarType;
use crate::scanner::TokenKind;

/// More initialised data than any compiler writes into a module; sparse nested braces must not ask for more.
const MAX_INITIALIZED_BYTES: u64 = 1 << 28;

/// State while one initialiser is read.
struct Fill {
    scalar: ScalarType,
    /// Elements under one index of each brace level, outermost first; the last is 1.
    strides: Vec<u64>,
    /// Elements in all; `None` when `name[]` takes its size from here.
    capacity: Option<u64>,
    /// Next element.
    position: u64,
    out: Initializer,
}

impl Parser<'_> {
    /// Reads the right-hand side into `variable`.
    pub(super) fn initializer(&mut self, variable: &mut Variable) -> Parsed<()> {
        let VariableType::Scalar(scalar) = variable.element else {
            // Texture and sampler references are bound by the host; the defaults written here are not used.
            return self.skip_braces();
        };
        let mut fill = Fill::new(scalar, variable);
        if self.is_punctuation(b'{') {
            self.fill_braces(&mut fill, 0)?;
        } else {
            self.fill_element(&mut fill)?;
        }
        if fill.capacity.is_none() {
            let stride = fill.strides.first().copied().unwrap_or(1);
            let rows = fill.position.div_ceil(stride);
            variable.dimensions[0] = rows;
            variable.size_bytes = rows * stride * u64::from(scalar.bytes());
        }
        self.initialized_bytes += fill.out.bytes.len() as u64;
        fill.out.bytes.resize(fill.out.bytes.len().min(variable.size_bytes as usize), 0);
        variable.initializer = Some(fill.out);
        Ok(())
    }

    /// One brace level: `strides[level]` elements belong to each index of it.
    fn fill_braces(&mut self, fill: &mut Fill, level: usize) -> Parsed<()> {
        let open = self.advance().span;
        if level > fill.strides.len() || level >= MAX_NESTING {
            return Err(Box::new(Diagnostic::new(open, "more braces than the array has dimensions")));
        }
        if level > 0 {
            self.next_byte(fill, open)?;
        }
        let stride = fill.strides.get(level).copied().unwrap_or(1);
        while !self.take_punctuation(b'}') {
            if self.is_punctuation(b'{') {
                let start = fill.position.next_multiple_of(stride);
                fill.position = start;
                self.fill_braces(fill, level + 1)?;
                fill.position = start + stride;
            } else {
                self.fill_element(fill)?;
            }
            if !self.take_punctuation(b',') {
                self.expect_punctuation(b'}', "or ',' in the initialiser")?;
                break;
            }
        }
        Ok(())
    }

    fn fill_element(&mut self, fill: &mut Fill) -> Parsed<()> {
        let span = self.token.span;
        let at_byte = self.next_byte(fill, span)?;
        let is_mask = self.token.kind == TokenKind::Number && self.ahead.kind == TokenKind::Punctuation(b'(');
        if is_mask || self.token.kind == TokenKind::Word && !self.is_word("WARP_SZ") {
            let relocation = self.relocation(at_byte, fill.scalar)?;
            fill.write(at_byte, 0);
            fill.out.relocations.push(relocation);
        } else {
            let value = self.constant()?;
            let bits = stored_bits(fill.scalar, value).ok_or_else(|| {
                let message =
                    format!("a floating-point constant cannot initialise .{}", fill.scalar.spelling());
                Box::new(Diagnostic::new(span, message))
            })?;
            fill.write(at_byte, bits);
        }
        fill.position += 1;
        Ok(())
    }

    /// Offset of the next element, or why there can be none.
    fn next_byte(&self, fill: &Fill, span: Span) -> Parsed<u64> {
        let refuse = |message: String| Err(Box::new(Diagnostic::new(span, message)));
        if fill.capacity.is_some_and(|capacity| fill.position >= capacity) {
            return refuse("more initialisers than the variable has elements".into());
        }
        let at_byte = fill.position * u64::from(fill.scalar.bytes());
        if self.initialized_bytes + at_byte >= MAX_INITIALIZED_BYTES {
            return refuse(format!("the initialisers cover more than {MAX_INITIALIZED_BYTES} bytes"));
        }
        Ok(at_byte)
    }

    /// `name`, `name+4`, `generic(name)+4`, `0xff00(name)`.
    fn relocation(&mut self, at_byte: u64, scalar: ScalarType) -> Parsed<Relocation> {
        let mut byte_of_address = None;
        if self.token.kind == TokenKind::Number {
            byte_of_address = Some(self.byte_mask()?);
            self.expect_punctuation(b'(', "after the mask")?;
        }
        let is_generic = self.is_word("generic") && self.ahead.kind == TokenKind::Punctuation(b'(');
        if is_generic {
            self.advance();
            self.advance();
        }
        let (name, span) = self.expect_name("a constant or the name of a variable or function")?;
        let symbol = self.initializer_symbol(name, span)?;
        let mut addend = self.addend()?;
        if is_generic {
            self.expect_punctuation(b')', "after generic(…")?;
            addend = addend.wrapping_add(self.addend()?);
        }
        if byte_of_address.is_some() {
            self.expect_punctuation(b')', "after the masked address")?;
        }
        Ok(Relocation { at_byte, width_bytes: scalar.bytes(), symbol, addend, is_generic, byte_of_address })
    }

    /// `0xff`, `0xff00`, …: which byte of the address is wanted.
    fn byte_mask(&mut self) -> Parsed<u32> {
        let text = self.text();
        let value = match crate::literal::read_literal(text) {
            Ok(Immediate::Integer(value)) => value,
            _ => 0,
        };
        match (0..8).find(|byte| 0xff << (8 * byte) == value) {
            Some(byte) => {
                self.advance();
                Ok(byte)
            }
            None => self.expected("a mask of one whole byte such as 0xff00"),
        }
    }

    fn initializer_symbol(&self, name: &str, span: Span) -> Parsed<Symbol> {
        if let Some(Binding::Symbol(symbol @ (Symbol::Global(_) | Symbol::Function(_)))) =
            self.names.look_up(name)
        {
            return Ok(symbol);
        }
        let message = format!("'{name}' is not a variable or function of this module");
        Err(Box::new(Diagnostic::new(span, message).with_hint("declare it before it is used")))
    }

    /// `+ 4` or `- 4`, or nothing.
    pub(super) fn addend(&mut self) -> Parsed<i64> {
        if self.take_punctuation(b'+') {
            return Ok(self.integer_constant("an offset in bytes")? as i64);
        }
        if self.is_punctuation(b'-') {
            return Ok(self.integer_constant("an offset in bytes")? as i64);
        }
        Ok(0)
    }
}

impl Fill {
    fn new(scalar: ScalarType, variable: &Variable) -> Fill {
        let mut extents = variable.dimensions.clone();
        if variable.vector_elements > 1 {
            extents.push(u64::from(variable.vector_elements));
        }
        let is_open = variable.dimensions.first() == Some(&0);
        let mut strides: Vec<u64> = Vec::with_capacity(extents.len());
        let mut stride = 1u64;
        for extent in extents.iter().rev() {
            strides.push(stride.max(1));
            stride = stride.saturating_mul(*extent);
        }
        strides.reverse();
        let elements = variable.size_bytes / u64::from(scalar.bytes());
        let capacity = (!is_open).then_some(elements);
        Fill { scalar, strides, capacity, position: 0, out: Initializer::default() }
    }

    fn write(&mut self, at_byte: u64, bits: u64) {
        let width = self.scalar.bytes() as usize;
        let at = at_byte as usize;
        if self.out.bytes.len() < at + width {
            self.out.bytes.resize(at + width, 0);
        }
        for (offset, byte) in self.out.bytes[at..at + width].iter_mut().enumerate() {
            *byte = if offset < 8 { (bits >> (8 * offset)) as u8 } else { 0 };
        }
    }
}

/// The bits of a constant in a variable of that type; `None` when there is no sensible conversion.
fn stored_bits(scalar: ScalarType, value: Immediate) -> Option<u64> {
    Some(match (scalar, value) {
        (ScalarType::F32, Immediate::Integer(value)) => u64::from((value as i64 as f32).to_bits()),
        (ScalarType::F32, Immediate::F64(bits)) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (ScalarType::F64, Immediate::Integer(value)) => (value as i64 as f64).to_bits(),
        (ScalarType::F64, Immediate::F32(bits)) => f64::from(f32::from_bits(bits)).to_bits(),
        (_, Immediate::Integer(value)) => value,
        (ScalarType::F32 | ScalarType::B32, Immediate::F32(bits)) => u64::from(bits),
        (ScalarType::F64 | ScalarType::B64, Immediate::F64(bits)) => bits,
        _ => return None,
    })
}
