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
    let member =
        super::sensitive(scope).into_iter().find(|member| member.workload.name == "similarity-score")?;
    Some(super::recorded(run(scope, &member, policy)))
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut lines = Vec::new();
    for policy in &POLICIES {
        let Some(spec) = recorded(scope, policy) else { continue };
        let series = &measured.result(&spec)?.series;
        let points = series.points("l1.cycle", "l1.effective_capacity");
        lines.push(Line::new(policy.name, averaged(&points, MOST_POINTS)));
    }
    let chart = Chart::time_series(
        "Similarity score: what the L1 of SM 0 holds, of its size",
        Axis::new("time").unit("core cycles"),
        Axis::ratio("uncompressed bytes held over 16 KB"),
        lines,
    );
    let text = format!(
        "Each point is the mean of neighbouring phases, so that a line has at most {MOST_POINTS}: single phases jump."
    );
    Ok(FIGURE.begin().text(text).chart(chart))
}

/// Points of a line: what a reader can follow.
const MOST_POINTS: usize = 60;

/// At most `most` means of neighbours, each of the same number of points except the last, which may have fewer.
fn averaged(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let mean = |neighbours: &[(f64, f64)]| {
        let count = neighbours.len() as f64;
        let sum = |of: fn(&(f64, f64)) -> f64| neighbours.iter().map(of).sum::<f64>();
        (sum(|point| point.0) / count, sum(|point| point.1) / count)
    };
    points.chunks(points.len().div_ceil(most).max(1)).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::averaged;

    #[test]
    fn neighbours_are_averaged_and_few_points_stay() {
        let points = [(0.0, 1.0), (2.0, 3.0), (4.0, 5.0)];
        assert_eq!(averaged(&points, 2), [(1.0, 2.0), (4.0, 5.0)]);
        assert_eq!(averaged(&points, 3), points);
        assert!(averaged(&[], 3).is_empty());
    }
}
