//! Sizes, shapes, names and CSV fields as text.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_quotes_stay_inside_their_field() {
        assert_eq!(quoted("a.b"), "a.b");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
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
