//! The potential of adapting: static policies beside an oracle that knows the best mode of every kernel.

use super::kernel_opt::kernel_opt;
use super::{NONE, STATIC_BDI, STATIC_SC, columns, run, runs, sensitive, speedup};
use crate::LabError;
use crate::figures::common::ratio_bars;
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "6",
    title: "Potential performance and energy",
    needs: |scope| runs(scope, &sensitive(scope), &[NONE, STATIC_BDI, STATIC_SC]),
    draw,
};

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let variants = [STATIC_BDI, STATIC_SC];
    let mut speedups = columns(scope, &members, &variants, measured, speedup)?;
    let mut adaptive = Vec::new();
    for member in &members {
        let plain = measured.result(&run(scope, member, &NONE))?.cycles as f64;
        adaptive.push(plain / kernel_opt(scope, member, measured)?.cycles.max(1) as f64);
    }
    speedups.push(("adaptive, by kernel", adaptive));
    let energies =
        columns(scope, &members, &variants, measured, |plain, other| other.energy_j() / plain.energy_j())?;
    Ok(FIGURE.begin().chart(ratio_bars("Speedup", "speedup", &members, &speedups, &[])).chart(ratio_bars(
        "Energy over no compression",
        "energy",
        &members,
        &energies,
        &[],
    )))
}
