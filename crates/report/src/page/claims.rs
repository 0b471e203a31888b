//! The summary: published, ours, difference, and whether the claim holds.

use crate::figure::{Claim, Figure, Value, Verdict};
use crate::markup::escaped;

/// A table of claims, each with its figure where there are several.
pub(super) fn table<'a>(claims: impl Iterator<Item = (Option<&'a Figure>, &'a Claim)>) -> String {
    let mut rows = String::new();
    let mut has_figures = false;
    for (figure, claim) in claims {
        has_figures |= figure.is_some();
        rows += &row(figure, claim);
    }
    let figure = if has_figures { "<th>figure" } else { "" };
    format!(
        "<div class=\"scroll\"><table class=\"claims\"><thead><tr>{figure}<th>claim<th class=\"n\">published\
         <th class=\"n\">ours<th class=\"n\">difference<th>verdict<th>why</thead><tbody>{rows}</tbody></table></div>"
    )
}

fn row(figure: Option<&Figure>, claim: &Claim) -> String {
    let figure = figure.map_or(String::new(), |figure| {
        format!("<td><a href=\"#{}\">{}</a>", escaped(&figure.file_stem()), escaped(&figure.id))
    });
    format!(
        "<tr>{figure}<td class=\"wide\">{}{}{}<td class=\"n\">{}<td>{}<td class=\"wide soft\">{}",
        escaped(&claim.what),
        cell(&claim.published),
        cell(&claim.ours),
        escaped(&claim.difference().unwrap_or_default()),
        badge(claim.verdict),
        escaped(&claim.why)
    )
}

/// Numbers line up on the right; words need room to break.
fn cell(value: &Value) -> String {
    let class = if matches!(value, Value::Words(_)) { "words" } else { "n" };
    format!("<td class=\"{class}\">{}", escaped(&value.text()))
}

/// The verdict as a word with a sign, so that its colour is not needed.
pub(super) fn badge(verdict: Verdict) -> String {
    let sign = match verdict {
        Verdict::Reproduced => "✓",
        Verdict::Partly => "◐",
        Verdict::Not => "✗",
        Verdict::New => "→",
    };
    let name = verdict.name();
    format!("<span class=\"badge {name}\">{sign} {name}</span>")
}
