//! Which known name is nearest to an unknown one? The one place that builds "did you mean …?".

/// A list of at most this many names is shown whole.
const SHORT_LIST: usize = 12;
/// Of a longer one the nearest are shown.
const NEAREST: usize = 3;

/// "did you mean …?" where a known name is near, and all known names or, of many, the nearest.
pub fn suggestion(name: &str, known: &[&str]) -> String {
    suggestion_among(name, known, "known", "")
}

/// The same where the list needs words of its own: `title` before all names, and `or_else`, what else is allowed, behind them.
pub fn suggestion_among(name: &str, known: &[&str], title: &str, or_else: &str) -> String {
    let list = match known.len() {
        0 => "there are none".to_owned(),
        1..=SHORT_LIST => format!("{title}: {}{or_else}", known.join(", ")),
        count => format!("nearest of {count}: {}{or_else}", ranked(name, known)[..NEAREST].join(", ")),
    };
    match nearest(name, known) {
        Some(near) => format!("did you mean {near:?}? ({list})"),
        None => list,
    }
}

/// The known name with the fewest edits, if at most one letter in three differs.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let near = *ranked(name, known).first()?;
    (edits(name, near) <= (name.len() / 3).max(1)).then_some(near)
}

/// The known names, nearest first; of equally near ones the first in the alphabet.
fn ranked<'k>(name: &str, known: &[&'k str]) -> Vec<&'k str> {
    let mut ranked = known.to_vec();
    ranked.sort_by_cached_key(|&word| (edits(name, word), word));
    ranked
}

fn edits(name: &str, word: &str) -> usize {
    strsim::damerau_levenshtein(name, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        assert_eq!(suggestion("gird", &["grid", "block"]), "did you mean \"grid\"? (known: grid, block)");
        assert_eq!(suggestion("weight", &["grid", "block"]), "known: grid, block");
        assert_eq!(suggestion("x", &[]), "there are none");
        assert_eq!((nearest("gird", &["grid", "block"]), nearest("weight", &["grid"])), (Some("grid"), None));
    }

    #[test]
    fn a_list_can_have_words_of_its_own() {
        let advice = suggestion_among("gird", &["block"], "known here", ", or a file");
        assert_eq!(advice, "known here: block, or a file");
    }

    #[test]
    fn of_many_names_the_nearest_three_are_shown() {
        let known: Vec<String> = (10..70).map(|index| format!("name-{index}")).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let advice = suggestion("name-4", &known);
        assert_eq!(advice, "did you mean \"name-14\"? (nearest of 60: name-14, name-24, name-34)");
    }
}
