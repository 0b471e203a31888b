//! Violins: the shape is the density of the samples, the dark bar reaches from quartile to quartile, the dot is the median.

use super::canvas::{Area, At, Canvas};
use super::density::{Quartiles, density};
use super::frame::Plot;
use super::legend::{Entry, Swatch};
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body, Colours};

const LEAST_VIOLIN_PIXELS: f64 = 12.0;
const MOST_VIOLIN_PIXELS: f64 = 64.0;
const GAP_SHARE: f64 = 0.15;

/// Distributions by category and series.
#[derive(Debug, Clone)]
pub struct Violins {
    /// The groups.
    pub categories: Vec<String>,
    /// The violins of every group.
    pub series: Vec<Samples>,
    /// Whether densities are taken over logarithms, as a logarithmic axis shows them.
    pub is_logarithmic: bool,
}

/// The samples of one series in every category.
#[derive(Debug, Clone)]
pub struct Samples {
    /// What the legend says.
    pub name: String,
    /// The samples by category.
    pub samples: Vec<Vec<f64>>,
}

/// One shape: what it shows and where it is.
struct Violin<'a> {
    samples: &'a [f64],
    name: String,
    class: String,
    middle: f64,
    half_width: f64,
    is_logarithmic: bool,
}

impl Violin<'_> {
    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        let Some(quartiles) = Quartiles::of(self.samples) else { return };
        let tip = self.tip(&quartiles, plot.y.axis());
        canvas.polygon(&format!("violin {}", self.class), &self.outline(plot), &tip);
        let (top, bottom) = (plot.y.at(quartiles.upper), plot.y.at(quartiles.lower));
        let middle_half = Area { left: self.middle - 2.0, top, width: 4.0, height: (bottom - top).max(0.6) };
        canvas.rectangle(&self.class, middle_half, &tip);
        let median = (self.middle, plot.y.at(quartiles.median));
        canvas.circle(&format!("mark {}", self.class), median, 3.0, &tip);
    }

    /// Up the right side and down the left.
    fn outline(&self, plot: &Plot) -> Vec<At> {
        let to_scale =
            |value: f64| if self.is_logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let from_scale = |value: f64| if self.is_logarithmic { value.exp() } else { value };
        let curve = density(&self.samples.iter().map(|value| to_scale(*value)).collect::<Vec<_>>());
        let place = |sign: f64, (value, width): &(f64, f64)| {
            (self.middle + sign * self.half_width * width, plot.y.at(from_scale(*value)))
        };
        let right = curve.iter().map(|step| place(1.0, step));
        right.chain(curve.iter().rev().map(|step| place(-1.0, step))).collect()
    }

    fn tip(&self, quartiles: &Quartiles, axis: &Axis) -> String {
        format!(
            "{}: median {}, half between {} and {}, all between {} and {} ({} samples)",
            self.name,
            axis.read_out(quartiles.median),
            axis.read_out(quartiles.lower),
            axis.read_out(quartiles.upper),
            axis.read_out(quartiles.least),
            axis.read_out(quartiles.most),
            self.samples.len()
        )
    }
}

impl Body for Violins {
    fn x_extent(&self) -> Extent {
        Extent::Names(self.categories.clone())
    }

    fn names(&self) -> Vec<&str> {
        self.series.iter().map(|series| series.name.as_str()).collect()
    }

    fn y_extent(&self, _: &Axis) -> Extent {
        let samples = self.series.iter().flat_map(|series| series.samples.iter().flatten().copied());
        if self.is_logarithmic {
            Extent::of(samples.filter(|value| *value > 0.0))
        } else {
            Extent::of(samples)
        }
    }

    fn least_width(&self) -> f64 {
        (self.categories.len() * self.series.len()) as f64 * LEAST_VIOLIN_PIXELS
    }

    fn legend(&self, _: &Axis, colours: &Colours) -> Vec<Entry> {
        let named = self.series.iter().enumerate();
        named
            .map(|(index, series)| Entry {
                swatch: Swatch::Square(colours.class(&series.name, index)),
                name: series.name.clone(),
            })
            .collect()
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        for (group, category) in self.categories.iter().enumerate() {
            let (start, band) = plot.x.band(group);
            let room = (band * (1.0 - GAP_SHARE) / self.series.len().max(1) as f64).min(MOST_VIOLIN_PIXELS);
            let left = start + (band - room * self.series.len() as f64) / 2.0;
            for (index, series) in self.series.iter().enumerate() {
                let Some(samples) = series.samples.get(group) else { continue };
                let violin = Violin {
                    samples,
                    name: format!("{category}, {}", series.name),
                    class: plot.colours.class(&series.name, index),
                    middle: left + room * (index as f64 + 0.5),
                    half_width: 0.45 * room,
                    is_logarithmic: self.is_logarithmic,
                };
                violin.draw(plot, canvas);
            }
        }
    }

    fn points(&self, _: &Axis) -> Vec<Point> {
        let mut points = Vec::new();
        for (group, category) in self.categories.iter().enumerate() {
            for series in &self.series {
                let Some(found) = series.samples.get(group).and_then(|samples| Quartiles::of(samples)) else {
                    continue;
                };
                let named = [
                    ("least", found.least),
                    ("lower quartile", found.lower),
                    ("median", found.median),
                    ("upper quartile", found.upper),
                    ("most", found.most),
                ];
                let point = |(what, value)| Point::ours(category, format!("{} {what}", series.name), value);
                points.extend(named.into_iter().map(point));
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;

    #[test]
    fn a_violin_says_its_quartiles() {
        let samples =
            vec![Samples { name: "k = 8".to_owned(), samples: vec![vec![5.0, 1.0, 4.0, 2.0, 3.0]] }];
        let chart = Chart::violins("Error", Axis::new("error"), ["lud"], samples);
        let tip = "lud, k = 8: median 3, half between 2 and 4, all between 1 and 5 (5 samples)";
        assert!(chart.svg().contains(tip));
        let table = chart.table();
        assert_eq!(table.header[3], "k = 8 median");
        assert_eq!(table.rows[0].1[2], Some(3.0));
    }
}
