//! A heat map: a number per cell as a colour, written into the cell where there is room.

use super::canvas::{Area, Canvas, text_width};
use super::frame::Plot;
use super::legend::Entry;
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body, Colours};

const LEAST_CELL_PIXELS: f64 = 8.0;
const ROW_PIXELS: f64 = 26.0;
const LEAST_HEIGHT: f64 = 60.0;
const MOST_HEIGHT: f64 = 420.0;
/// The faintest cell that has a number; cells without one are empty.
const FAINTEST: f64 = 0.06;
const CELL_FONT_PIXELS: f64 = 10.5;

/// A number per row and column.
#[derive(Debug, Clone)]
pub struct HeatMap {
    /// From left to right.
    pub columns: Vec<String>,
    /// From the bottom up.
    pub rows: Vec<String>,
    /// `values[row][column]`.
    pub values: Vec<Vec<Option<f64>>>,
}

impl HeatMap {
    /// Every cell that has a number.
    fn cells(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let rows = self.values.iter().enumerate();
        rows.flat_map(|(row, values)| {
            let known = values.iter().enumerate().filter_map(|(column, value)| Some((column, (*value)?)));
            known.filter(|(_, value)| value.is_finite()).map(move |(column, value)| (row, column, value))
        })
    }

    /// The ends of the colours: the axis's where it has them, else those of the numbers.
    fn ends(&self, axis: &Axis) -> (f64, f64) {
        let Extent::Numbers(low, high) = Extent::of(self.cells().map(|(_, _, value)| value)) else {
            return (0.0, 1.0);
        };
        (axis.low.unwrap_or(low), axis.high.unwrap_or(high))
    }
}

impl Body for HeatMap {
    fn x_extent(&self) -> Extent {
        Extent::Names(self.columns.clone())
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }

    fn y_extent(&self, _: &Axis) -> Extent {
        Extent::Names(self.rows.clone())
    }

    fn least_width(&self) -> f64 {
        self.columns.len() as f64 * LEAST_CELL_PIXELS
    }

    fn plot_height(&self) -> f64 {
        (self.rows.len() as f64 * ROW_PIXELS).clamp(LEAST_HEIGHT, MOST_HEIGHT)
    }

    fn legend(&self, _: &Axis, _: &Colours) -> Vec<Entry> {
        Vec::new()
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        let colours = plot.y.axis();
        let (low, high) = self.ends(colours);
        for (row, column, value) in self.cells() {
            let ((left, width), (top, height)) = (plot.x.band(column), plot.y.band(row));
            let length = |value| colours.scale.length(value) - colours.scale.length(low);
            let share = (length(value) / length(high).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            let opacity = FAINTEST + (1.0 - FAINTEST) * share;
            let name = |names: &[String], index: usize| names.get(index).cloned().unwrap_or_default();
            let tip = format!(
                "{}, {}: {}",
                name(&self.rows, row),
                name(&self.columns, column),
                colours.read_out(value)
            );
            let cell = Area { left: left + 0.5, top: top + 0.5, width: width - 1.0, height: height - 1.0 };
            canvas.cell(cell, opacity, &tip);
            let text = colours.format.short(value);
            if text_width(&text, CELL_FONT_PIXELS) + 4.0 < width && height > CELL_FONT_PIXELS + 3.0 {
                let class = if opacity > 0.55 { "in-cell middle strong" } else { "in-cell middle" };
                canvas.text(class, (left + width / 2.0, top + height / 2.0 + 3.8), &text);
            }
        }
    }

    fn points(&self, _: &Axis) -> Vec<Point> {
        let name = |names: &[String], index: usize| names.get(index).cloned().unwrap_or_default();
        self.cells()
            .map(|(row, column, value)| {
                Point::ours(name(&self.columns, column), name(&self.rows, row), value)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;

    #[test]
    fn a_stronger_colour_is_a_larger_number_and_an_unknown_cell_is_empty() {
        let map = HeatMap {
            columns: vec!["a".to_owned(), "b".to_owned()],
            rows: vec!["low".to_owned(), "high".to_owned()],
            values: vec![vec![Some(1.0), None], vec![Some(2.0), Some(3.0)]],
        };
        let svg = Chart::heat_map("Map", Axis::new("columns"), Axis::new("blocks"), map).svg();
        assert_eq!(svg.matches("class=\"heat\"").count(), 3);
        for (opacity, tip) in [("0.06", "low, a: 1"), ("0.53", "high, a: 2"), ("1.00", "high, b: 3")] {
            let cell = svg.split("<rect").find(|cell| cell.contains(&format!("<title>{tip}</title>")));
            assert!(
                cell.is_some_and(|cell| cell.contains(&format!("fill-opacity=\"{opacity}\""))),
                "{tip}: {svg}"
            );
        }
    }
}
