//! Numbers as text: short on ticks, precise where a reader points.

/// How the numbers of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// `0.25`, `12`, `3.4 M`.
    #[default]
    Plain,
    /// A ratio: `1.5×`.
    Times,
    /// A share from 0 to 1: `35 %`.
    Percent,
    /// A change from 0: `+12 %`, `−3 %`.
    Change,
    /// One over a whole number: `1/4`; others as plain.
    Fraction,
}

/// Larger numbers first, so that the first that fits is taken.
const PREFIXES: [(f64, &str); 4] = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
/// Numbers below this are written out.
const WRITTEN_OUT: f64 = 1e4;

impl Format {
    /// For a tick: no digits that say nothing.
    pub fn short(self, value: f64) -> String {
        self.written(value, 3)
    }

    /// For a read-out.
    pub fn precise(self, value: f64) -> String {
        self.written(value, 4)
    }

    /// For a place on an axis that no other place may share.
    pub(super) fn exact(self, value: f64) -> String {
        match self {
            Self::Fraction => self.precise(value),
            _ => value.to_string(),
        }
    }

    fn written(self, value: f64, digits: usize) -> String {
        match self {
            Self::Plain => plain(value, digits),
            Self::Times => format!("{}×", plain(value, digits)),
            Self::Percent => format!("{} %", plain(100.0 * value, digits)),
            Self::Change => change(value, digits),
            Self::Fraction => fraction(value, digits),
        }
    }
}

/// A hundredth of a per cent is the least change that says something.
fn change(value: f64, digits: usize) -> String {
    let percent = (1e4 * value).round() / 100.0;
    let sign = if percent > 0.0 { "+" } else { "" };
    format!("{sign}{} %", plain(percent, digits))
}

fn fraction(value: f64, digits: usize) -> String {
    let whole = (1.0 / value).round();
    if value > 0.0 && value < 1.0 && (1.0 / value - whole).abs() < 1e-6 {
        format!("1/{whole}")
    } else {
        plain(value, digits)
    }
}

/// A number with `digits` significant digits, without trailing zeros.
fn plain(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let magnitude = value.abs();
    if magnitude >= WRITTEN_OUT
        && let Some((one, prefix)) = PREFIXES.iter().find(|(one, _)| magnitude >= *one)
    {
        return rounded(value / one, digits) + prefix;
    }
    if magnitude < 1e-4 && value != 0.0 {
        return format!("{value:.1e}").replace('-', "−");
    }
    rounded(value, digits)
}

fn rounded(value: f64, digits: usize) -> String {
    let exponent = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_have_no_digits_that_say_nothing() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.001, "0.001"),
            (0.25, "0.25"),
            (1.5, "1.5"),
            (2.0, "2"),
            (-3.0, "−3"),
            (128.0, "128"),
            (9999.0, "9999"),
            (34_000.0, "34 k"),
            (3_400_000.0, "3.4 M"),
            (0.000_02, "2.0e−5"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(Format::Plain.short(value), text);
        }
    }

    #[test]
    fn every_format_has_its_sign() {
        assert_eq!(Format::Times.short(1.5), "1.5×");
        assert_eq!(Format::Percent.short(0.35), "35 %");
        assert_eq!(Format::Change.short(0.12), "+12 %");
        assert_eq!(Format::Change.short(-0.03), "−3 %");
        assert_eq!(Format::Change.short(-0.000_02), "0 %");
        assert_eq!(Format::Fraction.short(0.125), "1/8");
        assert_eq!(Format::Fraction.short(1.0), "1");
    }

    #[test]
    fn a_read_out_has_one_digit_more() {
        assert_eq!(Format::Plain.short(1.2345), "1.23");
        assert_eq!(Format::Plain.precise(1.2345), "1.234");
    }
}
