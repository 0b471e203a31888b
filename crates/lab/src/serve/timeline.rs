//! How runs went over time: the samples of the machine as lines, one chart per question.

use crate::run::{LaunchResult, RunResult, Series};
use shrinkwarp_report::chart::{Axis, Chart, Format, Line};

struct TimelineChart {
    title: &'static str,
    axis: &'static str,
    format: Format,
    /// The name of each line, its column, and the column it is divided by.
    lines: &'static [(&'static str, &'static str, &'static str)],
}

const CHARTS: [TimelineChart; 6] = [
    TimelineChart {
        title: "Instructions",
        axis: "thread instructions per cycle",
        format: Format::Plain,
        lines: &[("", "thread_instructions", "cycles")],
    },
    TimelineChart {
        title: "Cache hits",
        axis: "hits of accesses",
        format: Format::Percent,
        lines: &[("L1", "l1_hits", "l1_accesses"), ("L2", "l2_hits", "l2_accesses")],
    },
    TimelineChart {
        title: "Why schedulers do not issue",
        axis: "schedulers",
        format: Format::Plain,
        lines: &[
            ("no instruction", "no_instruction_cycles", "cycles"),
            ("waits for registers", "register_wait_cycles", "cycles"),
            ("pipe full", "pipe_full_cycles", "cycles"),
        ],
    },
    TimelineChart {
        title: "Replies that the network refused",
        axis: "L2 slices stalled",
        format: Format::Plain,
        lines: &[("", "reply_stall_cycles", "cycles")],
    },
    TimelineChart {
        title: "DRAM bursts",
        axis: "bursts per core cycle",
        format: Format::Plain,
        lines: &[("read", "dram_read_bursts", "cycles"), ("write", "dram_write_bursts", "cycles")],
    },
    TimelineChart {
        title: "Warps on the machine",
        axis: "warps",
        format: Format::Plain,
        lines: &[("", "resident_warps", "")],
    },
];

/// One chart per question, with the lines of every run and where its kernels begin; runs without a time series are left
/// out.
pub(super) fn charts(runs: &[(&str, &RunResult)]) -> Vec<Chart> {
    let sampled = runs.iter().filter(|(_, result)| !result.series.is_empty());
    let mut boundaries: Vec<(f64, String)> =
        sampled.flat_map(|(run, result)| boundaries(run, &result.launches)).collect();
    boundaries.sort_by(|a, b| a.0.total_cmp(&b.0));
    let drawn = CHARTS.iter().filter_map(|chart| drawn(chart, runs));
    drawn.map(|chart| chart.with_boundaries(boundaries.clone())).collect()
}

/// Where each kernel begins; launches of one kernel after the other are one.
fn boundaries(run: &str, launches: &[LaunchResult]) -> Vec<(f64, String)> {
    let mut boundaries: Vec<(f64, String)> = Vec::new();
    let mut cycles = 0;
    for launches in launches.chunk_by(|a, b| a.kernel == b.kernel) {
        let times = if launches.len() > 1 { format!(" × {}", launches.len()) } else { String::new() };
        boundaries.push((cycles as f64, label(run, &format!("{}{times}", launches[0].kernel), "")));
        cycles += launches.iter().map(|launch| launch.cycles).sum::<u64>();
    }
    boundaries
}

fn drawn(chart: &TimelineChart, runs: &[(&str, &RunResult)]) -> Option<Chart> {
    let mut lines = Vec::new();
    for (run, result) in runs {
        for (name, column, per) in chart.lines {
            let points = points(&result.series, column, per);
            if !points.is_empty() {
                lines.push(Line::new(label(run, name, chart.title), points));
            }
        }
    }
    let axis = Axis { low: Some(0.0), ..Axis::new(chart.axis).format(chart.format) };
    let time = Axis { low: Some(0.0), ..Axis::new("time").unit("cycles") };
    (!lines.is_empty()).then(|| Chart::time_series(chart.title, time, axis, lines))
}

/// The run where there are several, the line where there are several, else the title.
pub(super) fn label(run: &str, line: &str, title: &str) -> String {
    match (run, line) {
        ("", "") => title.to_lowercase(),
        (run, "") => run.to_owned(),
        ("", line) => line.to_owned(),
        (run, line) => format!("{run}: {line}"),
    }
}

/// Samples of one launch follow those of the launch before, so time is the sum of what they cover.
fn points(series: &Series, column: &str, per: &str) -> Vec<(f64, f64)> {
    let mut time = 0.0;
    let mut points = Vec::new();
    let divisors = series.column(per);
    for (index, (cycles, value)) in series.column("cycles").iter().zip(series.column(column)).enumerate() {
        time += cycles.unwrap_or(0.0);
        let divisor = if per.is_empty() { Some(1.0) } else { divisors.get(index).copied().flatten() };
        // A sample without an access has no hit rate.
        if let (Some(value), Some(divisor)) = (value, divisor.filter(|divisor| *divisor > 0.0)) {
            points.push((time, value / divisor));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_from_launch_to_launch_and_rates_need_accesses() {
        let column = |values: &[f64]| values.iter().copied().map(Some).collect();
        let series = Series {
            columns: [
                ("cycle".to_owned(), column(&[100.0, 150.0, 100.0])),
                ("cycles".to_owned(), column(&[100.0, 50.0, 100.0])),
                ("l1_hits".to_owned(), column(&[5.0, 0.0, 8.0])),
                ("l1_accesses".to_owned(), column(&[10.0, 0.0, 10.0])),
            ]
            .into(),
        };
        assert_eq!(points(&series, "l1_hits", "l1_accesses"), [(100.0, 0.5), (250.0, 0.8)]);
        assert_eq!(points(&series, "l1_hits", ""), [(100.0, 5.0), (150.0, 0.0), (250.0, 8.0)]);
        let launch = |kernel: &str, cycles| LaunchResult {
            kernel: kernel.into(),
            cycles,
            thread_instructions: 1,
            warp_instructions: 1,
            blocks_per_sm: 1,
            registers_per_thread: 1,
        };
        let launches = vec![launch("expand", 100), launch("expand", 50), launch("count", 100)];
        let result = RunResult { series, launches, ..RunResult::default() };
        let charts = charts(&[("", &result)]);
        assert_eq!(charts.iter().map(|chart| chart.title.as_str()).collect::<Vec<_>>(), ["Cache hits"]);
        let svg = charts[0].svg();
        for tip in ["expand × 2 begins at 0 cycles", "count begins at 150 cycles"] {
            assert!(svg.contains(tip), "{tip}: {svg}");
        }
    }
}
