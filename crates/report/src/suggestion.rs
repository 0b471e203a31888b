//! Which known name is nearest to an unknown one?

/// A list of at most this many names is shown whole.
const SHORT_LIST: usize = 12;
/// Of a longer one the nearest are shown.
const NEAREST: usize = 3;

/// "did you mean …?" where a known name is near, and all known names or, of many, the nearest.
pub fn suggestion(name: &str, known: &[&str]) -> String {
    let distance = |word: &str| strsim::damerau_levenshtein(name, word);
    let mut ranked: Vec<&str> = known.to_vec();
    ranked.sort_by_key(|word| distance(word));
    let list = match known.len() {
        0 => "there are none".to_owned(),
        1..=SHORT_LIST => format!("known: {}", known.join(", ")),
        count => format!("nearest of {count}: {}", ranked[..NEAREST].join(", ")),
    };
    match ranked.first() {
        Some(near) if distance(near) <= (name.len() / 3).max(1) => {
            format!("did you mean {near:?}? ({list})")
        }
        _ => list,
    }
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
    fn of_many_names_the_nearest_three_are_shown() {
        let known: Vec<String> = (10..70).map(|index| format!("name-{index}")).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let advice = suggestion("name-4", &known);
        assert_eq!(advice, "did you mean \"name-14\"? (nearest of 60: name-14, name-24, name-34)");
    }
}
