//! What the TOML and JSON readers say, in the words of the file: keys, lists, sections and numbers, no type names.

use crate::suggestion::suggestion;

/// A reader's message in plain words, and advice where it names what is allowed.
///
/// The readers put names into backquotes: first the one that is wrong, then those that are known.
pub fn plain(message: &str) -> (String, Option<String>) {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let known = words.get(1..).unwrap_or_default();
    match (words.first(), message) {
        (Some(key), text) if text.starts_with("unknown field") => {
            (format!("unknown key {key:?}"), Some(suggestion(key, known)))
        }
        (Some(value), text) if text.starts_with("unknown variant") => {
            (format!("{value:?} is not allowed"), Some(format!("allowed: {}", known.join(", "))))
        }
        (Some(key), text) if text.starts_with("missing field") => {
            (format!("the key {key:?} is missing{}", place_of(text)), None)
        }
        (_, text) => (mismatch(text).unwrap_or_else(|| text.to_owned()), None),
    }
}

/// The same in one sentence.
pub fn plain_sentence(message: &str) -> String {
    match plain(message) {
        (what, Some(advice)) => format!("{what}; {advice}"),
        (what, None) => what,
    }
}

/// ` at line 3 column 7`, where the JSON reader says so.
fn place_of(text: &str) -> &str {
    text.find(" at line ").map_or("", |at| &text[at..])
}

/// `invalid type: string "a", expected u32` as `expected an integer from 0 to 4294967295, found "a"`.
fn mismatch(text: &str) -> Option<String> {
    if text.starts_with("data did not match any variant") {
        return Some("expected a number".to_owned());
    }
    let rest = ["invalid type: ", "invalid value: "].iter().find_map(|start| text.strip_prefix(start))?;
    let (found, wanted) = rest.split_once(", expected ")?;
    let place = place_of(wanted);
    let wanted = wanted.strip_suffix(place).unwrap_or(wanted);
    Some(format!("expected {}, found {}{place}", in_words(wanted), value(found)))
}

fn in_words(wanted: &str) -> String {
    let to = |most: u64| format!("an integer from 0 to {most}");
    match wanted {
        "u8" => to(u64::from(u8::MAX)),
        "u16" => to(u64::from(u16::MAX)),
        "u32" => to(u64::from(u32::MAX)),
        "u64" | "usize" => "an integer from 0".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a section".to_owned(),
        "path string" | "string or map" => "a string".to_owned(),
        other if other.starts_with("struct ") => "a section".to_owned(),
        other if other.starts_with("enum ") => "a string".to_owned(),
        other => other.to_owned(),
    }
}

/// A value as the file has it.
fn value(found: &str) -> String {
    let quoted = found.split('`').nth(1);
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "a section".to_owned(),
        "null" | "unit value" => "nothing".to_owned(),
        text => quoted.or(text.strip_prefix("string ")).unwrap_or(text).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_readers_have_no_words_of_the_language() {
        for (message, expected) in [
            (
                "unknown field `gird`, expected one of `kernel`, `grid`",
                "unknown key \"gird\"; did you mean \"grid\"? (known: kernel, grid)",
            ),
            ("unknown variant `x`, expected `a` or `b`", "\"x\" is not allowed; allowed: a, b"),
            ("missing field `seed`", "the key \"seed\" is missing"),
            ("missing field `format` at line 1 column 2", "the key \"format\" is missing at line 1 column 2"),
            ("invalid type: string \"abc\", expected usize", "expected an integer from 0, found \"abc\""),
            (
                "invalid value: integer `-1`, expected u32",
                "expected an integer from 0 to 4294967295, found -1",
            ),
            ("invalid type: sequence, expected struct Random", "expected a section, found a list"),
            (
                "invalid type: floating point `1.5`, expected u64 at line 2 column 3",
                "expected an integer from 0, found 1.5 at line 2 column 3",
            ),
            ("data did not match any variant of untagged enum Number", "expected a number"),
            ("key with no value, expected `=`", "key with no value, expected `=`"),
        ] {
            assert_eq!(plain_sentence(message), expected);
        }
    }
}
