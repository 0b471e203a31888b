//! Sizes, shapes, names and CSV fields as text.

use std::borrow::Cow;

/// Bytes in binary units, with one decimal from KiB on.
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

/// Bytes in decimal units, as rates and traffic are told, with three digits.
pub fn decimal_bytes(bytes: f64) -> String {
    scaled(bytes, &["B", "kB", "MB", "GB", "TB"])
}

/// Joules in the unit that leaves one to three digits before the point.
pub fn joules(value: f64) -> String {
    scaled(value * 1e9, &["nJ", "uJ", "mJ", "J", "kJ"])
}

/// A value in the first of some units, each a thousand of the one before, that leaves less than a thousand.
fn scaled(value: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let unit = units.get(unit).copied().unwrap_or_default();
    if value.fract() == 0.0 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

/// Extents with × between them.
pub fn shape(extents: &[u64]) -> String {
    if extents.is_empty() {
        return "scalar".to_owned();
    }
    extents.iter().map(u64::to_string).collect::<Vec<_>>().join("×")
}

/// The end of a name that is longer than `width` characters: names of tensors differ there.
pub fn cut(name: &str, width: usize) -> String {
    let count = name.chars().count();
    if count <= width {
        return name.to_owned();
    }
    let kept: String = name.chars().skip(count - width + 1).collect();
    format!("…{kept}")
}

/// A field of a CSV line, in quotes where RFC 4180 wants them.
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", field.replace('"', "\"\""));
    }
    field.to_owned()
}

/// Text for a terminal: control characters, which could move the cursor or hide what was printed, become escapes in
/// the notation of JSON. Line ends and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        assert_eq!(printable("a\tb\n"), "a\tb\n");
        assert_eq!(printable("\u{1b}[2Jx\u{9b}1m\u{7f}"), "\\u001b[2Jx\\u009b1m\\u007f");
    }

    #[test]
    fn commas_and_quotes_stay_inside_their_field() {
        assert_eq!(quoted("a.b"), "a.b");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

    #[test]
    fn small_and_large_amounts_have_a_unit_that_shows_them() {
        assert_eq!(
            ["0 B", "768 B", "1.5 kB", "2 MB"],
            [0.0, 768.0, 1500.0, 2e6].map(decimal_bytes).each_ref().map(String::as_str)
        );
        assert_eq!([joules(2.5e-6), joules(0.25), joules(3.0)], ["2.5 uJ", "250 mJ", "3 J"]);
    }

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(human_bytes(1023), "1023 B");
        assert_eq!(human_bytes(1536), "1.5 KiB");
        assert_eq!(human_bytes(3 << 40), "3.0 TiB");
    }

    #[test]
    fn the_end_of_a_long_name_is_kept() {
        assert_eq!(cut("weight", 6), "weight");
        assert_eq!(cut("layer.weight", 7), "…weight");
    }
}
