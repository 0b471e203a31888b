//! The conversions of device-side `printf`.
//!
//! CUDA's subset of C: flags `-+ #0`, width, precision, `%d i o u x X p c s f F e E g G a A %`, sizes `h hh l ll z`.
//! `*` takes its value from the arguments. Floating-point arguments are doubles.

/// What kind of argument a conversion takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// 32-bit integer.
    Int,
    /// 64-bit integer or pointer.
    Long,
    /// Double.
    Double,
    /// Pointer to a string.
    Text,
}

impl Argument {
    /// Size in the argument list.
    pub(crate) fn bytes(self) -> u32 {
        if self == Argument::Int { 4 } else { 8 }
    }
}

/// One conversion of a format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags of one conversion")]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
    letter: u8,
}

/// Longest field a format may ask for; keeps a hostile width from filling memory.
const MAX_FIELD: usize = 4096;

/// Formats, asking `next` for each argument: its bits and, for a string, its text.
pub(crate) fn format_printf(
    format: &[u8],
    out: &mut Vec<u8>,
    mut next: impl FnMut(Argument) -> (u64, Vec<u8>),
) {
    let mut rest = format;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let Some((conversion, tail)) = parse(rest, &mut next) else {
            out.push(b'%');
            continue;
        };
        rest = tail;
        put(&conversion, out, &mut next);
    }
}

fn parse<'f>(
    mut rest: &'f [u8],
    next: &mut impl FnMut(Argument) -> (u64, Vec<u8>),
) -> Option<(Conversion, &'f [u8])> {
    let mut conversion = Conversion::default();
    while let [flag @ (b'-' | b'+' | b' ' | b'#' | b'0'), tail @ ..] = rest {
        match flag {
            b'-' => conversion.left = true,
            b'+' => conversion.plus = true,
            b' ' => conversion.space = true,
            b'#' => conversion.alternate = true,
            _ => conversion.zero = true,
        }
        rest = tail;
    }
    conversion.width = number(&mut rest, next).unwrap_or(0).min(MAX_FIELD);
    if let [b'.', tail @ ..] = rest {
        rest = tail;
        conversion.precision = Some(number(&mut rest, next).unwrap_or(0).min(MAX_FIELD));
    }
    while let [size @ (b'h' | b'l' | b'z' | b'j' | b't' | b'L' | b'q'), tail @ ..] = rest {
        conversion.long |= *size != b'h';
        rest = tail;
    }
    let [letter, tail @ ..] = rest else { return None };
    conversion.letter = *letter;
    b"diouxXpcsfFeEgGaA%".contains(letter).then_some((conversion, tail))
}

