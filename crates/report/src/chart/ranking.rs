//! A ranking: one row per name, best first, with its values written at the end of its bars.
//!
//! The bars of a row lie in one another, the first series broad and pale at the back: a second measure of the same thing,
//! such as a ratio in whole bursts within the ratio in bits, is read at once.

use super::canvas::{Area, Canvas, text_width};
use super::frame::Plot;
use super::legend::{Entry, Swatch};
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body, Colours, palette};

const ROW_PIXELS: f64 = 26.0;
/// How much narrower the bars of each further series are, on either side.
const INSET_PIXELS: f64 = 5.0;
const VALUE_FONT_PIXELS: f64 = 11.0;

/// Rows of bars.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The measures; the first lies at the back.
    pub series: Vec<String>,
    /// The rows, best first.
    pub rows: Vec<RankingRow>,
}

/// One row.
#[derive(Debug, Clone)]
pub struct RankingRow {
    /// What it is about.
    pub name: String,
    /// One value per series.
    pub values: Vec<f64>,
    /// What else a reader who points at it may want to know.
    pub note: String,
}

impl RankingRow {
    /// All values, the one in front first.
    fn value_text(&self, axis: &Axis) -> String {
        let texts: Vec<String> = self.values.iter().rev().map(|value| axis.format.short(*value)).collect();
        texts.join(" · ")
    }
}

impl Ranking {
    fn draw_row(&self, row: &RankingRow, (top, height): (f64, f64), plot: &Plot, canvas: &mut Canvas) {
        let axis = plot.x.axis();
        let named = self.series.iter().zip(&row.values);
        let read: Vec<String> =
            named.map(|(name, value)| format!("{name} {}", axis.read_out(*value))).collect();
        let note = if row.note.is_empty() { String::new() } else { format!(", {}", row.note) };
        let tip = format!("{}: {}{note}", row.name, read.join(", "));
        let origin = plot.x.origin();
        for (index, value) in row.values.iter().enumerate() {
            let inset = 2.0 + INSET_PIXELS * index as f64;
            let end = plot.x.at(*value);
            let bar = Area {
                left: origin.min(end),
                top: top + inset,
                width: (end - origin).abs(),
                height: (height - 2.0 * inset).max(2.0),
            };
            canvas.rectangle(&self.class(index), bar, &tip);
        }
        let furthest = row.values.iter().map(|value| plot.x.at(*value)).fold(origin, f64::max);
        let values = row.value_text(axis);
        canvas.text("soft", (furthest + 7.0, top + height / 2.0 + 4.0), &values);
    }

    /// All bars have one colour, the one in front at full strength.
    fn class(&self, series: usize) -> String {
        let class = palette::class(0);
        if series + 1 == self.series.len() { class } else { format!("{class} pale") }
    }
}

impl Body for Ranking {
    fn x_extent(&self) -> Extent {
        Extent::of(self.rows.iter().flat_map(|row| row.values.iter().copied())).with_zero()
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }

    fn y_extent(&self, _: &Axis) -> Extent {
        // Names stand from the bottom up, rows from the top down.
        Extent::Names(self.rows.iter().rev().map(|row| row.name.clone()).collect())
    }

    fn plot_height(&self) -> f64 {
        ROW_PIXELS * self.rows.len().max(1) as f64
    }

    fn tail_width(&self, x: &Axis) -> f64 {
        self.rows.iter().map(|row| text_width(&row.value_text(x), VALUE_FONT_PIXELS)).fold(0.0, f64::max)
    }

    fn legend(&self, _: &Axis, _: &Colours) -> Vec<Entry> {
        let named = self.series.iter().enumerate().rev();
        named
            .map(|(index, name)| Entry { swatch: Swatch::Square(self.class(index)), name: name.clone() })
            .collect()
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        for (index, row) in self.rows.iter().rev().enumerate() {
            self.draw_row(row, plot.y.band(index), plot, canvas);
        }
    }

    fn points(&self, _: &Axis) -> Vec<Point> {
        let rows = self.rows.iter();
        rows.flat_map(|row| {
            let named = self.series.iter().zip(&row.values);
            named.map(|(name, value)| Point::ours(&row.name, name, *value))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;

    #[test]
    fn rows_say_all_their_values_and_the_best_stands_on_top() {
        let row = |name: &str, raw, bursts| RankingRow {
            name: name.to_owned(),
            values: vec![raw, bursts],
            note: "2 KB of tables".to_owned(),
        };
        let ranking = Ranking {
            series: vec!["raw".to_owned(), "at 32 B".to_owned()],
            rows: vec![row("bpc", 3.5, 2.25), row("bdi", 2.0, 1.5)],
        };
        let chart = Chart::ranking("Codecs", Axis::ratio("compression ratio"), ranking);
        let svg = chart.svg();
        assert!(svg.contains("<title>bpc: raw 3.5×, at 32 B 2.25×, 2 KB of tables</title>"), "{svg}");
        assert!(svg.contains(">2.25× · 3.5×</text>"), "{svg}");
        let height_of = |name: &str| {
            let before = svg.split(&format!(">{name}</text>")).next()?;
            before.rsplit("y=\"").next()?.split('"').next()?.parse::<f64>().ok()
        };
        assert!(height_of("bpc") < height_of("bdi"));
        assert_eq!(chart.table().header[1..], ["raw", "at 32 B"]);
    }
}
