//! What parallel decoding costs in compression ratio.

use super::{GPU, Ratio, profiled, workloads};
use crate::LabError;
use crate::figures::common::{mean, profiles, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const RAW: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "10a",
    title: "Raw ratio of E2MC16 by parallel decoding ways",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw: |scope, measured| draw(&RAW, Ratio::Raw, 0.09, scope, measured),
};

pub const AT_MAG: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "10b",
    title: "Ratio at MAG of E2MC16 by parallel decoding ways",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw: |scope, measured| draw(&AT_MAG, Ratio::AtMag, 0.04, scope, measured),
};

const WAYS: [(&str, &str); 4] = [
    ("1 way", "e2mc16"),
    ("2 ways", "e2mc16:ways=2"),
    ("4 ways", "e2mc16:ways=4"),
    ("8 ways", "e2mc16:ways=8"),
];

fn draw(
    figure: &FigureSpec,
    ratio: Ratio,
    published_loss: f64,
    scope: Scope,
    measured: &Measured,
) -> Result<Figure, LabError> {
    let columns = profiled(scope, &WAYS, ratio, measured)?;
    let chart = ratio_bars(ratio.title(), "compression ratio", &workloads(scope), &columns, &[]);
    let loss = mean(&columns[2].1) / mean(&columns[0].1) - 1.0;
    let what = format!("{}: loss of 4 ways against 1", ratio.name());
    Ok(figure.begin().chart(chart).claim(Claim::number(what, -published_loss, loss, Format::Change)))
}
