//! Two runs side by side: what differs in what was asked, and in what came out.

use super::measures::MEASURES;
use super::{decisions, name_of, site_page, timeline};
use crate::run::{Record, RunResult};
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::{Axis, Chart, Format, Group, Series as Bars};
use shrinkwarp_report::page::{Card, Page};

pub(super) fn page(first: &Record, second: &Record) -> Page {
    let lead = format!("A: {}\nB: {}", name_of(first), name_of(second));
    let mut page = site_page("A against B", &lead);
    let links = [first, second].map(|record| {
        let (identity, short) = (record.identity.as_str(), record.identity.short());
        format!("<a href=\"/run/{identity}\">{short}</a>")
    });
    page.markup(&format!("<p>A is run {}, B is run {}.</p>", links[0], links[1]));
    if let (Some(a), Some(b)) = (first.result(), second.result()) {
        add_measures(&mut page, a, b);
        add_timeline(&mut page, a, b);
        decisions::add(&mut page, &[("A", first), ("B", second)]);
        add_counters(&mut page, a, b);
    } else {
        page.text("A run that failed has no numbers to compare.");
    }
    add_settings(&mut page, first, second);
    page
}

fn add_measures(page: &mut Page, a: &RunResult, b: &RunResult) {
    let speedup = a.cycles as f64 / b.cycles.max(1) as f64;
    let saved = |name: &str, before: f64, after: f64| {
        Card::new(name, Format::Change.short(after / before - 1.0), "B against A")
    };
    page.cards(&[
        Card::new("speedup", Format::Times.precise(speedup), "cycles of A over cycles of B"),
        saved("DRAM traffic", a.counters.get(Counter::DRAM_BYTES), b.counters.get(Counter::DRAM_BYTES)),
        saved("flits", a.counters.get(Counter::FLITS), b.counters.get(Counter::FLITS)),
        saved("energy", a.energy_j(), b.energy_j()),
    ]);
    page.table(&["measure", "A", "B", "B against A"], &measure_rows(a, b));
    page.chart(&relative_chart(a, b));
    page.chart(&energy_chart(a, b));
}

fn add_timeline(page: &mut Page, a: &RunResult, b: &RunResult) {
    let charts = timeline::charts(&[("A", &a.series), ("B", &b.series)]);
    if !charts.is_empty() {
        page.heading("timeline", "Timeline");
    }
    for chart in &charts {
        page.chart(chart);
    }
}

fn add_counters(page: &mut Page, a: &RunResult, b: &RunResult) {
    page.heading("counters", "Counters that differ");
    let rows = counter_rows(a, b);
    page.details(&format!("{} of them", rows.len()), |page| {
        page.table(&["counter", "A", "B", "B against A"], &rows);
    });
}

fn measure_rows(a: &RunResult, b: &RunResult) -> Vec<Vec<String>> {
    let row = |measure: &super::measures::Measure| {
        let (before, after) = (measure.of(a), measure.of(b));
        before.or(after)?;
        Some(vec![measure.name.to_owned(), measure.text(before), measure.text(after), change(before, after)])
    };
    MEASURES.iter().filter_map(row).collect()
}

fn counter_rows(a: &RunResult, b: &RunResult) -> Vec<Vec<String>> {
    let mut names: Vec<&str> = a.counters.iter().chain(b.counters.iter()).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    // A counter that only one of the runs has is 0 in the other.
    let value = |result: &RunResult, name: &str| result.counters.value(name).unwrap_or(0.0);
    let differ = names.into_iter().filter(|name| value(a, name) != value(b, name));
    differ
        .map(|name| {
            let (before, after) = (value(a, name), value(b, name));
            vec![name.to_owned(), before.to_string(), after.to_string(), change(Some(before), Some(after))]
        })
        .collect()
}

fn change(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before != 0.0 => Format::Change.short(after / before - 1.0),
        _ => "–".to_owned(),
    }
}

/// Amounts of B as a share of A's.
fn relative_chart(a: &RunResult, b: &RunResult) -> Chart {
    let amounts = MEASURES.iter().filter(|measure| measure.is_amount());
    let ratio = |measure: &super::measures::Measure| {
        let (before, after) = (measure.of(a)?, measure.of(b)?);
        (before > 0.0).then(|| (measure.name, after / before))
    };
    let ratios: Vec<(&str, f64)> = amounts.filter_map(ratio).collect();
    let values = vec![Bars::new("B", ratios.iter().map(|(_, ratio)| *ratio))];
    Chart::bars("B as a share of A", Axis::ratio("B over A"), ratios.iter().map(|(name, _)| *name), values)
}

fn energy_chart(a: &RunResult, b: &RunResult) -> Chart {
    let names: Vec<&str> = a.energy_parts().into_iter().chain(b.energy_parts()).map(|(name, _)| name).fold(
        Vec::new(),
        |mut names, name| {
            if !names.contains(&name) {
                names.push(name);
            }
            names
        },
    );
    let bar = |result: &RunResult| {
        let parts = result.energy_parts();
        let joules =
            |name: &&str| parts.iter().find(|(known, _)| known == name).map_or(0.0, |(_, joules)| *joules);
        names.iter().map(|name| 1e3 * joules(name)).collect::<Vec<f64>>()
    };
    let groups = vec![Group::single("A", bar(a)), Group::single("B", bar(b))];
    let parts = names.iter().map(|name| name.replace('_', " "));
    Chart::stacked("Where the energy goes", Axis::new("energy").unit("mJ"), parts, groups)
}

/// The keys that the two were given different values for.
fn add_settings(page: &mut Page, first: &Record, second: &Record) {
    let texts = [
        ("GPU", &first.gpu_text, &second.gpu_text),
        ("scheme", &first.scheme_text, &second.scheme_text),
        ("energy", &first.energy_text, &second.energy_text),
    ];
    let mut rows = Vec::new();
    for (what, a, b) in texts {
        for (side, ours, theirs) in [("A", a, b), ("B", b, a)] {
            let lines =
                ours.lines().filter(|line| line.contains('=') && !theirs.lines().any(|other| other == *line));
            rows.extend(lines.map(|line| vec![what.to_owned(), side.to_owned(), line.to_owned()]));
        }
    }
    page.heading("settings", "Settings that differ");
    if rows.is_empty() {
        page.text("None.");
    } else {
        page.table(&["of", "in", "setting"], &rows);
    }
}
