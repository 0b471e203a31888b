//! Do the gains add up? A combination beside the product of what its levels give alone.

use super::{LEVELS, SCHEMES, all_runs, numbers, speedup_of, workloads};
use crate::LabError;
use crate::figures::common::mean;
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Combined,
    id: "together",
    title: "Do the gains add up?",
    needs: all_runs,
    draw,
};

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut speedups = Vec::new();
    for scheme in &SCHEMES {
        speedups.push(numbers(scope, &members, scheme, measured, speedup_of)?);
    }
    // Levels that do not touch each other multiply.
    let expected = |scheme: usize| -> Vec<f64> {
        (0..members.len())
            .map(|member| LEVELS[scheme].iter().map(|&level| speedups[level][member]).product())
            .collect()
    };
    let combinations = 3..SCHEMES.len();
    let together = Series::new("measured", combinations.clone().map(|scheme| mean(&speedups[scheme])));
    let product =
        Series::new("product of the parts", combinations.clone().map(|scheme| mean(&expected(scheme))));
    let chart = Chart::bars(
        "Combinations next to the product of their parts",
        Axis::ratio("mean speedup"),
        combinations.map(|scheme| SCHEMES[scheme].name),
        vec![together, product],
    );
    let (measured_gain, product_gain) = (mean(&speedups[6]) - 1.0, mean(&expected(6)) - 1.0);
    let share = if product_gain.abs() > 1e-9 { measured_gain / product_gain } else { 1.0 };
    let ours = format!("{:.0} % of the gain that their product would have", 100.0 * share);
    Ok(FIGURE.begin().chart(chart).claim(
        Claim::new_answer("do the gains of the three levels add up?", ours)
            .why("less than all where two levels shorten the same wait"),
    ))
}
