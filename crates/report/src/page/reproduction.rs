//! The page of a paper: how many of its claims hold, each of them, then every figure.

use super::{Card, Page, claims, data};
use crate::chart::Format;
use crate::figure::{Figure, Paper, Verdict};

/// The page of a paper; `lead` says what was run, `codes` what the short names on the axes mean.
pub fn reproduction(paper: Paper, lead: &str, codes: &[(&str, &str)], figures: &[Figure]) -> Page {
    let mut page = Page::new(paper.title(), lead);
    let all =
        || figures.iter().flat_map(|figure| figure.claims.iter().map(move |claim| (Some(figure), claim)));
    if all().next().is_some() {
        page.cards(&verdict_cards(figures));
    }
    page.contents(&figures.iter().map(|figure| (figure.file_stem(), figure.id.clone())).collect::<Vec<_>>());
    if all().next().is_some() {
        let is_paper = paper != Paper::Combined;
        let heading = if is_paper { "What the paper says, and what we found" } else { "What we found" };
        page.heading("summary", heading);
        page.add(&claims::table(all()));
    }
    if !codes.is_empty() {
        page.details("What the names of the workloads mean", |page| page.notes(codes));
    }
    let mut told = Vec::new();
    for figure in figures {
        add(&mut page, figure, &mut told);
    }
    page
}

/// How many claims have each verdict; a verdict that none has gets no card.
fn verdict_cards(figures: &[Figure]) -> Vec<Card> {
    let count = |verdict: &Verdict| {
        figures.iter().flat_map(|figure| &figure.claims).filter(|claim| claim.verdict == *verdict).count()
    };
    let meaning = |verdict: Verdict| match verdict {
        Verdict::Reproduced => "the size of the effect agrees",
        Verdict::Partly => "its direction agrees, its size does not",
        Verdict::Not => "see why, below",
        Verdict::New => "no paper asked",
    };
    let given = Verdict::ALL.into_iter().filter(|verdict| count(verdict) > 0);
    given.map(|verdict| Card::new(verdict.name(), count(&verdict).to_string(), meaning(verdict))).collect()
}

fn add<'a>(page: &mut Page, figure: &'a Figure, told: &mut Vec<(&'a str, &'a Figure)>) {
    let number = if figure.paper == Paper::Combined { String::new() } else { format!("{} · ", figure.id) };
    page.heading(&figure.file_stem(), &format!("{number}{}", figure.title));
    page.text(&figure.text);
    for chart in &figure.charts {
        page.chart(chart);
    }
    for (name, table) in &figure.tables {
        page.add(&format!("<h3>{}</h3>", crate::markup::escaped(name)));
        page.add(&data::number_table(table, Format::Plain));
    }
    if !figure.claims.is_empty() {
        page.add(&claims::table(figure.claims.iter().map(|claim| (None, claim))));
        page.add(&claims::reasons(figure, told));
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
        let again = Figure::new(Paper::E2mc, "9b", "Ratio in bursts")
            .claim(Claim::number("BDI", 1.44, 1.0, Format::Times).why("zeros <only>"));
        let codes = [("SC", "streamcluster")];
        let html = reproduction(Paper::E2mc, "small scale", &codes, &[figure, again]).html();
        assert!(html.contains("<span>reproduced</span><strong>1</strong>"));
        assert!(html.contains("<span>not</span><strong>2</strong>"));
        assert!(
            html.contains("<a href=\"#e2mc-9a\">9a</a>")
                && html.contains("<h2 id=\"e2mc-9a\">9a · Raw ratio</h2>")
        );
        assert_eq!(html.matches("zeros &lt;only&gt;").count(), 1, "a reason is told once");
        assert!(html.contains("as in <a href=\"#e2mc-9a\">9a</a>"));
        assert!(html.contains("<dt>SC<dd>streamcluster"));
    }
}
