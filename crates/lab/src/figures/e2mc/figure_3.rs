//! Which symbol length compresses best.

use super::{GPU, Ratio, profiled, workloads};
use crate::LabError;
use crate::figures::common::{mean, profiles, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "3",
    title: "Compression ratio by symbol length",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw,
};

/// The symbol lengths and their codecs.
pub const LENGTHS: [(&str, &str); 4] =
    [("4 bits", "e2mc4"), ("8 bits", "e2mc8"), ("16 bits", "e2mc16"), ("32 bits", "e2mc32")];

/// Raw means.
pub const PUBLISHED: [f64; 4] = [1.55, 1.80, 1.97, 1.76];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let columns = profiled(scope, &LENGTHS, Ratio::Raw, measured)?;
    let chart =
        ratio_bars("Raw ratio by symbol length", Ratio::Raw.name(), &workloads(scope), &columns, &PUBLISHED);
    let claims = columns.iter().zip(PUBLISHED).map(|((name, values), published)| {
        Claim::number(format!("symbols of {name}"), published, mean(values), Format::Times)
    });
    Ok(claims.fold(FIGURE.begin().chart(chart), Figure::claim))
}