/// A decimal number or `*`.
fn number(rest: &mut &[u8], next: &mut impl FnMut(Argument) -> (u64, Vec<u8>)) -> Option<usize> {
    if let [b'*', tail @ ..] = *rest {
        *rest = tail;
        return Some((next(Argument::Int).0 as i32).max(0) as usize);
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (text, tail) = rest.split_at(digits);
    *rest = tail;
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn put(conversion: &Conversion, out: &mut Vec<u8>, next: &mut impl FnMut(Argument) -> (u64, Vec<u8>)) {
    let integer = if conversion.long { Argument::Long } else { Argument::Int };
    match conversion.letter {
        b'%' => out.push(b'%'),
        b'c' => pad(conversion, out, "", &[next(Argument::Int).0 as u8]),
        b's' => {
            let (_, text) = next(Argument::Text);
            let length = conversion.precision.unwrap_or(text.len()).min(text.len());
            pad(conversion, out, "", &text[..length]);
        }
        b'p' => {
            let text = format!("{:#x}", next(Argument::Long).0);
            pad(conversion, out, "", text.as_bytes());
        }
        b'd' | b'i' => {
            let bits = next(integer).0;
            let value = if conversion.long { bits as i64 } else { i64::from(bits as u32 as i32) };
            put_number(conversion, out, sign(conversion, value < 0), &value.unsigned_abs().to_string());
        }
        b'u' => put_number(conversion, out, "", &next(integer).0.to_string()),
        b'o' => put_number(conversion, out, "", &format!("{:o}", next(integer).0)),
        b'x' | b'X' => {
            let bits = next(integer).0;
            let is_upper = conversion.letter == b'X';
            let digits = if is_upper { format!("{bits:X}") } else { format!("{bits:x}") };
            let prefix = match (conversion.alternate && bits != 0, is_upper) {
                (false, _) => "",
                (true, false) => "0x",
                (true, true) => "0X",
            };
            put_number(conversion, out, prefix, &digits);
        }
        _ => {
            let value = f64::from_bits(next(Argument::Double).0);
            let text = float_text(conversion, value.abs());
            let is_negative = value.is_sign_negative() && !value.is_nan();
            pad(conversion, out, sign(conversion, is_negative), text.as_bytes());
        }
    }
}

fn sign(conversion: &Conversion, is_negative: bool) -> &'static str {
    match (is_negative, conversion.plus, conversion.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn put_number(conversion: &Conversion, out: &mut Vec<u8>, prefix: &str, digits: &str) {
    match conversion.precision {
        Some(precision) => {
            // A precision switches zero padding off.
            let plain = Conversion { zero: false, ..conversion.clone() };
            pad(&plain, out, prefix, format!("{digits:0>precision$}").as_bytes());
        }
        None => pad(conversion, out, prefix, digits.as_bytes()),
    }
}

fn pad(conversion: &Conversion, out: &mut Vec<u8>, prefix: &str, body: &[u8]) {
    let missing = conversion.width.saturating_sub(prefix.len() + body.len());
    let (before, zeros, after) = match (conversion.left, conversion.zero) {
        (true, _) => (0, 0, missing),
        (false, true) => (0, missing, 0),
        (false, false) => (missing, 0, 0),
    };
    out.extend(std::iter::repeat_n(b' ', before));
    out.extend(prefix.as_bytes());
    out.extend(std::iter::repeat_n(b'0', zeros));
    out.extend(body);
    out.extend(std::iter::repeat_n(b' ', after));
}

fn float_text(conversion: &Conversion, value: f64) -> String {
    let precision = conversion.precision.unwrap_or(6);
    let text = match conversion.letter | 0x20 {
        _ if !value.is_finite() => {
            if value.is_nan() {
                "nan".into()
            } else {
                "inf".into()
            }
        }
        b'f' => format!("{value:.precision$}"),
        b'e' => exponent_text(value, precision),
        b'a' => format!("{value:e}"),
        _ => general_text(value, precision.max(1), conversion.alternate),
    };
    if conversion.letter.is_ascii_uppercase() { text.to_uppercase() } else { text }
}

/// C writes at least two digits and a sign in the exponent.
fn exponent_text(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// `%g`: the shorter of the two, without trailing zeros.
fn general_text(value: f64, precision: usize, keep_zeros: bool) -> String {
    let scientific = exponent_text(value, precision - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if keep_zeros || !text.contains('.') {
            return text.to_owned();
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (mantissa, tail) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{tail}", trim(mantissa));
    }
    let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
    trim(&format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(format: &str, arguments: &[u64]) -> String {
        let mut out = Vec::new();
        let mut list = arguments.iter();
        format_printf(format.as_bytes(), &mut out, |_| (list.next().copied().unwrap_or(0), b"text".to_vec()));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn conversions_are_those_of_c() {
        let half = 0.5f64.to_bits();
        for (format, arguments, expected) in [
            ("%d|%5d|%-5d|%05d", &[-7i32 as u32 as u64, 42, 42, 42][..], "-7|   42|42   |00042"),
            ("%u %x %#X %o", &[4294967295, 255, 255, 8], "4294967295 ff 0XFF 10"),
            ("%lld %llu", &[u64::MAX, u64::MAX], "-1 18446744073709551615"),
            ("%f %.2f %e %g", &[half, half, half, half], "0.500000 0.50 5.000000e-01 0.5"),
            ("%8.3f|%+d|% d", &[half, 3, 3], "   0.500|+3| 3"),
            ("%s %.2s %c%%", &[0, 0, 65], "text te A%"),
            ("%g %g", &[1e10f64.to_bits(), 1e-5f64.to_bits()], "1e+10 1e-05"),
            ("%*d|%.*f", &[4, 1, 1, half], "   1|0.5"),
            ("50%! done %", &[], "50%! done %"),
        ] {
            assert_eq!(formatted(format, arguments), expected, "{format}");
        }
    }
}
