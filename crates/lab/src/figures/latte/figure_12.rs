//! L1 misses with each policy.

use super::{MAIN, columns, misses, runs, sensitive};
use crate::LabError;
use crate::figures::common::{average, member_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Format, Mean, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "12",
    title: "Reduction of L1 misses",
    needs: |scope| runs(scope, &sensitive(scope), &MAIN),
    draw,
};

/// Change of the misses in the mean: Static-BDI, Static-SC, LATTE-CC.
const PUBLISHED: [f64; 3] = [-0.192, -0.287, -0.246];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let columns = columns(scope, &members, &MAIN[1..], measured, |plain, other| {
        misses(other) / misses(plain).max(1.0) - 1.0
    })?;
    let mut claims = Vec::new();
    let mut series = Vec::new();
    for ((name, values), published) in columns.into_iter().zip(PUBLISHED) {
        claims.push(Claim::number(
            format!("misses with {name}"),
            published,
            average(&values),
            Format::Change,
        ));
        series.push(Series::new(name, values).published(Mean::Arithmetic.name(), published));
    }
    let axis = Axis::new("change of L1 misses").format(Format::Change);
    let chart =
        member_bars("L1 misses over no compression", axis, &members, series).with_mean(Mean::Arithmetic);
    Ok(claims.into_iter().fold(FIGURE.begin().chart(chart), Figure::claim))
}
