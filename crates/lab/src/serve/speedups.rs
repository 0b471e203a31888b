//! What schemes gain: cycles of a run without compression over cycles of the same run with a scheme.

use std::collections::BTreeMap;

use crate::store::RunRow;
use shrinkwarp_report::chart::{Axis, Chart, Mean, Series};

/// The scheme that others are compared with.
const BASELINE: &str = "none";
/// Beyond these a chart cannot be read; a filter helps.
const MOST_PROGRAMS: usize = 60;
const MOST_SCHEMES: usize = 8;

/// Everything of a run but its scheme.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Program<'a> {
    workload: &'a str,
    gpu: &'a str,
    scale: &'a str,
    data: &'a str,
    seed: u64,
    overrides: &'a [String],
}

/// Speedups by program and scheme; none where nothing can be compared, or too much.
pub(super) fn chart(rows: &[RunRow]) -> Option<Chart> {
    let mut cycles: BTreeMap<Program, BTreeMap<&str, u64>> = BTreeMap::new();
    for row in rows {
        let program = Program {
            workload: &row.workload,
            gpu: &row.gpu,
            scale: &row.scale,
            data: &row.data,
            seed: row.seed,
            overrides: &row.overrides,
        };
        if let Some(count) = row.cycles {
            cycles.entry(program).or_default().insert(&row.scheme, count);
        }
    }
    cycles.retain(|_, by_scheme| by_scheme.contains_key(BASELINE) && by_scheme.len() > 1);
    let schemes = schemes_of(&cycles);
    if cycles.is_empty() || cycles.len() > MOST_PROGRAMS || schemes.len() > MOST_SCHEMES {
        return None;
    }
    let speedup = |by_scheme: &BTreeMap<&str, u64>, scheme: &str| {
        let (before, after) = (by_scheme.get(BASELINE)?, by_scheme.get(scheme)?);
        (*after > 0).then(|| *before as f64 / *after as f64)
    };
    let series = schemes
        .iter()
        .map(|scheme| Series::new(*scheme, cycles.values().map(|by_scheme| speedup(by_scheme, scheme))));
    let axis = Axis::ratio("speedup");
    let chart = Chart::bars("Speedup over no compression", axis, names(&cycles), series.collect());
    Some(chart.with_mean(Mean::Geometric).x_label("workload"))
}

fn schemes_of<'a>(cycles: &BTreeMap<Program, BTreeMap<&'a str, u64>>) -> Vec<&'a str> {
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
fn names(cycles: &BTreeMap<Program, BTreeMap<&str, u64>>) -> Vec<String> {
    let is_same = |same: fn(&Program, &Program) -> bool| {
        cycles.keys().zip(cycles.keys().skip(1)).all(|(a, b)| same(a, b))
    };
    let (one_gpu, one_scale) = (is_same(|a, b| a.gpu == b.gpu), is_same(|a, b| a.scale == b.scale));
    let (one_seed, one_set) = (is_same(|a, b| a.seed == b.seed), is_same(|a, b| a.overrides == b.overrides));
    let one_data = is_same(|a, b| a.workload != b.workload || a.data == b.data);
    let name = |program: &Program| {
        let mut name = program.workload.to_owned();
        let parts = [
            (one_gpu, program.gpu.to_owned()),
            (one_scale, program.scale.to_owned()),
            (one_data, program.data.to_owned()),
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
