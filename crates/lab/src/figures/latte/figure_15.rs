//! Whether LATTE-CC decides as an oracle would that knows the best mode of every kernel.

use super::kernel_opt::kernel_opt;
use super::{LATTE, MAIN, run, runs, sensitive};
use crate::LabError;
use crate::figures::common::{average, member_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::{Axis, Format, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "15",
    title: "Agreement with Kernel-OPT",
    needs: |scope| runs(scope, &sensitive(scope), &MAIN),
    draw,
};

/// By mode.
const PHASE_CYCLES: [Counter; 3] = [
    Counter::L1_RAW_PHASE_CYCLES,
    Counter::L1_FIRST_CODEC_PHASE_CYCLES,
    Counter::L1_SECOND_CODEC_PHASE_CYCLES,
];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let (mut agreement, mut slower) = (Vec::new(), Vec::new());
    for member in &members {
        let latte = measured.result(&run(scope, member, &LATTE))?;
        let cycles = |mode: usize| latte.counters.get(PHASE_CYCLES[mode]);
        let all: f64 = (0..3).map(cycles).sum();
        let oracle = kernel_opt(scope, member, measured)?;
        let common: f64 =
            (0..3).map(|mode| (cycles(mode) / all.max(1.0)).min(oracle.mode_shares[mode])).sum();
        agreement.push(common);
        slower.push(latte.cycles as f64 / oracle.cycles.max(1) as f64 - 1.0);
    }
    let mean_slower = average(&slower);
    let shares = member_bars(
        "Time in the same mode as the oracle",
        Axis::share("time").range(0.0, 1.0),
        &members,
        vec![Series::new("same mode", agreement)],
    );
    let times = member_bars(
        "Execution time of LATTE-CC relative to the oracle's",
        Axis::new("difference of the time").format(Format::Change),
        &members,
        vec![Series::new("time", slower)],
    );
    Ok(FIGURE
        .begin()
        .text(
            "Both distributions are taken over time: the share of the time that LATTE-CC spends in each mode, the share of \
             the oracle's time whose kernels are best in it, and what the two have in common.",
        )
        .chart(shares)
        .chart(times)
        .claim(Claim::number("time relative to Kernel-OPT, mean", -0.025, mean_slower, Format::Change)))
}
