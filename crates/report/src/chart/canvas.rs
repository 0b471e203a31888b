//! The elements of an SVG, written one after the other. All classes are those of `chart.css`.

use crate::markup::escaped;

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A place in pixels: right, down.
pub(super) type At = (f64, f64);

/// The text of the picture so far.
#[derive(Debug, Default)]
pub(super) struct Canvas(String);

impl Canvas {
    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// A rectangle; `tip` is what it says when it is pointed at.
    pub(super) fn rectangle(&mut self, class: &str, area: Area, tip: &str) {
        let Area { left, top, width, height } = area;
        self.element(
            &format!(
                "rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                pixels(left),
                pixels(top),
                pixels(width),
                pixels(height)
            ),
            tip,
        );
    }

    /// A rectangle of a heat map.
    pub(super) fn cell(&mut self, area: Area, opacity: f64, tip: &str) {
        self.rectangle(&format!("heat\" fill-opacity=\"{opacity:.2}"), area, tip);
    }

    pub(super) fn line(&mut self, class: &str, from: At, to: At) {
        let (x1, y1, x2, y2) = (pixels(from.0), pixels(from.1), pixels(to.0), pixels(to.1));
        self.element(&format!("line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\""), "");
    }

    /// Lines from point to point.
    pub(super) fn polyline(&mut self, class: &str, points: &[At], tip: &str) {
        self.element(&format!("polyline class=\"{class}\" points=\"{}\"", joined(points)), tip);
    }

    /// A closed shape.
    pub(super) fn polygon(&mut self, class: &str, points: &[At], tip: &str) {
        self.element(&format!("polygon class=\"{class}\" points=\"{}\"", joined(points)), tip);
    }

    pub(super) fn circle(&mut self, class: &str, at: At, radius: f64, tip: &str) {
        let (x, y, r) = (pixels(at.0), pixels(at.1), pixels(radius));
        self.element(&format!("circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\""), tip);
    }

    /// The mark of a published value.
    pub(super) fn diamond(&mut self, class: &str, (x, y): At, radius: f64, tip: &str) {
        let corners = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)];
        self.polygon(&format!("published {class}"), &corners, tip);
    }

    pub(super) fn text(&mut self, class: &str, at: At, text: &str) {
        self.turned_text(class, at, 0.0, text);
    }

    /// Text turned by degrees around its start.
    pub(super) fn turned_text(&mut self, class: &str, at: At, degrees: f64, text: &str) {
        let (x, y) = (pixels(at.0), pixels(at.1));
        let turn =
            if degrees == 0.0 { String::new() } else { format!(" transform=\"rotate({degrees} {x} {y})\"") };
        self.0 += &format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{turn}>{}</text>", escaped(text));
    }

    /// Starts an entry of the legend, which names the marks that a selector finds.
    pub(super) fn open_entry(&mut self, marks: &str) {
        self.0 += &format!("<g class=\"entry\" data-marks=\"{marks}\">");
    }

    pub(super) fn close_entry(&mut self) {
        self.0 += "</g>";
    }

    fn element(&mut self, start: &str, tip: &str) {
        if tip.is_empty() {
            self.0 += &format!("<{start}/>");
        } else {
            let name = start.split(' ').next().unwrap_or_default();
            self.0 += &format!("<{start}><title>{}</title></{name}>", escaped(tip));
        }
    }
}

/// The width of a text, near enough for layout without a font.
pub(super) fn text_width(text: &str, font_pixels: f64) -> f64 {
    let ems = |character: char| match character {
        'i' | 'j' | 'l' | '.' | ',' | ':' | '|' | '\'' | 'I' => 0.31,
        'f' | 'r' | 't' | ' ' | '-' | '(' | ')' | '/' | '1' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '…' => 0.92,
        'A'..='Z' | '×' | '+' | '−' | '=' => 0.7,
        _ => 0.6,
    };
    font_pixels * text.chars().map(ems).sum::<f64>()
}

/// A tenth of a pixel is all that can be seen.
pub(super) fn pixels(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn joined(points: &[At]) -> String {
    points.iter().map(|(x, y)| format!("{},{}", pixels(*x), pixels(*y))).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tip_is_text_whatever_it_holds() {
        let mut canvas = Canvas::default();
        canvas.circle("s0", (1.0, 2.25), 3.0, "a < b");
        assert_eq!(
            canvas.into_text(),
            "<circle class=\"s0\" cx=\"1\" cy=\"2.2\" r=\"3\"><title>a &lt; b</title></circle>"
        );
    }
}
