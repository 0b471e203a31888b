//! Lines through points: sweeps with a mark at every point, and time series thinned to what a screen can show.

use super::canvas::{At, Canvas, text_width};
use super::frame::Plot;
use super::legend::{Entry, Swatch};
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body, Colours};

const MARK_RADIUS: f64 = 3.2;
/// More lines than this cannot be followed in one picture.
pub(super) const MOST_LINES: usize = 8;
/// The width of a picture of one of them.
pub(super) const PANEL_WIDTH: f64 = 290.0;
/// More boundaries than this would hide the lines.
const MOST_BOUNDARIES: usize = 60;
const NAME_FONT_PIXELS: f64 = 10.0;
/// Beyond this many points, a column of pixels keeps only its lowest and highest.
const MOST_POINTS: usize = 1200;

/// Lines through points.
#[derive(Debug, Clone)]
pub struct Lines {
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether every point has a mark.
    pub has_marks: bool,
    /// Where something named begins, such as a kernel, from left to right.
    pub boundaries: Vec<(f64, String)>,
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
    /// A dashed line where each begins, with its name where there is room for it.
    fn draw_boundaries(&self, plot: &Plot, canvas: &mut Canvas) {
        if self.boundaries.len() > MOST_BOUNDARIES {
            return;
        }
        let (top, bottom) = (plot.area.top, plot.area.top + plot.area.height);
        let right = plot.area.left + plot.area.width;
        for (index, (start, name)) in self.boundaries.iter().enumerate() {
            let x = plot.x.at(*start);
            let tip = format!("{name} begins at {}", plot.x.axis().read_out(*start));
            canvas.line("boundary", (x, top), (x, bottom));
            canvas.polygon("flag", &[(x, top), (x + 7.0, top + 3.5), (x, top + 7.0)], &tip);
            let next = self.boundaries.get(index + 1).map_or(right, |(next, _)| plot.x.at(*next));
            if text_width(name, NAME_FONT_PIXELS) + 12.0 < next - x {
                canvas.text("soft small", (x + 9.0, top + 8.0), name);
            }
        }
    }

    fn draw_points(&self, index: usize, plot: &Plot, canvas: &mut Canvas) {
        let line = &self.lines[index];
        let class = plot.colours.class(&line.name, index);
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

    fn names(&self) -> Vec<&str> {
        self.lines.iter().map(|line| line.name.as_str()).collect()
    }

    fn y_extent(&self, _: &Axis) -> Extent {
        Extent::of(self.lines.iter().flat_map(Line::all).map(|(_, y)| *y))
    }

    fn legend(&self, _: &Axis, colours: &Colours) -> Vec<Entry> {
        let named = self.lines.iter().enumerate();
        let entry = |(index, line): (usize, &Line)| Entry {
            swatch: Swatch::Stroke(colours.class(&line.name, index)),
            name: line.name.clone(),
        };
        let mut entries: Vec<Entry> = named.map(entry).collect();
        if self.lines.iter().any(|line| !line.published.is_empty()) {
            entries.push(Entry { swatch: Swatch::Published, name: "published".to_owned() });
        }
        entries
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        self.draw_boundaries(plot, canvas);
        for (index, line) in self.lines.iter().enumerate() {
            let finite = line.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
            let places: Vec<At> = finite.map(|(x, y)| (plot.x.at(*x), plot.y.at(*y))).collect();
            let weight = if self.has_marks { "stroke" } else { "stroke thin" };
            canvas.polyline(
                &format!("{weight} {}", plot.colours.class(&line.name, index)),
                &thinned(places),
                &line.name,
            );
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
    fn more_lines_than_can_be_followed_get_a_picture_each_with_the_same_axes() {
        let chart = |count: usize| {
            let line = |nth: usize| Line::new(format!("line {nth}"), [(0.0, 0.0), (1.0, nth as f64)]);
            Chart::lines("IPC", Axis::new("SMs"), Axis::new("IPC"), (1..=count).map(line).collect())
        };
        assert!(chart(MOST_LINES).panels().is_empty());
        let panels = chart(11).panels();
        let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!((titles.len(), titles[0], titles[10]), (11, "line 1", "line 11"));
        assert!(
            panels.iter().all(|panel| panel.y.high == panels[0].y.high && panel.x.high == panels[0].x.high)
        );
        assert!(panels[0].y.high >= Some(11.0), "the smallest line has the largest one's axis");
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
