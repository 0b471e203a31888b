//! Grouped bars: one group per category, one bar per series, and a last group with the mean.

use super::canvas::{Area, Canvas};
use super::frame::Plot;
use super::legend::{Entry, Swatch};
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body, Colours};

/// The share of a group's band that stays empty.
const GAP_SHARE: f64 = 0.24;
/// A bar thinner than this cannot be pointed at.
const LEAST_BAR_PIXELS: f64 = 3.5;
/// A bar thinner than this has no room for its value.
const LEAST_VALUE_PIXELS: f64 = 9.5;
/// Wider charts are not made for the sake of values.
const MOST_VALUES_WIDTH: f64 = 1150.0;
/// A bar wider than this looks like a block.
const MOST_BAR_PIXELS: f64 = 34.0;

/// Above the plot, the value of the highest bar.
const VALUE_LABEL_PIXELS: f64 = 34.0;
/// Bars around a line show at least this share of it on either side, so that noise does not look like an effect.
const LEAST_SPAN_SHARE: f64 = 0.05;

/// Grouped bars.
#[derive(Debug, Clone)]
pub struct Bars {
    /// The groups.
    pub categories: Vec<String>,
    /// The bars of every group.
    pub series: Vec<Series>,
    /// The mean that is last, over the groups in which every series has a value.
    pub mean: Option<Mean>,
}

/// Which mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mean {
    /// Of ratios.
    Geometric,
    /// Of differences and shares.
    Arithmetic,
}

impl Mean {
    /// The name of the group: what to give to [`Series::published`] for a published mean.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Geometric => "geomean",
            Self::Arithmetic => "mean",
        }
    }

    fn of(self, values: &[Option<f64>]) -> Option<f64> {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        match self {
            Self::Geometric => geometric_mean(&known),
            Self::Arithmetic if known.is_empty() => None,
            Self::Arithmetic => Some(known.iter().sum::<f64>() / known.len() as f64),
        }
    }
}

/// The geometric mean; none of no numbers, nor where one is not positive.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| *value <= 0.0) {
        return None;
    }
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

/// One bar in every group.
#[derive(Debug, Clone)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// One value per category, none where there is none.
    pub values: Vec<Option<f64>>,
    /// What was published, by the name of the category or of the mean.
    pub published: Vec<(String, f64)>,
}

impl Series {
    /// A series with a value, or none, for every category.
    pub fn new<V: Into<Option<f64>>>(name: impl Into<String>, values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        Self { name: name.into(), values, published: Vec::new() }
    }

    /// Puts a published value next to ours.
    pub fn published(mut self, category: impl Into<String>, value: f64) -> Self {
        self.published.push((category.into(), value));
        self
    }

    fn published_in(&self, category: &str) -> Option<f64> {
        self.published.iter().find(|(name, _)| name == category).map(|(_, value)| *value)
    }
}

impl Bars {
    /// The categories, then the mean, which says over how many if not over all.
    fn groups(&self) -> Vec<String> {
        let complete = self.complete().len();
        let is_all = complete == self.categories.len();
        let name = |mean: Mean| {
            if is_all { mean.name().to_owned() } else { format!("{} of {complete}", mean.name()) }
        };
        self.categories.iter().cloned().chain(self.mean.map(name)).collect()
    }

    /// The categories that have a value of every series that has any: a mean over others would compare unlike things.
    fn complete(&self) -> Vec<usize> {
        let has = |series: &Series, category: usize| series.values.get(category).copied().flatten().is_some();
        let known = |series: &&Series| series.values.iter().any(Option::is_some);
        let is_complete =
            |category: &usize| self.series.iter().filter(known).all(|series| has(series, *category));
        (0..self.categories.len()).filter(is_complete).collect()
    }

    fn bar_count(&self) -> usize {
        (self.categories.len() + usize::from(self.mean.is_some())) * self.series.len()
    }

    /// Whether there is room for a value at every bar.
    fn shows_values(&self) -> bool {
        self.bar_count() as f64 * LEAST_VALUE_PIXELS / (1.0 - GAP_SHARE) <= MOST_VALUES_WIDTH
    }

