//! Lines through points: sweeps with a mark at every point, and time series thinned to what a screen can show.

use super::canvas::{At, Canvas};
use super::frame::Plot;
use super::legend::{Entry, Swatch};
use super::palette;
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body};

const MARK_RADIUS: f64 = 3.2;
/// Beyond this many points, a column of pixels keeps only its lowest and highest.
const MOST_POINTS: usize = 1200;

/// Lines through points.
#[derive(Debug, Clone)]
pub struct Lines {
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether every point has a mark.
    pub has_marks: bool,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    /// What the legend says.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// What was published.
    pub published: Vec<(f64, f64)>,
}

impl Line {
    /// A line through these points.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect(), published: Vec::new() }
    }

    /// Puts a published point next to ours.
    pub fn published(mut self, x: f64, y: f64) -> Self {
        self.published.push((x, y));
        self
    }

    fn all(&self) -> impl Iterator<Item = &(f64, f64)> {
        self.points.iter().chain(&self.published)
    }
}

impl Lines {
    fn draw_points(&self, index: usize, plot: &Plot, canvas: &mut Canvas) {
        let line = &self.lines[index];
        let class = palette::class(index);
        let tip = |(x, y): &(f64, f64), whose: &str| {
            format!("{}{whose}, {}: {}", line.name, plot.x.axis().read_out(*x), plot.y.axis().read_out(*y))
        };
        let place = |(x, y): &(f64, f64)| (plot.x.at(*x), plot.y.at(*y));
        if self.has_marks {
            for point in line.points.iter().filter(|(_, y)| y.is_finite()) {
                canvas.circle(&format!("mark {class}"), place(point), MARK_RADIUS, &tip(point, ""));
            }
        }
        for point in &line.published {
            canvas.diamond("any", place(point), 4.5, &tip(point, ", published"));
        }
    }
}

impl Body for Lines {
    fn x_extent(&self) -> Extent {
        Extent::of(self.lines.iter().flat_map(Line::all).map(|(x, _)| *x))
    }

    fn y_extent(&self) -> Extent {
        Extent::of(self.lines.iter().flat_map(Line::all).map(|(_, y)| *y))
    }

    fn legend(&self) -> Vec<Entry> {
        let stroke = |index| Swatch::Stroke(palette::class(index));
        let named = self.lines.iter().enumerate();
        let mut entries: Vec<Entry> =
            named.map(|(index, line)| Entry { swatch: stroke(index), name: line.name.clone() }).collect();
        if self.lines.iter().any(|line| !line.published.is_empty()) {
            entries.push(Entry { swatch: Swatch::Published, name: "published".to_owned() });
        }
        entries
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        for (index, line) in self.lines.iter().enumerate() {
            let finite = line.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
            let places: Vec<At> = finite.map(|(x, y)| (plot.x.at(*x), plot.y.at(*y))).collect();
            let weight = if self.has_marks { "stroke" } else { "stroke thin" };
            canvas.polyline(&format!("{weight} {}", palette::class(index)), &thinned(places), &line.name);
        }
        // Marks come last, so that no line hides one.
        for index in 0..self.lines.len() {
            self.draw_points(index, plot, canvas);
        }
    }

    fn points(&self, x: &Axis) -> Vec<Point> {
        let mut points = Vec::new();
        for line in &self.lines {
            let at = |x_value: f64| x.format.exact(x_value);
            points.extend(line.points.iter().map(|(x, y)| Point::ours(at(*x), &line.name, *y)));
            points.extend(line.published.iter().map(|(x, y)| Point::published(at(*x), &line.name, *y)));
        }
        points
    }
}

/// Keeps the first, lowest and highest place of every column of pixels.
fn thinned(places: Vec<At>) -> Vec<At> {
    if places.len() <= MOST_POINTS {
        return places;
    }
    let mut kept = Vec::new();
    for column in places.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        let order = |a: &&At, b: &&At| a.1.total_cmp(&b.1);
        let ends = [column.first(), column.iter().min_by(order), column.iter().max_by(order)];
        kept.extend(ends.into_iter().flatten());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;

    #[test]
    fn a_peak_survives_thinning() {
        let mut places: Vec<At> = (0..10_000).map(|index| (f64::from(index) / 100.0, 50.0)).collect();
        places[5003].1 = 1.0;
        let kept = thinned(places);
        assert!(kept.len() <= 300 && kept.iter().any(|(_, y)| *y == 1.0));
    }

    #[test]
    fn no_sample_hides_behind_another_of_nearly_the_same_time() {
        let line = Line::new("tolerance", [(1_234_500.0, 3.0), (1_234_501.0, 4.0)]);
        let chart = Chart::time_series("Tolerance", Axis::new("time"), Axis::new("cycles"), vec![line]);
        let times: Vec<String> = chart.table().rows.into_iter().map(|(time, _)| time).collect();
        assert_eq!(times, ["1234500", "1234501"]);
    }

    #[test]
    fn every_point_of_a_sweep_says_its_place_and_value() {
        let line = Line::new("BPC", [(0.5, 0.75), (1.0, 1.0)]).published(0.5, 0.8);
        let x =
            Axis::new("bandwidth").scale(super::super::Scale::Log2).format(super::super::Format::Fraction);
        let svg = Chart::lines("IPC", x, Axis::new("IPC"), vec![line]).svg();
        assert!(
            svg.contains("<title>BPC, 1/2: 0.75</title>")
                && svg.contains("<title>BPC, published, 1/2: 0.8</title>")
        );
    }
}
