//! Constant expressions (PTX ISA, "Constant Expressions").
//!
//! C's operators and precedence. Integers are 64 bits wide; a value is unsigned when a literal has the suffix `U`, when
//! it does not fit in a signed 64-bit integer, when it is cast to `.u64`, or when an operand of it is unsigned.
//! Floating-point literals take part in nothing but a sign, a cast and the conditional operator.

use super::{MAX_NESTING, Parsed, Parser};
use crate::ast::Immediate;
use crate::diagnostic::Diagnostic;
use crate::literal::read_literal;
use crate::scanner::TokenKind;

/// A constant while it is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Constant {
    /// Its value.
    pub value: Immediate,
    /// Whether an integer is unsigned.
    is_unsigned: bool,
}

/// Binary operators by precedence, loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    /// A constant expression.
    pub(super) fn constant(&mut self) -> Parsed<Immediate> {
        Ok(self.conditional(0)?.value)
    }

    /// A constant expression that must be an integer.
    pub(super) fn integer_constant(&mut self, what: &str) -> Parsed<u64> {
        let span = self.token.span;
        if !self.starts_constant() {
            return self.expected(what);
        }
        match self.conditional(0)?.value {
            Immediate::Integer(value) => Ok(value),
            Immediate::F32(_) | Immediate::F64(_) => {
                let message = format!("expected {what}, found a floating-point constant");
                Err(Box::new(Diagnostic::new(span.to(self.previous), message)))
            }
        }
    }

    /// Whether the token can start a constant.
    pub(super) fn starts_constant(&self) -> bool {
        match self.token.kind {
            TokenKind::Number => true,
            TokenKind::Punctuation(byte) => matches!(byte, b'-' | b'+' | b'~' | b'!' | b'('),
            TokenKind::Word => self.text() == "WARP_SZ",
            _ => false,
        }
    }

    fn conditional(&mut self, depth: usize) -> Parsed<Constant> {
        let condition = self.binary(0, depth)?;
        if !self.take_punctuation(b'?') {
            return Ok(condition);
        }
        let if_true = self.nested(depth, Self::conditional)?;
        self.expect_punctuation(b':', "between the branches of '?'")?;
        let if_false = self.nested(depth, Self::conditional)?;
        let mut chosen = if is_true(condition.value) { if_true } else { if_false };
        chosen.is_unsigned = if_true.is_unsigned || if_false.is_unsigned;
        Ok(chosen)
    }

    fn nested(&mut self, depth: usize, parse: fn(&mut Self, usize) -> Parsed<Constant>) -> Parsed<Constant> {
        if depth >= MAX_NESTING {
            let message = format!("this constant expression is nested deeper than {MAX_NESTING} levels");
            return Err(Box::new(Diagnostic::new(self.token.span, message)));
        }
        parse(self, depth + 1)
    }

    /// Precedence climbing; recursion is bounded by the number of levels.
    fn binary(&mut self, level: usize, depth: usize) -> Parsed<Constant> {
        let Some(operators) = LEVELS.get(level) else { return self.unary(depth) };
        let mut left = self.binary(level + 1, depth)?;
        loop {
            let span = self.token.span;
            let operator = match self.token.kind {
                TokenKind::Punctuation(_) | TokenKind::Operator(..) => self.text(),
                _ => return Ok(left),
            };
            if !operators.contains(&operator) {
                return Ok(left);
            }
            self.advance();
            let right = self.binary(level + 1, depth)?;
            left = apply(operator, left, right)
                .map_err(|message| Box::new(Diagnostic::new(span.to(self.previous), message)))?;
        }
    }

    fn unary(&mut self, depth: usize) -> Parsed<Constant> {
        let span = self.token.span;
        match self.token.kind {
            TokenKind::Punctuation(sign @ (b'-' | b'+' | b'~' | b'!')) => {
                self.advance();
                let operand = self.nested(depth, Self::unary)?;
                negate(sign, operand).map_err(|message| Box::new(Diagnostic::new(span, message)))
            }
            TokenKind::Punctuation(b'(') => {
                self.advance();
                if self.is_dotted() {
                    return self.cast(depth);
                }
                let inner = self.nested(depth, Self::conditional)?;
                self.expect_punctuation(b')', "after the expression")?;
                Ok(inner)
            }
            _ => self.primary(),
        }
    }

    /// `(.s64) x` or `(.u64) x`; the parenthesis is already taken.
    fn cast(&mut self, depth: usize) -> Parsed<Constant> {
        let is_unsigned = match self.text() {
            ".u64" => true,
            ".s64" => false,
            _ => return self.expected("'.s64' or '.u64' in a cast"),
        };
        self.advance();
        self.expect_punctuation(b')', "after the type of a cast")?;
        let operand = self.nested(depth, Self::unary)?;
        let value = match operand.value {
            Immediate::Integer(value) => value,
            Immediate::F32(bits) => f32::from_bits(bits) as i64 as u64,
            Immediate::F64(bits) => f64::from_bits(bits) as i64 as u64,
        };
        Ok(Constant { value: Immediate::Integer(value), is_unsigned })
    }

    fn primary(&mut self) -> Parsed<Constant> {
        let span = self.token.span;
        if self.take_word("WARP_SZ") {
            return Ok(Constant { value: Immediate::Integer(super::names::WARP_SIZE), is_unsigned: false });
        }
        if self.token.kind != TokenKind::Number {
            return self.expected("a constant");
        }
        let text = self.text();
        let value = read_literal(text).map_err(|why| {
            let message = format!("'{}' is not a literal", super::shorten(text));
            Box::new(Diagnostic::new(span, message).with_hint(why))
        })?;
        self.advance();
        let is_large = matches!(value, Immediate::Integer(value) if value > i64::MAX as u64);
        Ok(Constant { value, is_unsigned: is_large || text.ends_with(['U', 'u']) })
    }
}

