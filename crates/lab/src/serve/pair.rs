//! Two runs side by side: what differs in what was asked, and in what came out.

use super::measures::MEASURES;
use super::{decisions, name_of, site_page, timeline};
use crate::run::{Record, RunResult};
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::{Axis, Chart, Format, Group, Series as Bars};
use shrinkwarp_report::markup::escaped;
use shrinkwarp_report::page::{Card, Page};

pub(super) fn page(first: &Record, second: &Record) -> Page {
    let (a, b) = labels(first, second);
    let lead = format!("{a}: {}\n{b}: {}", name_of(first), name_of(second));
    let mut page = site_page(&format!("{b} against {a}"), &lead);
    let [one, other] = [first, second].map(|record| {
        let (identity, short) = (record.identity.as_str(), record.identity.short());
        format!("<a href=\"/run/{identity}\">{short}</a>")
    });
    let (of_a, of_b) = (escaped(&a), escaped(&b));
    page.markup(&format!(
        "<p>{of_a} is run {one}, {of_b} is run {other}. <a href=\"/compare?run={}&amp;run={}\">Swap: {of_a} against {of_b}</a></p>",
        second.identity, first.identity
    ));
    let names = [a.as_str(), b.as_str()];
    if let (Some(one), Some(other)) = (first.result(), second.result()) {
        let sides = Sides { names, a: one, b: other };
        add_measures(&mut page, &sides);
        add_timeline(&mut page, &sides);
        decisions::add(&mut page, &[(names[0], first), (names[1], second)]);
        add_counters(&mut page, &sides);
    } else {
        page.text("A run that failed has no numbers to compare.");
    }
    add_settings(&mut page, first, second, names);
    page
}

/// What two runs are called: their schemes, or the first thing else in which they differ.
fn labels(first: &Record, second: &Record) -> (String, String) {
    let values = |record: &Record| {
        let changes = record.overrides.join(" ");
        [
            record.scheme.clone(),
            record.workload.clone(),
            record.gpu.clone(),
            record.scale.clone(),
            record.data.clone(),
            format!("seed {}", record.seed),
            if changes.is_empty() { "no changes".to_owned() } else { changes },
        ]
    };
    let differing = values(first).into_iter().zip(values(second)).find(|(one, other)| one != other);
    differing.unwrap_or_else(|| ("A".to_owned(), "B".to_owned()))
}

/// Two results with their names; the second is compared with the first.
struct Sides<'a> {
    names: [&'a str; 2],
    a: &'a RunResult,
    b: &'a RunResult,
}

impl Sides<'_> {
    fn against(&self) -> String {
        format!("{} against {}", self.names[1], self.names[0])
    }
}

fn add_measures(page: &mut Page, sides: &Sides<'_>) {
    let Sides { names, a, b } = sides;
    let speedup = a.cycles as f64 / b.cycles.max(1) as f64;
    let note = format!("cycles of {} over cycles of {}", names[0], names[1]);
    let saved = |name: &str, before: f64, after: f64| {
        Card::new(name, change(Some(before), Some(after)), sides.against())
    };
    page.cards(&[
        Card::new("speedup", Format::Times.precise(speedup), note),
        saved("DRAM traffic", a.counters.get(Counter::DRAM_BYTES), b.counters.get(Counter::DRAM_BYTES)),
        saved("flits", a.counters.get(Counter::FLITS), b.counters.get(Counter::FLITS)),
        saved("energy", a.energy_j(), b.energy_j()),
    ]);
    page.table(&["measure", names[0], names[1], &sides.against()], &measure_rows(a, b));
    page.chart(&relative_chart(sides));
    page.chart(&energy_chart(sides));
}

fn add_timeline(page: &mut Page, sides: &Sides<'_>) {
    let charts = timeline::charts(&[(sides.names[0], sides.a), (sides.names[1], sides.b)]);
    if !charts.is_empty() {
        page.heading("timeline", "Timeline");
    }
    for chart in &charts {
        page.chart(chart);
    }
}

fn add_counters(page: &mut Page, sides: &Sides<'_>) {
    page.heading("counters", "Counters that differ");
    let rows = counter_rows(sides.a, sides.b);
    page.details(&format!("{} of them", rows.len()), |page| {
        page.table(&["counter", sides.names[0], sides.names[1], &sides.against()], &rows);
    });
}

/// Amounts change by a share of what they were, shares by percentage points.
fn measure_rows(a: &RunResult, b: &RunResult) -> Vec<Vec<String>> {
    let row = |measure: &super::measures::Measure| {
        let (before, after) = (measure.of(a), measure.of(b));
        before.or(after)?;
        let difference = if measure.is_share() { points(before, after) } else { change(before, after) };
        Some(vec![measure.name.to_owned(), measure.text(before), measure.text(after), difference])
    };
    MEASURES.iter().filter_map(row).collect()
}

fn points(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) => format!("{:+.1} points", 100.0 * (after - before)).replace('-', "−"),
        _ => "–".to_owned(),
    }
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

/// Amounts of the second as multiples of the first's.
fn relative_chart(sides: &Sides<'_>) -> Chart {
    let amounts = MEASURES.iter().filter(|measure| measure.is_amount());
    let ratio = |measure: &super::measures::Measure| {
        let (before, after) = (measure.of(sides.a)?, measure.of(sides.b)?);
        (before > 0.0).then(|| (measure.name, after / before))
    };
    let ratios: Vec<(&str, f64)> = amounts.filter_map(ratio).collect();
    let values = vec![Bars::new(sides.names[1], ratios.iter().map(|(_, ratio)| *ratio))];
    let title = format!("{} relative to {}", sides.names[1], sides.names[0]);
    Chart::bars(title, Axis::ratio("ratio"), ratios.iter().map(|(name, _)| *name), values)
}

fn energy_chart(sides: &Sides<'_>) -> Chart {
    let all = sides.a.energy_parts().into_iter().chain(sides.b.energy_parts());
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let bar = |result: &RunResult| {
        let parts = result.energy_parts();
        let joules =
            |name: &&str| parts.iter().find(|(known, _)| known == name).map_or(0.0, |(_, joules)| *joules);
        names.iter().map(|name| 1e3 * joules(name)).collect::<Vec<f64>>()
    };
    let groups =
        vec![Group::single(sides.names[0], bar(sides.a)), Group::single(sides.names[1], bar(sides.b))];
    let parts = names.iter().map(|name| name.replace('_', " "));
    Chart::stacked("Where the energy goes", Axis::new("energy").unit("mJ"), parts, groups)
}

/// The keys that the two were given different values for.
fn add_settings(page: &mut Page, first: &Record, second: &Record, names: [&str; 2]) {
    let texts = [
        ("GPU", &first.gpu_text, &second.gpu_text),
        ("scheme", &first.scheme_text, &second.scheme_text),
        ("energy", &first.energy_text, &second.energy_text),
    ];
    let mut rows = Vec::new();
    for (what, a, b) in texts {
        for (side, ours, theirs) in [(names[0], a, b), (names[1], b, a)] {
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
