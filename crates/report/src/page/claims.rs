//! Published, ours, difference, and whether the claim holds; and why, each reason once.

use super::data::SCROLL;
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
        "{SCROLL}<table class=\"claims\"><thead><tr>{figure}<th>claim<th class=\"n\">published\
         <th class=\"n\">ours<th class=\"n\">difference<th>verdict</thead><tbody>{rows}</tbody></table></div>"
    )
}

/// The reasons of a figure's claims. One that an earlier figure of the page has is a link to it; `told` has those.
pub(super) fn reasons<'a>(figure: &'a Figure, told: &mut Vec<(&'a str, &'a Figure)>) -> String {
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for claim in figure.claims.iter().filter(|claim| !claim.why.is_empty()) {
        match by_reason.iter_mut().find(|(why, _)| *why == claim.why) {
            Some((_, claims)) => claims.push(&claim.what),
            None => by_reason.push((&claim.why, vec![&claim.what])),
        }
    }
    let mut text = String::new();
    for (why, claims) in by_reason {
        let words = match told.iter().find(|(known, _)| *known == why) {
            Some((_, first)) => {
                format!("as in <a href=\"#{}\">{}</a>", escaped(&first.file_stem()), escaped(&first.id))
            }
            None => escaped(why).clone(),
        };
        told.push((why, figure));
        text += &format!("<dt>{}<dd>{words}", escaped(&claims.join("; ")));
    }
    if text.is_empty() { text } else { format!("<dl class=\"why\">{text}</dl>") }
}

fn row(figure: Option<&Figure>, claim: &Claim) -> String {
    let figure = figure.map_or(String::new(), |figure| {
        format!("<td><a href=\"#{}\">{}</a>", escaped(&figure.file_stem()), escaped(&figure.id))
    });
    format!(
        "<tr>{figure}<td class=\"wide\">{}{}{}<td class=\"n\">{}<td>{}",
        escaped(&claim.what),
        cell(&claim.published),
        cell(&claim.ours),
        escaped(&claim.difference().unwrap_or_default()),
        badge(claim.verdict),
    )
}

/// Numbers line up on the right; words need room to break.
fn cell(value: &Value) -> String {
    let class = if matches!(value, Value::Words(_)) { "words" } else { "n" };
    format!("<td class=\"{class}\">{}", escaped(&value.text()))
}

/// The verdict as a word with a sign, so that its colour is not needed.
fn badge(verdict: Verdict) -> String {
    let sign = match verdict {
        Verdict::Reproduced => "✓",
        Verdict::Partly => "◐",
        Verdict::Not => "✗",
        Verdict::New => "→",
    };
    let name = verdict.name();
    format!("<span class=\"badge {name}\">{sign} {name}</span>")
}
