//! How long the memory partitions are stalled by the reply network.

use super::{GPU, NONE, average, run, stall_share, workloads};
use crate::LabError;
use crate::figures::common::runs;
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Format, Mean, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Dsm,
    id: "1.1",
    title: "Share of time that replies wait for the network",
    needs: |scope| runs(scope, GPU, &workloads(), &[NONE]),
    draw,
};

const PUBLISHED: f64 = 0.3906;

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads();
    let shares: Vec<f64> = members
        .iter()
        .map(|member| Ok(stall_share(measured.result(&run(scope, member, &NONE))?)))
        .collect::<Result<_, LabError>>()?;
    let ours = average(&shares);
    let series = Series::new("stalled", shares).published(Mean::Arithmetic.name(), PUBLISHED);
    let labels = members.iter().map(|member| member.label);
    let chart = Chart::bars(
        "Memory controllers stalled by the reply network",
        Axis::share("time"),
        labels,
        vec![series],
    )
    .with_mean(Mean::Arithmetic);
    Ok(FIGURE.begin().chart(chart).claim(Claim::number("stalled, mean", PUBLISHED, ours, Format::Percent)))
}
