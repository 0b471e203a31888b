//! What the compressed L1 of the first SM decided, phase by phase: the mode that it was in, and the numbers it decided by.
//!
//! An experimental phase (EP) is `l1.phase_accesses` accesses (a key of the scheme); `docs/l1-compression.md` says what a
//! cache measures in it and how it chooses.

use shrinkwarp_sim::config::scheme::{L1Policy, SchemeSpec};

use super::timeline::label;
use crate::run::{Record, Series};
use shrinkwarp_report::chart::{Axis, Chart, Format, Line, Strip, Strips};
use shrinkwarp_report::page::Page;

/// What the strip below a run's modes shows.
const LEARNING: &str = "tries all modes";

/// A number of the phases over time.
struct PhaseChart {
    title: &'static str,
    column: &'static str,
    axis: &'static str,
    unit: &'static str,
    format: Format,
}

const PHASE_CHARTS: [PhaseChart; 3] = [
    PhaseChart {
        title: "Latency that the schedulers hide",
        column: "l1.tolerance_cycles",
        axis: "latency tolerance",
        unit: "core cycles",
        format: Format::Plain,
    },
    PhaseChart {
        title: "Time from access to fill",
        column: "l1.miss_cycles",
        axis: "mean of the misses",
        unit: "core cycles",
        format: Format::Plain,
    },
    PhaseChart {
        title: "Effective capacity",
        column: "l1.effective_capacity",
        axis: "uncompressed bytes held over the size",
        unit: "",
        format: Format::Times,
    },
];

/// The decisions of one run, whose name is empty, or of several, as a part of a page; nothing where none has any.
pub(super) fn add(page: &mut Page, runs: &[(&str, &Record)]) {
    let mut deciders: Vec<Decider<'_>> =
        runs.iter().filter_map(|(name, record)| Decider::of(name, record)).collect();
    if deciders.is_empty() {
        return;
    }
    page.heading("decisions", "Decisions of the L1");
    deciders.retain(|decider| !decider.series.column("l1.cycle").is_empty());
    if deciders.is_empty() {
        page.text(
            "Too little was accessed: not one experimental phase ended. A larger --scale, or a smaller \
             `--set scheme.l1.phase_accesses=N`, gives some.",
        );
        return;
    }
    page.text("One step or point for each experimental phase of the L1 of the first SM.");
    for chart in charts(&deciders) {
        page.chart(&chart);
    }
}

/// A sampled run with a compressed L1.
struct Decider<'a> {
    name: &'a str,
    series: &'a Series,
    modes: Vec<String>,
    cycles: u64,
}

impl<'a> Decider<'a> {
    fn of(name: &'a str, record: &'a Record) -> Option<Self> {
        let result = record.result().filter(|result| !result.series.is_empty())?;
        // A scheme of another version of the program may have other keys; its modes then have numbers only.
        let scheme = toml::from_str::<SchemeSpec>(&record.scheme_text).ok().map(|scheme| scheme.l1);
        let has_phases = !result.series.column("l1.cycle").is_empty();
        let is_compressed = scheme.as_ref().is_some_and(|l1| l1.policy != L1Policy::None);
        let modes = scheme.map(|l1| l1.mode_names()).unwrap_or_default();
        (has_phases || is_compressed).then_some(Self {
            name,
            series: &result.series,
            modes,
            cycles: result.cycles,
        })
    }

    fn mode(&self, index: usize) -> String {
        self.modes.get(index).cloned().unwrap_or_else(|| format!("mode {index}"))
    }

    /// The mode by phase, and when sets were dedicated to all of them; `state` gives a name its colour.
    fn strips(&self, state: &mut impl FnMut(&str) -> usize) -> Vec<Strip> {
        let mut modes = Strip::new(label(self.name, "mode", ""));
        let mut learning = Strip::new(label(self.name, "learning", ""));
        let mut from = None;
        let column = |name: &str| self.series.column(name).iter().map(|value| value.unwrap_or(0.0));
        let phases =
            column("l1.cycle").zip(column("l1.cycles")).zip(column("l1.mode").zip(column("l1.is_learning")));
        for ((to, cycles), (mode, is_learning)) in phases {
            // Phases that were not recorded lie between those that were.
            let start = from.unwrap_or(to - cycles);
            modes.push(start, to, state(&self.mode(mode as usize)));
            if is_learning > 0.0 {
                learning.push(start, to, state(LEARNING));
            }
            from = Some(to);
        }
        [modes, learning].into_iter().filter(|strip| !strip.is_empty()).collect()
    }

    /// The average memory access time of each mode, in the order of the modes.
    fn estimates(&self) -> Vec<Line> {
        let estimate = |mode: usize| {
            let points = self.series.points("l1.cycle", &format!("l1.amat_cycles.{mode}"));
            Line::new(label(self.name, &self.mode(mode), ""), points)
        };
        let lines: Vec<Line> = (0..self.modes.len()).map(estimate).collect();
        if lines.iter().all(|line| line.points.is_empty()) { Vec::new() } else { lines }
    }
}

fn charts(deciders: &[Decider<'_>]) -> Vec<Chart> {
    let last_cycle = deciders.iter().map(|decider| decider.cycles).max().unwrap_or(0) as f64;
    let time = || Axis::new("time").unit("core cycles").range(0.0, last_cycle);
    let mut charts = vec![mode_chart(deciders, time())];
    let estimates: Vec<Line> = deciders.iter().flat_map(Decider::estimates).collect();
    if !estimates.is_empty() {
        let axis = Axis { low: Some(0.0), ..Axis::new("AMAT").unit("core cycles") };
        charts.push(Chart::time_series("Average memory access time by mode", time(), axis, estimates));
    }
    for chart in &PHASE_CHARTS {
        let line = |decider: &Decider<'_>| {
            let points = decider.series.points("l1.cycle", chart.column);
            Line::new(label(decider.name, "", chart.axis), points)
        };
        let axis = Axis { low: Some(0.0), ..Axis::new(chart.axis).unit(chart.unit).format(chart.format) };
        charts.push(Chart::time_series(chart.title, time(), axis, deciders.iter().map(line).collect()));
    }
    charts
}

fn mode_chart(deciders: &[Decider<'_>], time: Axis) -> Chart {
    // The modes come first, in order, so that they have the colours of the lines below.
    let mut states: Vec<String> = Vec::new();
    let mut state = |name: &str| {
        states.iter().position(|known| known == name).unwrap_or_else(|| {
            states.push(name.to_owned());
            states.len() - 1
        })
    };
    for mode in deciders.iter().flat_map(|decider| &decider.modes) {
        state(mode);
    }
    let rows = deciders.iter().flat_map(|decider| decider.strips(&mut state)).collect();
    Chart::strips("Mode of the L1", time, Strips { states, rows })
}
