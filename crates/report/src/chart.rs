//! Charts as the papers of the field draw them, as SVG: a [`Chart`] is a value, [`Chart::svg`] is its picture.
//!
//! | kind                 | what it shows                                     | file          |
//! |----------------------|---------------------------------------------------|---------------|
//! | [`Chart::bars`]      | one bar per series in every group, and the mean   | `bars.rs`     |
//! | [`Chart::ranking`]   | rows of bars, best first, values written out      | `ranking.rs`  |
//! | [`Chart::stacked`]   | bars made of parts, in groups                     | `stacked.rs`  |
//! | [`Chart::lines`]     | points joined by lines, linear or logarithmic     | `lines.rs`    |
//! | [`Chart::time_series`] | many samples, thinned to what a screen can show | `lines.rs`    |
//! | [`Chart::strips`]    | which state held from when to when                | `strips.rs`   |
//! | [`Chart::violins`]   | how samples are distributed                       | `violins.rs`  |
//! | [`Chart::heat_map`]  | a number per cell as a colour                     | `heat_map.rs` |
//!
//! What was published is next to what we measured, as diamonds. The palette is Okabe and Ito's, which colour-blind
//! readers can tell apart; light and dark follow the reader's system. Every mark says its value when it is pointed at,
//! and [`Chart::points`] has all of them as a table. The same chart always gives the same bytes.

mod axis;
mod bars;
mod canvas;
mod density;
mod frame;
mod heat_map;
mod legend;
mod lines;
mod number;
mod palette;
mod points;
mod ranking;
mod scale;
mod stacked;
mod strips;
mod violins;

pub use axis::{Axis, Scale};
pub use bars::{Bars, Mean, Series, geometric_mean};
pub use heat_map::HeatMap;
pub use lines::{Line, Lines};
pub use number::Format;
pub use palette::Colours;
pub use points::{Point, Source, Table};
pub use ranking::{Ranking, RankingRow};
pub use stacked::{Group, Stacked};
pub use strips::{Strip, Strips};
pub use violins::{Samples, Violins};

use canvas::Canvas;
use frame::Plot;
use legend::Entry;
use scale::Extent;

/// The styles that charts need: part of every [`Chart::svg`], and once in a page with [`Chart::inline_svg`].
pub const STYLE: &str = include_str!("chart/chart.css");

/// A chart: what its axes show, and the marks between them.
#[derive(Debug, Clone)]
pub struct Chart {
    /// What the reader sees, in a few words.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis; of a heat map, the axis of its colours.
    pub y: Axis,
    /// What is drawn.
    pub kind: Kind,
    /// The usual width of the picture in pixels; charts with many marks grow beyond it.
    pub width: f64,
}

/// What is drawn between the axes.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Grouped bars.
    Bars(Bars),
    /// Rows of bars.
    Ranking(Ranking),
    /// Bars made of parts.
    Stacked(Stacked),
    /// Lines through points.
    Lines(Lines),
    /// States over time.
    Strips(Strips),
    /// Distributions.
    Violins(Violins),
    /// Numbers as colours.
    HeatMap(HeatMap),
}

/// What every kind can say of itself and draw.
trait Body {
    /// What the horizontal axis must hold.
    fn x_extent(&self) -> Extent;
    /// What the vertical axis must hold.
    fn y_extent(&self, y: &Axis) -> Extent;
    /// The names of what has a colour of its own.
    fn names(&self) -> Vec<&str>;
    /// The width it needs between the axes to be readable.
    fn least_width(&self) -> f64 {
        0.0
    }
    /// The height between the axes.
    fn plot_height(&self) -> f64 {
        270.0
    }
    /// The height it needs above the axes, for values that lie beyond them.
    fn headroom(&self, _: &Axis) -> f64 {
        0.0
    }
    /// The width it needs right of the axes, for what is written there.
    fn tail_width(&self, _: &Axis) -> f64 {
        0.0
    }
    /// Names of its colours and marks.
    fn legend(&self, y: &Axis, colours: &Colours) -> Vec<Entry>;
    /// Draws the marks.
    fn draw(&self, plot: &Plot, canvas: &mut Canvas);
    /// All its numbers, in the order of drawing.
    fn points(&self, x: &Axis) -> Vec<Point>;
}

impl Chart {
    /// Grouped bars: one group per category.
    pub fn bars<S: Into<String>>(
        title: impl Into<String>,
        y: Axis,
        categories: impl IntoIterator<Item = S>,
        series: Vec<Series>,
    ) -> Self {
        let categories = categories.into_iter().map(Into::into).collect();
        Self::of(title, Axis::new(""), y, Kind::Bars(Bars { categories, series, mean: None }))
    }

    /// Rows of bars.
    pub fn ranking(title: impl Into<String>, x: Axis, ranking: Ranking) -> Self {
        Self::of(title, x, Axis::new(""), Kind::Ranking(ranking))
    }