    /// The name that a published value of a group has.
    fn published_key<'a>(&self, group: usize, name: &'a str) -> &'a str {
        if group < self.categories.len() { name } else { self.mean.map_or("", Mean::name) }
    }

    /// The value of a series in a group.
    fn value(&self, series: &Series, group: usize) -> Option<f64> {
        if group < self.categories.len() {
            return series.values.get(group).copied().flatten();
        }
        let values: Vec<Option<f64>> = self
            .complete()
            .into_iter()
            .map(|category| series.values.get(category).copied().flatten())
            .collect();
        self.mean?.of(&values)
    }

    fn draw_bar(&self, plot: &Plot, canvas: &mut Canvas, bar: &BarPlace) {
        let series = &self.series[bar.series];
        let axis = plot.y.axis();
        let middle = bar.left + bar.width / 2.0;
        let name = &series.name;
        if let Some(value) = self.value(series, bar.group).filter(|value| value.is_finite()) {
            let (from, to) = (plot.y.origin(), plot.y.at(value));
            let area = Area {
                left: bar.left,
                top: from.min(to),
                width: bar.width,
                height: (from - to).abs().max(0.6),
            };
            let tip = format!("{}, {name}: {}", bar.name, axis.read_out(value));
            canvas.rectangle(&plot.colours.class(name, bar.series), area, &tip);
            if self.shows_values() || !plot.y.holds(value) {
                // Below the line there is the axis: such a bar has its value above the line.
                let above = (middle + 3.5, from.min(to) - 3.0);
                canvas.turned_text("value", above, -90.0, &axis.format.short(value));
            }
        }
        if let Some(value) = series.published_in(self.published_key(bar.group, bar.name)) {
            let tip = format!("{}, {name}, published: {}", bar.name, axis.read_out(value));
            let radius = (bar.width / 2.0).clamp(2.5, 4.5);
            canvas.diamond("any", (middle, plot.y.at(value)), radius, &tip);
        }
    }
}

/// Where a bar is.
struct BarPlace<'a> {
    group: usize,
    name: &'a str,
    series: usize,
    left: f64,
    width: f64,
}

impl Body for Bars {
    fn x_extent(&self) -> Extent {
        Extent::Names(self.groups())
    }

    fn names(&self) -> Vec<&str> {
        self.series.iter().map(|series| series.name.as_str()).collect()
    }

    fn y_extent(&self, y: &Axis) -> Extent {
        let ours = self.series.iter().flat_map(|series| series.values.iter().flatten().copied());
        let published =
            self.series.iter().flat_map(|series| series.published.iter().map(|(_, value)| *value));
        let Some(line) = y.reference else { return Extent::of(ours.chain(published)).with_zero() };
        let Extent::Numbers(low, high) = Extent::of(ours.chain(published).chain([line])) else {
            return Extent::Numbers(0.0, 1.0);
        };
        let span = LEAST_SPAN_SHARE * line.abs();
        if high - low < 2.0 * span {
            return Extent::Numbers(low.min(line - span), high.max(line + span));
        }
        Extent::Numbers(low, high)
    }

    fn least_width(&self) -> f64 {
        let least = if self.shows_values() { LEAST_VALUE_PIXELS } else { LEAST_BAR_PIXELS };
        self.bar_count() as f64 * least / (1.0 - GAP_SHARE)
    }

