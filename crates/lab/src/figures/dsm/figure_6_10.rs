//! Network power with each codec.

use super::{CODECS, NONE, run, workloads};
use crate::LabError;
use crate::figures::common::{average, member_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use crate::run::RunResult;
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::{Axis, Format, Mean, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Dsm,
    id: "6.10",
    title: "Network power, by codec",
    needs: super::all_runs,
    draw,
};

/// Change of the mean network power, in the order of the codecs.
const PUBLISHED: [f64; 6] = [-0.10, -0.08, -0.13, -0.16, -0.13, -0.17];

/// Flits in a core cycle. The thesis's network power is DSENT's, which is an energy for each flit: its change is that of the
/// flits in a cycle, whatever a flit costs. The codecs at the ends are not part of it.
fn power(result: &RunResult) -> f64 {
    result.counters.get(Counter::FLITS) / result.cycles.max(1) as f64
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut series = Vec::new();
    let mut claims = Vec::new();
    for (variant, published) in CODECS.iter().zip(PUBLISHED) {
        let mut changes = Vec::new();
        for member in &members {
            let plain = power(measured.result(&run(scope, member, &NONE))?);
            changes.push(power(measured.result(&run(scope, member, variant))?) / plain.max(1e-30) - 1.0);
        }
        let what = format!("network power with {}", variant.name);
        claims.push(Claim::number(what, published, average(&changes), Format::Change));
        series.push(Series::new(variant.name, changes).published(Mean::Arithmetic.name(), published));
    }
    let axis = Axis::new("change of network power").format(Format::Change);
    let chart =
        member_bars("Network power, without the codecs", axis, &members, series).with_mean(Mean::Arithmetic);
    Ok(claims.into_iter().fold(FIGURE.begin().chart(chart), Figure::claim))
}
