//! Energy of the whole GPU with each policy.

use super::{MAIN, columns, runs, sensitive};
use crate::LabError;
use crate::figures::common::{mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "13",
    title: "Energy of the policies",
    needs: |scope| runs(scope, &sensitive(scope), &MAIN),
    draw,
};

/// Change of the energy in the mean: Static-BDI, Static-SC, LATTE-CC.
const PUBLISHED: [f64; 3] = [-0.05, 0.0, -0.10];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let columns = columns(scope, &members, &MAIN[1..], measured, |plain, other| {
        other.energy_j() / plain.energy_j().max(1e-30)
    })?;
    let published = PUBLISHED.map(|change| 1.0 + change);
    let chart = ratio_bars("Energy over no compression", "energy", &members, &columns, &published);
    let claims = columns.iter().zip(PUBLISHED).map(|((name, values), published)| {
        Claim::number(format!("energy with {name}"), published, mean(values) - 1.0, Format::Change)
    });
    Ok(claims.fold(FIGURE.begin().chart(chart), Figure::claim))
}