fn is_true(value: Immediate) -> bool {
    match value {
        Immediate::Integer(value) => value != 0,
        Immediate::F32(bits) => f32::from_bits(bits) != 0.0,
        Immediate::F64(bits) => f64::from_bits(bits) != 0.0,
    }
}

fn negate(sign: u8, operand: Constant) -> Result<Constant, String> {
    let value = match (sign, operand.value) {
        (b'+', value) => value,
        (b'-', Immediate::Integer(value)) => Immediate::Integer(value.wrapping_neg()),
        (b'-', Immediate::F32(bits)) => Immediate::F32(bits ^ 1 << 31),
        (b'-', Immediate::F64(bits)) => Immediate::F64(bits ^ 1 << 63),
        (b'~', Immediate::Integer(value)) => Immediate::Integer(!value),
        (b'!', value) => Immediate::Integer(u64::from(!is_true(value))),
        _ => return Err("'~' works on integers only".to_string()),
    };
    Ok(Constant { value, is_unsigned: operand.is_unsigned && sign != b'!' })
}

fn apply(operator: &str, left: Constant, right: Constant) -> Result<Constant, String> {
    let (Immediate::Integer(a), Immediate::Integer(b)) = (left.value, right.value) else {
        return Err(format!("'{operator}' in a constant expression works on integers only"));
    };
    // The count of a shift does not decide whether the result is signed.
    let is_shift = matches!(operator, "<<" | ">>");
    let is_unsigned = left.is_unsigned || right.is_unsigned && !is_shift;
    let (signed_a, signed_b) = (a as i64, b as i64);
    let order = if is_unsigned { a.cmp(&b) } else { signed_a.cmp(&signed_b) };
    let is_comparison = matches!(operator, "||" | "&&" | "==" | "!=" | "<" | ">" | "<=" | ">=");
    let value = match operator {
        "||" => u64::from(a != 0 || b != 0),
        "&&" => u64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => u64::from(a == b),
        "!=" => u64::from(a != b),
        "<" => u64::from(order.is_lt()),
        ">" => u64::from(order.is_gt()),
        "<=" => u64::from(order.is_le()),
        ">=" => u64::from(order.is_ge()),
        "<<" => a.checked_shl(b.min(64) as u32).unwrap_or(0),
        ">>" if is_unsigned => a.checked_shr(b.min(64) as u32).unwrap_or(0),
        ">>" => (signed_a >> b.min(63)) as u64,
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return Err("division by zero in a constant expression".to_string()),
        "/" if is_unsigned => a / b,
        "/" => signed_a.wrapping_div(signed_b) as u64,
        _ if is_unsigned => a % b,
        _ => signed_a.wrapping_rem(signed_b) as u64,
    };
    Ok(Constant { value: Immediate::Integer(value), is_unsigned: is_unsigned && !is_comparison })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(source: &str) -> Result<Immediate, String> {
        let mut parser = Parser::new(source);
        let value = parser.constant().map_err(|diagnostic| diagnostic.message)?;
        if parser.is_end() { Ok(value) } else { Err(format!("left over: {}", parser.text())) }
    }

    #[test]
    fn precedence_and_signedness_are_those_of_c() {
        for (source, value) in [
            ("1 + 2 * 3", 7i64),
            ("(1 + 2) * 3", 9),
            ("10 - 4 - 3", 3),
            ("1 << 4 | 1", 17),
            ("-7 / 2", -3),
            ("-7 % 4", -3),
            ("-8 >> 1", -4),
            ("~0 & 0xff", 255),
            ("!5 + !0", 1),
            ("3 > 2 ? 10 : 20", 10),
            ("0 ? 1 : 0 ? 2 : 3", 3),
            ("1 == 1 && 2 != 2", 0),
            ("WARP_SZ - 1", 31),
            ("-1 < 0", 1),
            ("-1 < 0U", 0),
            ("(.u64) -1 > 5", 1),
            ("(.s64) 2.75", 2),
            ("0xffffffffffffffff / 2", i64::MAX),
        ] {
            assert_eq!(evaluate(source), Ok(Immediate::Integer(value as u64)), "{source}");
        }
    }

    #[test]
    fn a_sign_flips_a_float() {
        assert_eq!(evaluate("-0f3F800000"), Ok(Immediate::F32((-1.0f32).to_bits())));
        assert_eq!(evaluate("-1.5"), Ok(Immediate::F64((-1.5f64).to_bits())));
    }

    #[test]
    fn nonsense_is_an_error_at_any_depth() {
        assert!(evaluate("1 / 0").is_err());
        assert!(evaluate("1.0 + 2").is_err());
        assert!(evaluate(&"(".repeat(100_000)).is_err());
        assert!(evaluate(&"-".repeat(100_000)).is_err());
        assert!(evaluate(&"1?".repeat(100_000)).is_err());
    }
}
