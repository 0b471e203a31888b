//! What was drawn, as text and as JSON.

use std::path::PathBuf;

use serde_json::{Value as Json, json};
use shrinkwarp_report::chart::Table;
use shrinkwarp_report::figure::{Claim, Figure, Paper, Verdict};

use super::{Drawn, verdicts};

/// The figures of one page, and where it was written.
pub struct DrawnPage {
    /// The paper.
    pub paper: Paper,
    /// Its figures.
    pub drawn: Vec<Drawn>,
    /// The file.
    pub path: PathBuf,
}

/// Tables, claims and reasons of pages, for a terminal.
pub fn text(pages: &[DrawnPage]) -> String {
    let mut text = String::new();
    for DrawnPage { paper, drawn, path } in pages {
        text += &format!("{}\n", paper.title());
        let mut told = Vec::new();
        for drawn in drawn {
            match &drawn.figure {
                Ok(figure) => {
                    if let Some(part) = &drawn.part {
                        text += &format!("  {:<14} {part}\n", figure.id);
                    }
                    text += &figure.tables.iter().map(table_text).collect::<String>();
                    text += &figure.claims.iter().map(|claim| line(&figure.id, claim)).collect::<String>();
                    text += &reasons(figure, &mut told);
                }
                Err(error) => text += &format!("  {:<14} not drawn: {error}\n", drawn.spec.id),
            }
        }
        let counts = verdicts(drawn).into_iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> =
            counts.map(|(verdict, count)| format!("{count} {}", verdict.name())).collect();
        // A figure without claims has no verdicts to count.
        let counts = if counts.is_empty() { String::new() } else { format!("{}; ", counts.join(", ")) };
        text += &format!("  {counts}{}\n\n", path.display());
    }
    text
}

/// A table of a figure; what is in brackets in a column's name goes into a second line.
fn table_text((name, table): &(String, Table)) -> String {
    let cell = |value: &Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    let mut lines = vec![vec![name.clone()], vec![String::new()]];
    for column in &table.header[1..] {
        let (first, second) = column.split_once(' ').unwrap_or((column, ""));
        lines[0].push(first.to_owned());
        lines[1].push(second.to_owned());
    }
    for (row, values) in &table.rows {
        lines.push(std::iter::once(row.clone()).chain(values.iter().map(cell)).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        text += &format!("  {:<width$}", line[0], width = widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// One claim.
fn line(figure: &str, claim: &Claim) -> String {
    let mark = match claim.verdict {
        Verdict::Reproduced => "=",
        Verdict::Partly => "~",
        Verdict::Not => "x",
        Verdict::New => return format!("  {figure:<14} + {:<52} {}\n", claim.what, claim.ours.text()),
    };
    let difference = claim.difference().map_or(String::new(), |difference| format!("  {difference}"));
    format!(
        "  {figure:<14} {mark} {:<52} {:>10} published, {:>10} here{difference}\n",
        claim.what,
        claim.published.text(),
        claim.ours.text(),
    )
}

/// Why claims of a figure do not hold. A reason is told once; later figures name the one where it is.
fn reasons<'d>(figure: &'d Figure, told: &mut Vec<(&'d str, &'d str)>) -> String {
    let open = figure.claims.iter().filter(|claim| claim.is_open());
    let mut reasons: Vec<&str> = open.map(|claim| claim.why.as_str()).filter(|why| !why.is_empty()).collect();
    reasons.dedup();
    let mut text = String::new();
    for why in reasons {
        let known = told.iter().find(|(reason, _)| *reason == why);
        let words = known.map_or_else(|| why.to_owned(), |(_, figure)| format!("as in figure {figure}"));
        told.push((why, &figure.id));
        text += &format!("  {:<14}   why: {words}\n", "");
    }
    text
}

/// The claims of pages.
pub fn json(pages: &[DrawnPage]) -> Json {
    let of_page = |page: &DrawnPage| {
        let figures: Vec<Json> = page.drawn.iter().map(json_of_figure).collect();
        json!({"paper": page.paper.name(), "page": page.path.display().to_string(), "figures": figures})
    };
    pages.iter().map(of_page).collect()
}

fn json_of_figure(drawn: &Drawn) -> Json {
    let claims: Vec<Json> =
        drawn.figure.iter().flat_map(|figure| &figure.claims).map(json_of_claim).collect();
    let error = drawn.figure.as_ref().err().map(ToString::to_string);
    json!({"figure": drawn.spec.id, "title": drawn.spec.title, "claims": claims, "error": error})
}

fn json_of_claim(claim: &Claim) -> Json {
    json!({
        "what": claim.what,
        "published": claim.published.text(),
        "ours": claim.ours.text(),
        "difference": claim.difference(),
        "verdict": claim.verdict.name(),
        "why": claim.why,
    })
}