    /// Bars made of parts; `parts` names them from the bottom up.
    pub fn stacked<S: Into<String>>(
        title: impl Into<String>,
        y: Axis,
        parts: impl IntoIterator<Item = S>,
        groups: Vec<Group>,
    ) -> Self {
        let parts = parts.into_iter().map(Into::into).collect();
        Self::of(title, Axis::new(""), y, Kind::Stacked(Stacked { parts, groups }))
    }

    /// Lines with a mark at every point.
    pub fn lines(title: impl Into<String>, x: Axis, y: Axis, lines: Vec<Line>) -> Self {
        Self::of(title, x, y, Kind::Lines(Lines { lines, has_marks: true, boundaries: Vec::new() }))
    }

    /// Lines through many samples.
    pub fn time_series(title: impl Into<String>, x: Axis, y: Axis, lines: Vec<Line>) -> Self {
        Self::of(title, x, y, Kind::Lines(Lines { lines, has_marks: false, boundaries: Vec::new() }))
    }

    /// Which state each row has from when to when.
    pub fn strips(title: impl Into<String>, x: Axis, strips: Strips) -> Self {
        Self::of(title, x, Axis::new("states"), Kind::Strips(strips))
    }

    /// One distribution per category and series.
    pub fn violins<S: Into<String>>(
        title: impl Into<String>,
        y: Axis,
        categories: impl IntoIterator<Item = S>,
        series: Vec<Samples>,
    ) -> Self {
        let categories = categories.into_iter().map(Into::into).collect();
        let is_logarithmic = y.scale != Scale::Linear;
        Self::of(title, Axis::new(""), y, Kind::Violins(Violins { categories, series, is_logarithmic }))
    }

    /// A colour per cell; `colours` says what the numbers are.
    pub fn heat_map(title: impl Into<String>, x: Axis, colours: Axis, map: HeatMap) -> Self {
        Self::of(title, x, colours, Kind::HeatMap(map))
    }

    /// Adds a group with the mean of every series; only bars have one.
    pub fn with_mean(mut self, mean: Mean) -> Self {
        if let Kind::Bars(bars) = &mut self.kind {
            bars.mean = Some(mean);
        }
        self
    }

    /// Marks where something named begins on the horizontal axis; only lines have such marks.
    pub fn with_boundaries(mut self, boundaries: Vec<(f64, String)>) -> Self {
        if let Kind::Lines(lines) = &mut self.kind {
            lines.boundaries = boundaries;
        }
        self
    }

    /// One small chart for each line, all with the same axes, where one picture would have too many lines to follow;
    /// otherwise none.
    pub fn panels(&self) -> Vec<Self> {
        let Kind::Lines(lines) = &self.kind else { return Vec::new() };
        if !lines.has_marks || lines.lines.len() <= lines::MOST_LINES {
            return Vec::new();
        }
        let fixed = |axis: &Axis, extent: Extent| {
            let (low, high) = scale::ends_of(axis, &extent);
            axis.clone().range(low, high)
        };
        let (x, y) = (fixed(&self.x, lines.x_extent()), fixed(&self.y, lines.y_extent(&self.y)));
        let panel = |line: &Line| {
            Self::lines(line.name.clone(), x.clone(), y.clone(), vec![line.clone()]).width(lines::PANEL_WIDTH)
        };
        lines.lines.iter().map(panel).collect()
    }

    /// Names what is on the horizontal axis.
    pub fn x_label(mut self, label: impl Into<String>) -> Self {
        self.x.label = label.into();
        self
    }

    /// Draws it for half or a third of a page, so that charts can stand side by side.
    pub fn width(mut self, pixels: f64) -> Self {
        self.width = pixels;
        self
    }

    /// How the values are written.
    pub fn value_format(&self) -> Format {
        if let Kind::Ranking(_) = self.kind { self.x.format } else { self.y.format }
    }

    /// The picture as a file of its own.
    pub fn svg(&self) -> String {
        frame::draw(self, Some(STYLE), &Colours::default())
    }

    /// The picture for a page that has [`STYLE`], in the page's colours.
    pub fn inline_svg(&self, colours: &Colours) -> String {
        frame::draw(self, None, colours)
    }

    /// All numbers of the chart, published ones included.
    pub fn points(&self) -> Vec<Point> {
        self.body().points(&self.x)
    }

    /// The numbers as a table with a column per series.
    pub fn table(&self) -> Table {
        Table::of(&self.points(), &self.x.label)
    }

    fn of(title: impl Into<String>, x: Axis, y: Axis, kind: Kind) -> Self {
        Self { title: title.into(), x, y, kind, width: frame::WIDTH }
    }

    fn body(&self) -> &dyn Body {
        match &self.kind {
            Kind::Bars(bars) => bars,
            Kind::Ranking(ranking) => ranking,
            Kind::Stacked(stacked) => stacked,
            Kind::Lines(lines) => lines,
            Kind::Strips(strips) => strips,
            Kind::Violins(violins) => violins,
            Kind::HeatMap(map) => map,
        }
    }
}
