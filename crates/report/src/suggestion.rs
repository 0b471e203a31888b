//! Which known name is nearest to an unknown one?

/// "did you mean …?" where a known name is near, and the list of all.
pub fn suggestion(name: &str, known: &[&str]) -> String {
    let distance = |word: &str| strsim::damerau_levenshtein(name, word);
    let all =
        if known.is_empty() { "there are none".to_owned() } else { format!("known: {}", known.join(", ")) };
    match known.iter().min_by_key(|word| distance(word)) {
        Some(near) if distance(near) <= (name.len() / 3).max(1) => {
            format!("did you mean {near:?}? ({all})")
        }
        _ => all,
    }
}

/// Advice for a message of the TOML reader: its backquoted words are the unknown key and then the known ones.
pub fn for_unknown_field(message: &str) -> Option<String> {
    if !message.starts_with("unknown field") && !message.starts_with("unknown variant") {
        return None;
    }
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (unknown, known) = words.split_first()?;
    Some(suggestion(unknown, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        assert_eq!(suggestion("gird", &["grid", "block"]), "did you mean \"grid\"? (known: grid, block)");
        assert_eq!(suggestion("weight", &["grid", "block"]), "known: grid, block");
        assert_eq!(suggestion("x", &[]), "there are none");
    }

    #[test]
    fn the_words_of_the_toml_reader_are_understood() {
        let advice = for_unknown_field("unknown field `gird`, expected one of `kernel`, `grid`").unwrap();
        assert_eq!(advice, "did you mean \"grid\"? (known: kernel, grid)");
        assert_eq!(for_unknown_field("invalid type"), None);
    }
}
