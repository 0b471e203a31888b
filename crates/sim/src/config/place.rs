//! Where a key is in a TOML text, and which key is at a place.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// Where the value of `key` is in `text`.
pub fn span_of(text: &str, key: &str) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let mut span = None;
    let mut table = Some(root.get_ref());
    for part in key.split('.') {
        let (_, value) = table?.iter().find(|(name, _)| name.get_ref() == part)?;
        span = Some(value.span());
        table = match value.get_ref() {
            DeValue::Table(inner) => Some(inner),
            _ => None,
        };
    }
    span
}

/// The key whose name or value covers byte `at` of `text`.
pub fn key_at(text: &str, at: usize) -> Option<String> {
    fn search(table: &DeTable<'_>, at: usize, prefix: &str) -> Option<String> {
        for (name, value) in table {
            let key = if prefix.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{prefix}.{}", name.get_ref())
            };
            if let DeValue::Table(inner) = value.get_ref()
                && let Some(found) = search(inner, at, &key)
            {
                return Some(found);
            }
            if name.span().contains(&at) || value.span().contains(&at) {
                return Some(key);
            }
        }
        None
    }
    search(DeTable::parse(text).ok()?.get_ref(), at, "")
}
