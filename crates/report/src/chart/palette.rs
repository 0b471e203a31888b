//! Which colour a series has.
//!
//! Okabe & Ito, "Color Universal Design", 2008: eight colours that readers with any colour vision can tell apart. The
//! colours themselves are in `chart.css`, for light and dark; here they are classes.

use std::collections::{BTreeMap, BTreeSet};

use super::Chart;

/// Colours there are; a series beyond them repeats a colour, hollow.
const COLOURS: usize = 8;

/// The class of a colour.
pub(super) fn class(colour: usize) -> String {
    let name = format!("s{}", colour % COLOURS);
    if colour < COLOURS { name } else { format!("{name} hollow") }
}

/// The colour of every name on a page. A name that is not in it has the colour of its place in the chart.
#[derive(Debug, Clone, Default)]
pub struct Colours(BTreeMap<String, usize>);

impl Colours {
    /// One colour for each name in all of these charts; names of one chart have different colours.
    pub fn of<'c>(charts: impl IntoIterator<Item = &'c Chart>) -> Self {
        let charts: Vec<Vec<&str>> = charts.into_iter().map(|chart| chart.body().names()).collect();
        let mut colours: BTreeMap<String, usize> = BTreeMap::new();
        for name in charts.iter().flatten() {
            if colours.contains_key(*name) {
                continue;
            }
            let together = charts.iter().filter(|names| names.contains(name)).flatten();
            let taken: BTreeSet<usize> = together.filter_map(|other| colours.get(*other).copied()).collect();
            let free = (0..=taken.len()).find(|colour| !taken.contains(colour)).unwrap_or(0);
            colours.insert((*name).to_owned(), free);
        }
        Self(colours)
    }

    /// The class of a name that is at this place of its chart.
    pub(super) fn class(&self, name: &str, place: usize) -> String {
        class(self.0.get(name).copied().unwrap_or(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Series};

    #[test]
    fn a_name_has_one_colour_in_all_charts_and_no_chart_has_a_colour_twice() {
        let chart = |names: &[&str]| {
            let series = names.iter().map(|name| Series::new(*name, [1.0])).collect();
            Chart::bars("Speedup", Axis::ratio("speedup"), ["bfs"], series)
        };
        let charts = [chart(&["bdi", "sc"]), chart(&["sc", "latte"]), chart(&["latte", "bdi", "bpc"])];
        let colours = Colours::of(&charts);
        let classes = ["bdi", "sc", "latte", "bpc"].map(|name| colours.class(name, 9));
        assert_eq!(classes, ["s0", "s1", "s2", "s1"]);
        assert_eq!(colours.class("unknown", 3), "s3");
    }
}
