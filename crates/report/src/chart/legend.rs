//! The legend: a row of swatches above the plot, wrapped where it gets too long.

use super::canvas::{Area, Canvas, text_width};

const SWATCH: f64 = 11.0;
const GAP: f64 = 6.0;
const BETWEEN: f64 = 18.0;
pub(super) const ROW_HEIGHT: f64 = 19.0;
const FONT_PIXELS: f64 = 12.0;

/// One name in the legend.
pub(super) struct Entry {
    pub(super) swatch: Swatch,
    pub(super) name: String,
}

/// What is before the name.
pub(super) enum Swatch {
    /// A filled square of a class.
    Square(String),
    /// A stroke of a class.
    Stroke(String),
    /// The diamond of published values.
    Published,
}

impl Swatch {
    /// A selector for the marks that the entry names, so that a page can hide them.
    fn marks(&self) -> String {
        match self {
            Self::Square(class) | Self::Stroke(class) => match class.split_once(' ') {
                Some((colour, _)) => format!(".{colour}.hollow"),
                None => format!(".{class}:not(.hollow)"),
            },
            Self::Published => ".published".to_owned(),
        }
    }
}

/// Where each entry is, relative to the corner, and how many rows there are.
pub(super) fn layout(entries: &[Entry], width: f64) -> (Vec<(f64, f64)>, f64) {
    let (mut x, mut row) = (0.0, 0.0);
    let mut places = Vec::with_capacity(entries.len());
    for entry in entries {
        let needs = SWATCH + GAP + text_width(&entry.name, FONT_PIXELS);
        if x > 0.0 && x + needs > width {
            (x, row) = (0.0, row + 1.0);
        }
        places.push((x, row * ROW_HEIGHT));
        x += needs + BETWEEN;
    }
    (places, if entries.is_empty() { 0.0 } else { row + 1.0 })
}

/// Draws the legend with its corner at a place.
pub(super) fn draw(entries: &[Entry], (left, top): (f64, f64), width: f64, canvas: &mut Canvas) {
    for (entry, (x, y)) in entries.iter().zip(layout(entries, width).0) {
        let (x, y) = (left + x, top + y);
        let middle = y + SWATCH / 2.0;
        canvas.open_entry(&entry.swatch.marks());
        match &entry.swatch {
            Swatch::Square(class) => {
                canvas.rectangle(class, Area { left: x, top: y, width: SWATCH, height: SWATCH }, "");
            }
            Swatch::Stroke(class) => {
                canvas.line(&format!("stroke {class}"), (x - 2.0, middle), (x + SWATCH + 2.0, middle));
            }
            Swatch::Published => canvas.diamond("any", (x + SWATCH / 2.0, middle), 5.0, ""),
        }
        canvas.text("legend", (x + SWATCH + GAP, y + SWATCH - 1.0), &entry.name);
        canvas.close_entry();
    }
}
