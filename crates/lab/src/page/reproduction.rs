//! The page of a paper: how many of its claims hold, each of them, then every figure.

use super::{Card, Page, claims, data};
use crate::chart::Format;
use crate::figure::{Figure, Paper, Verdict};

/// The page of a paper; `lead` says what was run.
pub fn reproduction(paper: Paper, lead: &str, figures: &[Figure]) -> Page {
    let mut page = Page::new(paper.title(), lead);
    let all =
        || figures.iter().flat_map(|figure| figure.claims.iter().map(move |claim| (Some(figure), claim)));
    if all().next().is_some() {
        page.cards(&verdict_cards(figures));
    }
    page.contents(&figures.iter().map(|figure| (figure.file_stem(), figure.id.clone())).collect::<Vec<_>>());
    if all().next().is_some() {
        page.heading("summary", "What the paper says, and what we found");
        page.body += &claims::table(all());
    }
    for figure in figures {
        add(&mut page, figure);
    }
    page
}

fn verdict_cards(figures: &[Figure]) -> [Card; 3] {
    let count = |verdict| {
        let claims = figures.iter().flat_map(|figure| &figure.claims);
        claims.filter(|claim| claim.verdict == verdict).count().to_string()
    };
    [
        Card::new("reproduced", count(Verdict::Reproduced), "the size of the effect agrees"),
        Card::new("partly", count(Verdict::Partly), "its direction agrees, its size does not"),
        Card::new("not", count(Verdict::Not), "see why, below"),
    ]
}

fn add(page: &mut Page, figure: &Figure) {
    let number = if figure.paper == Paper::Combined { String::new() } else { format!("{} · ", figure.id) };
    page.heading(&figure.file_stem(), &format!("{number}{}", figure.title));
    page.text(&figure.text);
    for chart in &figure.charts {
        page.chart(chart);
    }
    for (name, table) in &figure.tables {
        page.body += &format!("<h3>{}</h3>", crate::markup::escaped(name));
        page.body += &data::number_table(table, Format::Plain);
    }
    if !figure.claims.is_empty() {
        page.claims(&figure.claims);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Claim;

    #[test]
    fn the_summary_counts_the_claims_and_links_to_their_figures() {
        let figure = Figure::new(Paper::E2mc, "9a", "Raw ratio")
            .claim(Claim::number("E2MC16", 1.97, 1.95, Format::Times))
            .claim(Claim::number("BDI", 1.44, 1.0, Format::Times).why("zeros <only>"));
        let html = reproduction(Paper::E2mc, "small scale", &[figure]).html();
        assert!(html.contains("<span>reproduced</span><strong>1</strong>"));
        assert!(html.contains("<span>not</span><strong>1</strong>"));
        assert!(
            html.contains("<a href=\"#e2mc-9a\">9a</a>")
                && html.contains("<h2 id=\"e2mc-9a\">9a · Raw ratio</h2>")
        );
        assert!(html.contains("zeros &lt;only&gt;"));
    }
}
