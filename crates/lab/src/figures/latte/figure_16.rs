//! How much the compressed cache holds, over time.

use super::{LATTE, STATIC_BDI, STATIC_SC, run};
use crate::LabError;
use crate::figures::common::Variant;
use crate::figures::{FigureSpec, Measured, Need, Scope};
use crate::run::RunSpec;
use shrinkwarp_report::chart::{Axis, Chart, Line};
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "16",
    title: "Effective capacity over time",
    needs: |scope| POLICIES.iter().filter_map(|policy| recorded(scope, policy)).map(Need::Run).collect(),
    draw,
};

const POLICIES: [Variant<'static>; 3] = [STATIC_BDI, STATIC_SC, LATTE];

fn recorded(scope: Scope, policy: &Variant<'_>) -> Option<RunSpec> {
    let member = super::sensitive().into_iter().find(|member| member.workload.name == "similarity-score")?;
    Some(super::recorded(run(scope, &member, policy)))
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut lines = Vec::new();
    for policy in &POLICIES {
        let Some(spec) = recorded(scope, policy) else { continue };
        let series = &measured.result(&spec)?.series;
        lines.push(Line::new(policy.name, series.points("l1.cycle", "l1.effective_capacity")));
    }
    let chart = Chart::time_series(
        "Similarity score: what the L1 of SM 0 holds, of its size",
        Axis::new("time").unit("core cycles"),
        Axis::ratio("uncompressed bytes held over 16 KB"),
        lines,
    );
    Ok(FIGURE.begin().chart(chart))
}
