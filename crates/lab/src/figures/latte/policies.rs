//! All policies on both sets of workloads: speedup, misses and energy, in both means, and whether LATTE-CC chooses as well
//! as one who knew the better static policy of each workload.

use super::{
    ADAPTIVE_CMP, ADAPTIVE_HIT_COUNT, LATTE, LATTE_BDI_BPC, NONE, STATIC_BDI, STATIC_BPC, STATIC_SC, columns,
    insensitive, misses, runs, sensitive, speedup,
};
use crate::LabError;
use crate::figures::common::{Column, Member, Variant, average, mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Chart, Point, Table};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "policies",
    title: "All policies on both sets",
    needs: |scope| {
        let variants: Vec<Variant<'_>> = std::iter::once(NONE).chain(POLICIES).collect();
        [sensitive(scope), insensitive(scope)]
            .iter()
            .flat_map(|members| runs(scope, members, &variants))
            .collect()
    },
    draw,
};

const POLICIES: [Variant<'static>; 7] =
    [STATIC_BDI, STATIC_SC, STATIC_BPC, LATTE, LATTE_BDI_BPC, ADAPTIVE_HIT_COUNT, ADAPTIVE_CMP];

/// Speedup, misses and energy that the paper has of its cache-sensitive set.
const PUBLISHED: [(&str, [Option<f64>; 3]); 5] = [
    (STATIC_BDI.name, [Some(1.136), Some(0.808), Some(0.95)]),
    (STATIC_SC.name, [Some(0.918), Some(0.713), Some(1.0)]),
    (LATTE.name, [Some(1.192), Some(0.754), Some(0.90)]),
    (ADAPTIVE_HIT_COUNT.name, [Some(1.15), Some(0.757), None]),
    (ADAPTIVE_CMP.name, [Some(1.13), None, None]),
];

const QUANTITIES: [&str; 3] = ["speedup", "misses", "energy"];

/// Two runs whose times differ by less are equally good.
const TIE: f64 = 0.005;

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut figure = FIGURE.begin().text(
        "Everything is a ratio to the cache without compression: geometric means, and arithmetic ones. LATTE-CC is as good as the better static policy (BDI or \
         SC) where its time is at most 0.5 % longer.",
    );
    let (mut all, mut as_good) = (0, 0);
    for (set, members) in [("cache-sensitive", sensitive(scope)), ("other", insensitive(scope))] {
        let by_quantity = [
            columns(scope, &members, &POLICIES, measured, speedup)?,
            columns(scope, &members, &POLICIES, measured, |plain, other| {
                misses(other) / misses(plain).max(1.0)
            })?,
            columns(scope, &members, &POLICIES, measured, |plain, other| {
                other.energy_j() / plain.energy_j().max(1e-30)
            })?,
        ];
        figure = figure.table(format!("{set} workloads"), means(&by_quantity, set == "cache-sensitive"));
        let better = better_static(&by_quantity[0]);
        let latte = column(&by_quantity[0], LATTE.name).to_vec();
        all += members.len();
        as_good +=
            latte.iter().zip(&better).filter(|(latte, better)| **latte * (1.0 + TIE) >= **better).count();
        figure = figure.chart(beside_the_better(set, &members, latte, better));
    }
    Ok(figure.claim(Claim::words(
        "LATTE-CC at least as good as the better static policy",
        "on most workloads",
        format!("on {as_good} of {all}"),
        &[2 * as_good > all],
    )))
}

fn column<'a>(columns: &'a [Column<'_>], name: &str) -> &'a [f64] {
    columns.iter().find(|(known, _)| *known == name).map_or(&[], |(_, values)| values)
}

fn better_static(speedups: &[Column<'_>]) -> Vec<f64> {
    let (bdi, sc) = (column(speedups, STATIC_BDI.name), column(speedups, STATIC_SC.name));
    bdi.iter().zip(sc).map(|(bdi, sc)| bdi.max(*sc)).collect()
}

fn beside_the_better(set: &str, members: &[Member], latte: Vec<f64>, better: Vec<f64>) -> Chart {
    let columns = [("better static policy", better), (LATTE.name, latte)];
    ratio_bars(&format!("LATTE-CC and the better static policy, {set}"), "speedup", members, &columns, &[])
}

/// A row for each policy: both means of each quantity, and the published one.
fn means(by_quantity: &[Vec<Column<'_>>; 3], is_published: bool) -> Table {
    let mut points = Vec::new();
    for (index, (quantity, columns)) in QUANTITIES.iter().zip(by_quantity).enumerate() {
        for (policy, values) in columns {
            let arithmetic = average(values);
            points.push(Point::ours(*policy, *quantity, mean(values)));
            points.push(Point::ours(*policy, format!("{quantity} (arithmetic)"), arithmetic));
            let mut known = PUBLISHED.iter().filter(|(name, _)| is_published && name == policy);
            if let Some(published) = known.find_map(|(_, published)| published[index]) {
                points.push(Point::published(*policy, *quantity, published));
            }
        }
    }
    Table::of(&points, "policy")
}
