//! Strips: which of several states held from when to when, a row for each thing that has states.

use super::canvas::{Area, Canvas};
use super::frame::Plot;
use super::legend::{Entry, Swatch};
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body, Colours};

const ROW_PIXELS: f64 = 34.0;
/// The share of its row that a strip leaves free.
const GAP_SHARE: f64 = 0.25;

/// Rows of states over time.
#[derive(Debug, Clone)]
pub struct Strips {
    /// Names of the states; a state has the same colour in every row.
    pub states: Vec<String>,
    /// From the top down.
    pub rows: Vec<Strip>,
}

/// The states of one thing.
#[derive(Debug, Clone)]
pub struct Strip {
    /// What has the states.
    pub name: String,
    spans: Vec<Span>,
}

/// How long a state held.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    from: f64,
    to: f64,
    state: usize,
}

impl Strip {
    /// A strip without a state.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), spans: Vec::new() }
    }

    /// Whether it has no state at any time.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// A state held from here to there. Where it goes on from the same state, the two are one.
    pub fn push(&mut self, from: f64, to: f64, state: usize) {
        match self.spans.last_mut() {
            Some(last) if last.state == state && last.to == from => last.to = to,
            _ => self.spans.push(Span { from, to, state }),
        }
    }
}

impl Strips {
    fn spans(&self) -> impl Iterator<Item = &Span> {
        self.rows.iter().flat_map(|row| &row.spans)
    }

    fn state(&self, span: &Span) -> &str {
        self.states.get(span.state).map_or("", String::as_str)
    }
}

impl Body for Strips {
    fn x_extent(&self) -> Extent {
        Extent::of(self.spans().flat_map(|span| [span.from, span.to]))
    }

    fn names(&self) -> Vec<&str> {
        self.states.iter().map(String::as_str).collect()
    }

    fn y_extent(&self, _: &Axis) -> Extent {
        Extent::Names(self.rows.iter().rev().map(|row| row.name.clone()).collect())
    }

    fn plot_height(&self) -> f64 {
        self.rows.len() as f64 * ROW_PIXELS
    }

    fn legend(&self, _: &Axis, colours: &Colours) -> Vec<Entry> {
        let held =
            self.states.iter().enumerate().filter(|(state, _)| self.spans().any(|span| span.state == *state));
        held.map(|(state, name)| Entry {
            swatch: Swatch::Square(colours.class(name, state)),
            name: name.clone(),
        })
        .collect()
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        let time = plot.x.axis();
        for (index, row) in self.rows.iter().rev().enumerate() {
            let (top, height) = plot.y.band(index);
            for span in &row.spans {
                let (left, right) = (plot.x.at(span.from), plot.x.at(span.to));
                let tip = format!(
                    "{}, {} to {}: {}",
                    row.name,
                    time.format.precise(span.from),
                    time.read_out(span.to),
                    self.state(span)
                );
                let area = Area {
                    left,
                    top: top + height * GAP_SHARE / 2.0,
                    width: right - left,
                    height: height * (1.0 - GAP_SHARE),
                };
                canvas.rectangle(&plot.colours.class(self.state(span), span.state), area, &tip);
            }
        }
    }

    /// When each state begins, and how long it holds.
    fn points(&self, x: &Axis) -> Vec<Point> {
        let of_row = |row: &Strip| {
            let name = |span: &Span| format!("{}: {}", row.name, self.state(span));
            let point = |span: &Span| Point::ours(x.format.exact(span.from), name(span), span.to - span.from);
            row.spans.iter().map(point).collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(of_row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;

    #[test]
    fn a_state_that_goes_on_is_one_mark_and_says_how_long_it_holds() {
        let mut strip = Strip::new("mode");
        for (from, to, state) in [(0.0, 100.0, 0), (100.0, 250.0, 0), (250.0, 300.0, 2)] {
            strip.push(from, to, state);
        }
        let states = ["none", "bdi", "sc"].map(str::to_owned).into();
        let strips = Strips { states, rows: vec![strip] };
        let chart = Chart::strips("Modes", Axis::new("time").unit("cycles"), strips);
        let svg = chart.svg();
        for tip in ["mode, 0 to 250 cycles: none", "mode, 250 to 300 cycles: sc"] {
            assert!(svg.contains(&format!("<title>{tip}</title>")), "{tip}: {svg}");
        }
        // What never held is no name in the legend.
        assert!(!svg.contains(">bdi<"));
        assert_eq!(chart.points()[1], Point::ours("250", "mode: sc", 50.0));
    }
}
