//! The latency that the schedulers hide, over time.

use super::{LATTE, run};
use crate::LabError;
use crate::figures::{FigureSpec, Measured, Need, Scope};
use crate::run::RunSpec;
use shrinkwarp_report::chart::{Axis, Chart, Line};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "5",
    title: "Latency tolerance over time",
    needs: |scope| recorded(scope).map(Need::Run).into_iter().collect(),
    draw,
};

/// Similarity score under LATTE-CC, with what its caches decided; the paper's example.
fn recorded(scope: Scope) -> Option<RunSpec> {
    let member =
        super::sensitive(scope).into_iter().find(|member| member.workload.name == "similarity-score")?;
    Some(super::recorded(run(scope, &member, &LATTE)))
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let Some(spec) = recorded(scope) else { return Ok(FIGURE.begin()) };
    let series = &measured.result(&spec)?.series;
    let points = series.points("l1.cycle", "l1.tolerance_cycles");
    let tolerance: Vec<f64> = points.iter().map(|(_, cycles)| *cycles).collect();
    let chart = Chart::time_series(
        "Similarity score: latency that SM 0 hides",
        Axis::new("time").unit("core cycles"),
        Axis::new("tolerance").unit("cycles"),
        vec![Line::new("tolerance", points)],
    );
    if tolerance.is_empty() {
        let text = "The run is too short: it has no whole experimental phase.";
        return Ok(FIGURE.begin().text(text).chart(chart));
    }
    let low = tolerance.iter().copied().fold(f64::INFINITY, f64::min);
    let high = tolerance.iter().copied().fold(0.0, f64::max);
    let varies = high > 2.0 * low.max(0.5);
    let ours = format!("{low:.1} to {high:.1} cycles");
    Ok(FIGURE
        .begin()
        .text("One point for each experimental phase of the L1 of SM 0.")
        .chart(chart)
        .claim(Claim::words("the tolerance varies over time", "varies between phases", ours, &[varies])))
}
