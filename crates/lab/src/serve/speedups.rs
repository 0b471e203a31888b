//! What schemes gain: cycles of a run without compression over cycles of the same run with a scheme.

use std::collections::BTreeMap;

use crate::store::RunRow;
use shrinkwarp_report::chart::{Axis, Chart, Mean, Series};

/// The scheme that others are compared with.
pub(super) const BASELINE: &str = "none";
/// Beyond these a chart cannot be read; a filter helps.
const MOST_PROGRAMS: usize = 60;
const MOST_SCHEMES: usize = 8;

/// Everything of a run but its scheme.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Program<'a> {
    pub(super) workload: &'a str,
    pub(super) gpu: &'a str,
    pub(super) scale: &'a str,
    data: &'a str,
    input: Option<&'a str>,
    seed: u64,
    overrides: &'a [String],
}

impl<'a> Program<'a> {
    pub(super) fn of(row: &'a RunRow) -> Self {
        Self {
            workload: &row.workload,
            gpu: &row.gpu,
            scale: &row.scale,
            data: &row.data,
            input: row.input.as_deref(),
            seed: row.seed,
            overrides: &row.overrides,
        }
    }
}

/// Cycles of each program under each scheme.
pub(super) type Cycles<'a> = BTreeMap<Program<'a>, BTreeMap<&'a str, u64>>;

/// Of the runs that have any.
pub(super) fn cycles(rows: &[RunRow]) -> Cycles<'_> {
    let mut cycles: Cycles<'_> = BTreeMap::new();
    for row in rows {
        if let Some(count) = row.cycles.filter(|count| *count > 0) {
            cycles.entry(Program::of(row)).or_default().insert(&row.scheme, count);
        }
    }
    cycles
}

/// Cycles of a scheme over those of another; none where one of the two was not run.
pub(super) fn speedup(by_scheme: &BTreeMap<&str, u64>, before: &str, after: &str) -> Option<f64> {
    let (before, after) = (by_scheme.get(before)?, by_scheme.get(after)?);
    Some(*before as f64 / *after as f64)
}

/// Speedups by program and scheme, or why they are not drawn; and a sentence on their mean.
pub(super) fn chart(rows: &[RunRow]) -> (Option<Chart>, String) {
    let mut cycles = cycles(rows);
    cycles.retain(|_, by_scheme| by_scheme.contains_key(BASELINE) && by_scheme.len() > 1);
    let schemes = schemes_of(&cycles);
    if cycles.is_empty() {
        return (None, String::new());
    }
    if cycles.len() > MOST_PROGRAMS || schemes.len() > MOST_SCHEMES {
        let note = format!(
            "Speedups of {} workloads and inputs under {} schemes are too many for one chart; filters choose fewer.",
            cycles.len(),
            schemes.len()
        );
        return (None, note);
    }
    let of_scheme = |scheme: &&str| {
        Series::new(*scheme, cycles.values().map(|by_scheme| speedup(by_scheme, BASELINE, scheme)))
    };
    let series: Vec<Series> = schemes.iter().map(of_scheme).collect();
    let chart = Chart::bars("Speedup over no compression", Axis::ratio("speedup"), names(&cycles), series)
        .x_label("workload");
    let (has_mean, note) = mean_note(&cycles, &schemes);
    (Some(if has_mean { chart.with_mean(Mean::Geometric) } else { chart }), note)
}

/// Whether there is a mean: of one GPU and one scale, over the programs that every scheme has; and over which.
fn mean_note(cycles: &Cycles<'_>, schemes: &[&str]) -> (bool, String) {
    let has_all =
        |by_scheme: &BTreeMap<&str, u64>| schemes.iter().all(|scheme| by_scheme.contains_key(scheme));
    let common: Vec<&Program<'_>> =
        cycles.iter().filter(|(_, by_scheme)| has_all(by_scheme)).map(|(program, _)| program).collect();
    let Some(first) = cycles.keys().next() else { return (false, String::new()) };
    if cycles.keys().any(|program| (program.gpu, program.scale) != (first.gpu, first.scale)) {
        let note = "There is no mean, because these runs have different GPUs or scales; choose one of each.";
        return (false, note.to_owned());
    }
    if common.len() < 2 {
        return (
            false,
            "There is no mean: fewer than two workloads were run with all of these schemes.".to_owned(),
        );
    }
    let names: Vec<&str> = common.iter().map(|program| program.workload).collect();
    let note = format!(
        "The geometric mean is over the {} of {} that were run with all of these schemes on {} at {} scale: {}.",
        common.len(),
        cycles.len(),
        first.gpu,
        first.scale,
        names.join(", ")
    );
    (true, note)
}

fn schemes_of<'a>(cycles: &Cycles<'a>) -> Vec<&'a str> {
    let mut schemes: Vec<&str> = cycles
        .values()
        .flat_map(|by_scheme| by_scheme.keys().copied())
        .filter(|scheme| *scheme != BASELINE)
        .collect();
    schemes.sort_unstable();
    schemes.dedup();
    schemes
}

/// The workload, and what else is needed to tell programs apart.
pub(super) fn names(cycles: &Cycles<'_>) -> Vec<String> {
    let is_same = |same: fn(&Program, &Program) -> bool| {
        cycles.keys().zip(cycles.keys().skip(1)).all(|(a, b)| same(a, b))
    };
    let (one_gpu, one_scale) = (is_same(|a, b| a.gpu == b.gpu), is_same(|a, b| a.scale == b.scale));
    let (one_seed, one_set) = (is_same(|a, b| a.seed == b.seed), is_same(|a, b| a.overrides == b.overrides));
    let one_data = is_same(|a, b| a.workload != b.workload || a.data == b.data);
    let one_input = is_same(|a, b| a.workload != b.workload || a.input == b.input);
    let name = |program: &Program| {
        let mut name = program.workload.to_owned();
        let input =
            program.input.map_or(String::new(), |hash| format!("input {}", hash.get(..6).unwrap_or(hash)));
        let parts = [
            (one_gpu, program.gpu.to_owned()),
            (one_scale, program.scale.to_owned()),
            (one_data, program.data.to_owned()),
            (one_input, input),
            (one_seed, format!("seed {}", program.seed)),
            (one_set, program.overrides.join(" ")),
        ];
        for (_, part) in parts.into_iter().filter(|(is_one, part)| !is_one && !part.is_empty()) {
            name += &format!(" {part}");
        }
        name
    };
    cycles.keys().map(name).collect()
}
