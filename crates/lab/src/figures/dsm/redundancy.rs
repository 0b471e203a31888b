//! Which redundancy the integer programs' data have: the shares of section 6.4, not plotted.

use shrinkwarp_codec::analysis::redundancy::Redundancy;
use shrinkwarp_sim::BLOCK_BYTES;

use super::{GPU, of_class};
use crate::LabError;
use crate::figures::common::{average, member_bars, plain, profiles};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Format, Mean, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Dsm,
    id: "redundancy",
    title: "Redundancy patterns of the integer programs",
    needs: |scope| profiles(scope, GPU, &of_class(scope, true)),
    draw,
};

/// Pattern and published mean share, in the order of [`Redundancy::shares`].
const PATTERNS: [(&str, f64); 4] =
    [("all zeros", 0.197), ("narrow value", 0.415), ("repeated value", 0.185), ("value similarity", 0.20)];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = of_class(scope, true);
    let mut shares = Vec::new();
    let mut repeated_first = Vec::new();
    for member in &members {
        let mut found = Redundancy::default();
        let blocks = measured.profile(&plain(scope, GPU, member))?.bytes();
        blocks.chunks_exact(BLOCK_BYTES).for_each(|block| found.add_block(block));
        shares.push(found.shares());
        let mut found = Redundancy::repeated_first();
        blocks.chunks_exact(BLOCK_BYTES).for_each(|block| found.add_block(block));
        repeated_first.push(found.shares());
    }
    let mut figure = FIGURE.begin().text(
        "32-bit words of the blocks that cross the DRAM link, by the first pattern that fits, as shares of the words that have one.",
    );
    let mut series = Vec::new();
    for (index, (pattern, published)) in PATTERNS.into_iter().enumerate() {
        let column: Vec<f64> = shares.iter().map(|of_program| of_program[index]).collect();
        figure = figure.claim(Claim::number(pattern, published, average(&column), Format::Percent));
        series.push(Series::new(pattern, column).published(Mean::Arithmetic.name(), published));
    }
    let means = [0, 1, 2, 3].map(|index| {
        let column: Vec<f64> = repeated_first.iter().map(|of_program| of_program[index]).collect();
        format!("{} {:.1} %", PATTERNS[index].0, 100.0 * average(&column))
    });
    figure = figure.claim(Claim::new_answer("repeated words asked for first", means.join(", ")));
    Ok(figure.chart(
        member_bars("Redundancy patterns", Axis::share("words with a pattern"), &members, series)
            .with_mean(Mean::Arithmetic),
    ))
}
