//! Grouped bars: one group per category, one bar per series, and a last group with the mean.

use super::canvas::{Area, Canvas};
use super::frame::Plot;
use super::legend::{Entry, Swatch};
use super::palette;
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body};

/// The share of a group's band that stays empty.
const GAP_SHARE: f64 = 0.24;
/// A bar thinner than this cannot be pointed at.
const LEAST_BAR_PIXELS: f64 = 3.5;
/// A bar wider than this looks like a block.
const MOST_BAR_PIXELS: f64 = 34.0;

/// Above the plot, the value of a bar that passes the axis.
const CUT_LABEL_PIXELS: f64 = 28.0;

/// Grouped bars.
#[derive(Debug, Clone)]
pub struct Bars {
    /// The groups.
    pub categories: Vec<String>,
    /// The bars of every group.
    pub series: Vec<Series>,
    /// The mean that stands last.
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
    /// The categories, then the mean.
    fn groups(&self) -> Vec<String> {
        let mean = self.mean.map(|mean| mean.name().to_owned());
        self.categories.iter().cloned().chain(mean).collect()
    }

    /// The value of a series in a group.
    fn value(&self, series: &Series, group: usize) -> Option<f64> {
        if group < self.categories.len() {
            return series.values.get(group).copied().flatten();
        }
        self.mean?.of(&series.values)
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
            canvas.rectangle(&palette::class(bar.series), area, &tip);
            if !plot.y.holds(value) {
                let above = (middle + 3.5, plot.area.top - 3.0);
                canvas.turned_text("cut", above, -90.0, &axis.format.short(value));
            }
        }
        if let Some(value) = series.published_in(bar.name) {
            let tip = format!("{}, {name}, published: {}", bar.name, axis.read_out(value));
            let radius = (bar.width / 2.0).clamp(2.5, 4.5);
            canvas.diamond("any", (middle, plot.y.at(value)), radius, &tip);
        }
    }
}

/// Where a bar stands.
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

    fn y_extent(&self) -> Extent {
        let ours = self.series.iter().flat_map(|series| series.values.iter().flatten().copied());
        let published =
            self.series.iter().flat_map(|series| series.published.iter().map(|(_, value)| *value));
        Extent::of(ours.chain(published)).with_zero()
    }

    fn least_width(&self) -> f64 {
        let bars = self.groups().len() * self.series.len();
        bars as f64 * LEAST_BAR_PIXELS / (1.0 - GAP_SHARE)
    }

    fn headroom(&self, y: &Axis) -> f64 {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten());
        let is_cut = y.high.is_some_and(|high| values.copied().any(|value| value > high));
        if is_cut { CUT_LABEL_PIXELS } else { 0.0 }
    }

    fn legend(&self) -> Vec<Entry> {
        let square = |index| Swatch::Square(palette::class(index));
        let named = self.series.iter().enumerate();
        let mut entries: Vec<Entry> =
            named.map(|(index, series)| Entry { swatch: square(index), name: series.name.clone() }).collect();
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
                let theirs =
                    series.published_in(name).map(|value| Point::published(name, &series.name, value));
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
    fn the_mean_group_is_the_geometric_mean_of_what_is_known() {
        let points = speedups().points();
        let means: Vec<&Point> = points.iter().filter(|point| point.x == "geomean").collect();
        assert_eq!(means.len(), 3);
        assert!((means[0].value - 4.0).abs() < 1e-12);
        assert_eq!((means[1].value, means[2].value), (3.0, 1.0));
    }

    #[test]
    fn every_value_has_a_bar_and_every_published_one_a_diamond() {
        let svg = speedups().svg();
        for tip in
            ["bfs, bdi: 2×", "mm, bdi: 8×", "bfs, bpc: 1×", "geomean, bdi: 4×", "geomean, bdi, published: 3×"]
        {
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
