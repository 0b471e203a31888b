//! LATTE-CC beside adaptive policies that know less.

use super::{ADAPTIVE_CMP, ADAPTIVE_HIT_COUNT, LATTE, NONE, columns, runs, sensitive, speedup};
use crate::LabError;
use crate::figures::common::{mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "17",
    title: "Other adaptive policies",
    needs: |scope| runs(scope, &sensitive(scope), &[NONE, ADAPTIVE_HIT_COUNT, ADAPTIVE_CMP, LATTE]),
    draw,
};

const PUBLISHED: [f64; 3] = [1.15, 1.13, 1.192];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let columns = columns(scope, &members, &[ADAPTIVE_HIT_COUNT, ADAPTIVE_CMP, LATTE], measured, speedup)?;
    let chart = ratio_bars("Speedup of adaptive policies", "speedup", &members, &columns, &PUBLISHED);
    let claims = columns.iter().zip(PUBLISHED).map(|((name, values), published)| {
        Claim::number(format!("{name}, mean"), published, mean(values), Format::Times)
    });
    Ok(claims.fold(FIGURE.begin().chart(chart), Figure::claim))
}
