//! Pages that need nothing else: one HTML file with its styles, charts as SVG, the numbers behind them, and a small
//! script for hovering, hiding series and saving pictures. No network; without the script everything can be read.
//!
//! A [`Page`] is filled from top to bottom; [`reproduction`] is the page of a paper.

mod claims;
mod data;
mod reproduction;

pub use reproduction::reproduction;

use crate::chart::{self, Chart, Colours};
use crate::markup::escaped;

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// A number with its name, large at the top of a page.
#[derive(Debug, Clone)]
pub struct Card {
    /// What it is.
    pub label: String,
    /// The number, with its unit.
    pub value: String,
    /// What it means.
    pub note: String,
}

impl Card {
    /// A card.
    pub fn new(label: impl Into<String>, value: impl Into<String>, note: impl Into<String>) -> Self {
        Self { label: label.into(), value: value.into(), note: note.into() }
    }
}

/// A page that grows from top to bottom.
#[derive(Debug, Clone)]
pub struct Page {
    title: String,
    parts: Vec<Part>,
    scripts: Vec<&'static str>,
}

/// A piece of a page.
#[derive(Debug, Clone)]
enum Part {
    Html(String),
    /// Drawn when the page is whole, so that a name has one colour in all charts.
    Chart(Box<Chart>),
}

impl Page {
    /// A page with a heading and a sentence that says what it shows.
    pub fn new(title: impl Into<String>, lead: &str) -> Self {
        let title = title.into();
        let body = format!("<header><h1>{}</h1>{}</header>", escaped(&title), paragraphs("lead", lead));
        Self { title, parts: vec![Part::Html(body)], scripts: vec![SCRIPT] }
    }

    fn add(&mut self, html: &str) {
        match self.parts.last_mut() {
            Some(Part::Html(text)) => *text += html,
            _ => self.parts.push(Part::Html(html.to_owned())),
        }
    }

    /// Numbers that sum the page up.
    pub fn cards(&mut self, cards: &[Card]) {
        let card = |card: &Card| {
            format!(
                "<div class=\"card\"><span>{}</span><strong>{}</strong><span>{}</span></div>",
                escaped(&card.label),
                escaped(&card.value),
                escaped(&card.note)
            )
        };
        self.add(&format!("<div class=\"cards\">{}</div>", cards.iter().map(card).collect::<String>()));
    }

    /// A heading that links can point at.
    pub fn heading(&mut self, anchor: &str, text: &str) {
        self.add(&format!("<h2 id=\"{}\">{}</h2>", escaped(anchor), escaped(text)));
    }

    /// Links to headings: anchor and text.
    pub fn contents(&mut self, links: &[(String, String)]) {
        let link = |(anchor, text): &(String, String)| {
            format!("<a href=\"#{}\">{}</a>", escaped(anchor), escaped(text))
        };
        self.add(&format!("<nav>{}</nav>", links.iter().map(link).collect::<String>()));
    }

    /// Plain paragraphs, one per line.
    pub fn text(&mut self, text: &str) {
        self.add(&paragraphs("", text));
    }

    /// A table of texts. Columns whose cells are numbers are set right.
    pub fn table(&mut self, header: &[&str], rows: &[Vec<String>]) {
        self.add(&data::table(header, rows));
    }

    /// A chart, with its numbers and ways to save both.
    pub fn chart(&mut self, chart: &Chart) {
        let panels = chart.panels();
        if panels.is_empty() {
            self.parts.push(Part::Chart(Box::new(chart.clone())));
        } else {
            self.add(&format!("<h3>{}</h3>", escaped(&chart.title)));
            self.row(&panels);
        }
    }

    /// Charts side by side, where the window is wide enough; give them a smaller [`Chart::width`].
    pub fn row(&mut self, charts: &[Chart]) {
        self.add("<div class=\"row\">");
        self.parts.extend(charts.iter().map(|chart| Part::Chart(Box::new(chart.clone()))));
        self.add("</div>");
    }

    /// A part that opens when its summary is clicked.
    pub fn details(&mut self, summary: &str, fill: impl FnOnce(&mut Self)) {
        self.add(&format!("<details class=\"part\"><summary>{}</summary>", escaped(summary)));
        fill(self);
        self.add("</details>");
    }

    /// What words mean: each with its explanation.
    pub fn notes(&mut self, notes: &[(&str, &str)]) {
        let note = |(word, text): &(&str, &str)| format!("<dt>{}<dd>{}", escaped(word), escaped(text));
        self.add(&format!("<dl>{}</dl>", notes.iter().map(note).collect::<String>()));
    }

    /// Text as it is, such as a configuration.
    pub fn code(&mut self, text: &str) {
        self.add(&format!("<pre>{}</pre>", escaped(text)));
    }

    /// Markup of the caller's own, with every text in it escaped ([`escaped`]).
    pub fn markup(&mut self, html: &str) {
        self.add(html);
    }

    /// A further script of the caller's own.
    pub fn script(&mut self, script: &'static str) {
        self.scripts.push(script);
    }

    /// The whole file.
    pub fn html(&self) -> String {
        let (title, chart_style) = (escaped(&self.title), chart::STYLE);
        let charts = self.parts.iter().filter_map(|part| match part {
            Part::Chart(chart) => Some(&**chart),
            Part::Html(_) => None,
        });
        let colours = Colours::of(charts);
        let part = |part: &Part| match part {
            Part::Html(html) => html.clone(),
            Part::Chart(chart) => data::chart_figure(chart, &colours),
        };
        let body: String = self.parts.iter().map(part).collect();
        let scripts: String =
            self.scripts.iter().map(|script| format!("<script>{script}</script>")).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
             <link rel=\"icon\" href=\"data:,\"><title>{title}</title><style>{STYLE}</style><style id=\"chart-style\">{chart_style}</style></head>\
             <body>{body}<footer>Made by shrinkwarp {}.</footer>{scripts}</body></html>\n",
            env!("CARGO_PKG_VERSION")
        )
    }
}

fn paragraphs(class: &str, text: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| format!("<p{class}>{}</p>", escaped(line)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Series};

    #[test]
    fn a_page_needs_no_network_and_shows_markup_as_text() {
        let mut page = Page::new("<b>", "one\ntwo");
        page.cards(&[Card::new("cycles", "12 k", "of the SMs")]);
        let series = vec![Series::new("BPC", [2.0])];
        page.chart(&Chart::bars("Ratio", Axis::ratio("CR"), ["mm"], series));
        let html = page.html();
        assert!(html.contains("<h1>&lt;b&gt;</h1><p class=\"lead\">one</p><p class=\"lead\">two</p>"));
        for address in ["http", "src=", "url("] {
            assert!(!html.contains(address), "{address} in {html}");
        }
    }
}
