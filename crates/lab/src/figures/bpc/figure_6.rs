//! The bandwidth needed for 90 % and 95 % of the baseline's performance, with and without compression.

use super::figure_5::DIVISORS;
use super::{GPU, workloads};
use crate::LabError;
use crate::figures::common::{Member, member_bars, plain, with};
use crate::figures::{FigureSpec, Measured, Need, Scope};
use crate::run::RunSpec;
use shrinkwarp_report::chart::{Axis, Format, Mean, Series, geometric_mean};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Bpc,
    id: "6",
    title: "Bandwidth needed for 90 % and 95 % of the performance",
    needs,
    draw,
};

/// Name, settings, and by how much the bandwidth shrinks for 90 % and 95 % of the performance.
const SCHEMES: [(&str, &[&str], [f64; 2]); 4] = [
    ("none", &["scheme.link.kind=unpacked"], [1.0, 1.0]),
    (
        "C-PACK, packed",
        &["scheme.link.kind=packed", "scheme.link.codec=cpack", "scheme.link.partial_writes=masked"],
        [1.8, 1.7],
    ),
    (
        "BPC, unpacked",
        &["scheme.link.kind=unpacked", "scheme.link.codec=bpc", "scheme.link.partial_writes=masked"],
        [1.8, 1.7],
    ),
    (
        "BPC, packed",
        &["scheme.link.kind=packed", "scheme.link.codec=bpc", "scheme.link.partial_writes=masked"],
        [2.0, 1.9],
    ),
];

/// The paper's excluded ones never lose performance or did not finish there.
const EXCLUDED: [&str; 4] = ["particle-filter", "lud", "srad", "lavamd"];

fn rodinia(scope: Scope) -> Vec<Member> {
    let is_shown =
        |member: &Member| member.label.starts_with("R.") && !EXCLUDED.contains(&member.workload.name);
    workloads(scope).into_iter().filter(is_shown).collect()
}

fn at(scope: Scope, member: &Member, scheme: usize, divisor: u32) -> RunSpec {
    let bandwidth = format!("scheme.link.bandwidth_divider={divisor}");
    with(&with(&plain(scope, GPU, member), SCHEMES[scheme].1), &[&bandwidth])
}

fn needs(scope: Scope) -> Vec<Need> {
    let mut needs = Vec::new();
    for member in rodinia(scope) {
        for scheme in 0..SCHEMES.len() {
            needs.extend(DIVISORS.map(|divisor| Need::Run(at(scope, &member, scheme, divisor))));
        }
    }
    needs
}

/// The share of the bandwidth at which a scheme reaches `target` of the baseline's IPC; none if it never does.
fn needed(
    scope: Scope,
    member: &Member,
    scheme: usize,
    target: f64,
    measured: &Measured,
) -> Result<Option<f64>, LabError> {
    let baseline = measured.result(&at(scope, member, 0, 1))?.ipc();
    let mut points = Vec::new();
    for divisor in DIVISORS {
        let relative = measured.result(&at(scope, member, scheme, divisor))?.ipc() / baseline;
        points.push((1.0 / f64::from(divisor), relative));
    }
    Ok(crossing(&points, target))
}

/// Where points that fall with the bandwidth cross the target, by linear interpolation, widest first.
fn crossing(points: &[(f64, f64)], target: f64) -> Option<f64> {
    if points.first()?.1 < target {
        return None;
    }
    for pair in points.windows(2) {
        let [(wide, above), (narrow, below)] = [pair[0], pair[1]];
        if below < target {
            return Some(narrow + (wide - narrow) * (target - below) / (above - below).max(1e-12));
        }
    }
    points.last().map(|point| point.0)
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = rodinia(scope);
    let mut figure = FIGURE.begin().text(
        "Links of 90 GiB/s each way and of 1/2 to 1/16 of that were simulated; between them the IPC is interpolated. A \
         workload that keeps its performance even at 1/16 counts as needing 1/16. A missing bar never reaches the target. Writes to parts of compressed blocks cost nothing extra, as in the paper.",
    );
    for (which, target) in [0.90, 0.95].into_iter().enumerate() {
        let mut series = Vec::new();
        let mut shares: Vec<Vec<Option<f64>>> = Vec::new();
        for (index, (name, ..)) in SCHEMES.iter().enumerate() {
            let column: Vec<Option<f64>> = members
                .iter()
                .map(|member| needed(scope, member, index, target, measured))
                .collect::<Result<_, _>>()?;
            series.push(Series::new(*name, column.iter().copied()));
            shares.push(column);
        }
        for (index, (name, _, published)) in SCHEMES.iter().enumerate().skip(1) {
            let pairs = shares[0].iter().zip(&shares[index]);
            let factors: Vec<f64> = pairs.filter_map(|(plain, ours)| Some((*plain)? / (*ours)?)).collect();
            let what = format!("{name}: less bandwidth for {:.0} % of the performance", 100.0 * target);
            let ours = geometric_mean(&factors).unwrap_or(1.0);
            figure = figure.claim(Claim::number(what, published[which], ours, Format::Times));
        }
        let title = format!("Bandwidth needed for {:.0} % of the performance", 100.0 * target);
        let axis = Axis::share("of 90 GiB/s each way");
        figure = figure.chart(member_bars(title, axis, &members, series).with_mean(Mean::Geometric));
    }
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crossing_is_interpolated_between_the_points_around_it() {
        let points = [(1.0, 1.0), (0.5, 1.0), (0.25, 0.8)];
        assert_eq!(crossing(&points, 0.9), Some(0.375));
        assert_eq!(crossing(&points, 0.7), Some(0.25));
        assert_eq!(crossing(&[(1.0, 0.8), (0.5, 0.7)], 0.9), None);
    }
}
