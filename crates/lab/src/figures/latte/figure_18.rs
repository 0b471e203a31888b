//! LATTE-CC with BPC in place of SC.

use super::{LATTE, LATTE_BDI_BPC, NONE, columns, runs, sensitive, speedup};
use crate::LabError;
use crate::figures::common::{mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "18",
    title: "LATTE-CC with BDI and BPC",
    needs: |scope| runs(scope, &sensitive(scope), &[NONE, LATTE, LATTE_BDI_BPC]),
    draw,
};

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let columns = columns(scope, &members, &[LATTE, LATTE_BDI_BPC], measured, speedup)?;
    let chart = ratio_bars("Speedup", "speedup", &members, &columns, &[1.192, 1.192]);
    let relative = mean(&columns[1].1) / mean(&columns[0].1);
    Ok(FIGURE.begin().chart(chart).claim(
        Claim::number("LATTE-CC-BDI-BPC relative to LATTE-CC", 1.0, relative, Format::Times)
            .why("the paper says that both perform similarly"),
    ))
}