    fn headroom(&self, y: &Axis) -> f64 {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten());
        let is_cut = y.high.is_some_and(|high| values.copied().any(|value| value > high));
        if is_cut || self.shows_values() { VALUE_LABEL_PIXELS } else { 0.0 }
    }

    fn legend(&self, y: &Axis, colours: &Colours) -> Vec<Entry> {
        let entry = |(index, series): (usize, &Series)| {
            // Where bars are too thin for their values, at least the mean is written.
            let mean = self.value(series, self.categories.len()).filter(|_| !self.shows_values());
            let mean = mean.map_or(String::new(), |mean| format!(", mean {}", y.format.short(mean)));
            let swatch = Swatch::Square(colours.class(&series.name, index));
            Entry { swatch, name: format!("{}{mean}", series.name) }
        };
        let mut entries: Vec<Entry> = self.series.iter().enumerate().map(entry).collect();
        if self.series.iter().any(|series| !series.published.is_empty()) {
            entries.push(Entry { swatch: Swatch::Published, name: "published".to_owned() });
        }
        entries
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        for (group, name) in self.groups().iter().enumerate() {
            let (start, band) = plot.x.band(group);
            if group == self.categories.len() {
                let bottom = plot.area.top + plot.area.height;
                canvas.line("axis", (start, plot.area.top), (start, bottom));
            }
            let width = (band * (1.0 - GAP_SHARE) / self.series.len().max(1) as f64).min(MOST_BAR_PIXELS);
            let left = start + (band - width * self.series.len() as f64) / 2.0;
            for series in 0..self.series.len() {
                let place = BarPlace { group, name, series, left: left + width * series as f64, width };
                self.draw_bar(plot, canvas, &place);
            }
        }
    }

    fn points(&self, _: &Axis) -> Vec<Point> {
        let mut points = Vec::new();
        for (group, name) in self.groups().iter().enumerate() {
            for series in &self.series {
                let ours = self.value(series, group).map(|value| Point::ours(name, &series.name, value));
                let published = series.published_in(self.published_key(group, name));
                let theirs = published.map(|value| Point::published(name, &series.name, value));
                points.extend(ours.into_iter().chain(theirs));
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;

    fn speedups() -> Chart {
        let series = vec![
            Series::new("bdi", [2.0, 8.0]).published("geomean", 3.0),
            Series::new("bpc", [Some(1.0), None]),
        ];
        Chart::bars("Speedup", Axis::ratio("speedup"), ["bfs", "mm"], series).with_mean(Mean::Geometric)
    }

    #[test]
    fn the_mean_is_over_the_groups_that_every_series_has_and_says_over_how_many() {
        let points = speedups().points();
        let means: Vec<&Point> = points.iter().filter(|point| point.x == "geomean of 1").collect();
        assert_eq!(means.iter().map(|point| point.value).collect::<Vec<_>>(), [2.0, 3.0, 1.0]);
        let whole = vec![Series::new("bdi", [2.0, 8.0]), Series::new("fails", [None, None])];
        let chart = Chart::bars("Speedup", Axis::ratio("speedup"), ["bfs", "mm"], whole);
        let points = chart.with_mean(Mean::Geometric).points();
        assert!(points.iter().any(|point| point.x == "geomean" && (point.value - 4.0).abs() < 1e-12));
    }

    #[test]
    fn two_percent_can_be_seen_and_read() {
        let chart = Chart::bars("Speedup", Axis::ratio("speedup"), ["bfs"], vec![Series::new("bdi", [1.02])]);
        let svg = chart.svg();
        assert!(svg.contains(">1.02×</text>"), "{svg}");
        let bar = svg.split("<rect").find(|mark| mark.contains("bfs, bdi")).unwrap();
        let height: f64 = bar.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(height > 40.0, "{bar}");
    }

    #[test]
    fn every_value_has_a_bar_and_every_published_one_a_diamond() {
        let svg = speedups().svg();
        for tip in [
            "bfs, bdi: 2×",
            "mm, bdi: 8×",
            "bfs, bpc: 1×",
            "geomean of 1, bdi: 2×",
            "geomean of 1, bdi, published: 3×",
        ] {
            assert!(svg.contains(&format!("<title>{tip}</title>")), "{tip} in {svg}");
        }
        assert!(!svg.contains("mm, bpc:"));
    }

    #[test]
    fn a_bar_that_passes_the_axis_says_its_value() {
        let axis = Axis::ratio("speedup").range(0.0, 4.0);
        let svg = Chart::bars("Speedup", axis, ["mm"], vec![Series::new("bdi", [8.0])]).svg();
        assert!(svg.contains(">8×</text>"), "{svg}");
    }

    #[test]
    fn there_is_no_geometric_mean_of_nothing_or_of_zero() {
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }
}
