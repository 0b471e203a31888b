//! Does compression hurt workloads that do not need bandwidth?

use shrinkwarp_workloads::find;

use super::{GPU, PARTIAL_WRITES, speedups};
use crate::LabError;
use crate::figures::common::{Member, Variant, mean, ratio_bars, runs};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "compute-bound",
    title: "Workloads that are not bound by memory",
    needs: |scope| runs(scope, GPU, &compute_bound(), &VARIANTS),
    draw,
};

/// Workloads of the suite that spend their time in arithmetic or shared memory.
const NAMES: [&str; 6] = ["binomial", "cutcp", "lavamd", "mri-q", "sgemm", "tpacf"];

const VARIANTS: [Variant<'static>; 3] = [
    Variant { name: "none", overrides: &[] },
    Variant { name: "1 way", overrides: &["scheme.memory.codec=e2mc16", PARTIAL_WRITES] },
    Variant { name: "4 ways", overrides: &["scheme.memory.codec=e2mc16:ways=4", PARTIAL_WRITES] },
];

fn compute_bound() -> Vec<Member> {
    NAMES.iter().filter_map(|name| find(name)).map(Member::of_suite).collect()
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = compute_bound();
    let columns = speedups(scope, &members, &VARIANTS[1..], measured)?;
    let chart =
        ratio_bars("Speedup of E2MC16 over no compression", "speedup", &members, &columns, &[0.99, 1.0]);
    let claims = columns.iter().zip([0.99, 1.0]).map(|((name, values), published)| {
        Claim::number(format!("performance with {name}"), published, mean(values), Format::Times)
    });
    Ok(claims.fold(FIGURE.begin().chart(chart), Figure::claim))
}
