//! Literals (PTX ISA, "Constants").
//!
//! | form                    | value                                    |
//! |-------------------------|------------------------------------------|
//! | `123`, `0x7f`, `017`, `0b101`, each also with `U` | 64-bit integer |
//! | `0f3F800000`, `0F…`     | bits of a single, exactly 8 digits       |
//! | `0d3FF0000000000000`, `0D…` | bits of a double, exactly 16 digits   |
//! | `1.5`, `1e-5`           | double                                   |

use crate::ast::Immediate;

/// The value of a literal, or what is wrong with it.
pub fn read_literal(text: &str) -> Result<Immediate, &'static str> {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.get(1)) {
        (Some(b'0'), Some(b'f' | b'F')) if text.len() == 10 => u32::from_str_radix(&text[2..], 16)
            .map(Immediate::F32)
            .map_err(|_| "a single-precision literal is 0f and 8 hexadecimal digits"),
        (Some(b'0'), Some(b'f' | b'F')) => Err("a single-precision literal is 0f and 8 hexadecimal digits"),
        (Some(b'0'), Some(b'd' | b'D')) if text.len() == 18 => u64::from_str_radix(&text[2..], 16)
            .map(Immediate::F64)
            .map_err(|_| "a double-precision literal is 0d and 16 hexadecimal digits"),
        (Some(b'0'), Some(b'd' | b'D')) => Err("a double-precision literal is 0d and 16 hexadecimal digits"),
        (Some(b'0'), Some(b'x' | b'X')) => integer(&text[2..], 16),
        (Some(b'0'), Some(b'b' | b'B')) => integer(&text[2..], 2),
        _ if text.contains(['.', 'e', 'E']) => decimal_float(text),
        (Some(b'0'), Some(b'0'..=b'9')) => integer(&text[1..], 8),
        _ => integer(text, 10),
    }
}

fn integer(digits: &str, radix: u32) -> Result<Immediate, &'static str> {
    let digits = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
    // from_str_radix takes a sign, which no caller passes, but an empty string must not be zero.
    u64::from_str_radix(digits, radix)
        .map(Immediate::Integer)
        .map_err(|_| "an integer literal must fit in 64 bits and have digits of its radix only")
}

fn decimal_float(text: &str) -> Result<Immediate, &'static str> {
    text.parse::<f64>()
        .map(|value| Immediate::F64(value.to_bits()))
        .map_err(|_| "a decimal floating-point literal is digits, a point, digits and an optional exponent")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_its_value() {
        for (text, value) in [
            ("0", 0),
            ("123", 123),
            ("0x7FU", 127),
            ("0XfF", 255),
            ("017", 15),
            ("0b101", 5),
            ("4294967295U", u64::from(u32::MAX)),
            ("0xffffffffffffffff", u64::MAX),
        ] {
            assert_eq!(read_literal(text), Ok(Immediate::Integer(value)), "{text}");
        }
        assert_eq!(read_literal("0f3F800000"), Ok(Immediate::F32(1.0f32.to_bits())));
        assert_eq!(read_literal("0D3ff0000000000000"), Ok(Immediate::F64(1.0f64.to_bits())));
        assert_eq!(read_literal("1.5e-3"), Ok(Immediate::F64(1.5e-3f64.to_bits())));
    }

    #[test]
    fn malformed_literals_are_errors() {
        for text in
            ["0x", "0b12", "08", "12ab", "0f3F8", "0d12", "1.2.3", "18446744073709551616", "0fzzzzzzzz"]
        {
            assert!(read_literal(text).is_err(), "{text}");
        }
    }
}
