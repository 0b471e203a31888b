//! Energy and energy-delay product of every combination.

use super::{SCHEMES, all_runs, numbers, workloads};
use crate::LabError;
use crate::figures::common::mean;
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::{Axis, Chart, Series};
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Combined,
    id: "energy",
    title: "Energy of the combinations",
    needs: all_runs,
    draw,
};

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut series = Vec::new();
    for (name, counter) in [("energy", Counter::ENERGY_J), ("energy-delay", Counter::ENERGY_DELAY_JS)] {
        let mut means = Vec::new();
        for scheme in &SCHEMES {
            let relative = numbers(scope, &members, scheme, measured, |plain, other| {
                other.counters.get(counter) / plain.counters.get(counter).max(1e-30)
            })?;
            means.push(mean(&relative));
        }
        series.push(Series::new(name, means));
    }
    let chart = Chart::bars(
        "Relative to no compression, mean of all workloads",
        Axis::ratio("relative"),
        SCHEMES.iter().map(|scheme| scheme.name),
        series,
    );
    Ok(FIGURE.begin().chart(chart))
}
