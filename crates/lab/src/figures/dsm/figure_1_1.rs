//! How long the memory partitions are stalled by the reply network.

use super::{GPU, NONE, plain_stall_shares, stall_bars, workloads};
use crate::LabError;
use crate::figures::common::{average, runs};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Format, Mean, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Dsm,
    id: "1.1",
    title: "Share of time that replies wait for the network",
    needs: |scope| runs(scope, GPU, &workloads(scope), &[NONE]),
    draw,
};

const PUBLISHED: f64 = 0.3906;

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let shares = plain_stall_shares(scope, &members, measured)?;
    let ours = average(&shares);
    let series = Series::new("stalled", shares).published(Mean::Arithmetic.name(), PUBLISHED);
    let chart = stall_bars(&members, vec![series]);
    Ok(FIGURE.begin().chart(chart).claim(Claim::number("stalled, mean", PUBLISHED, ours, Format::Percent)))
}
