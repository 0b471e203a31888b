//! What the capacity alone would give: static compression without any latency.

use super::{NONE, columns, runs, sensitive, speedup};
use crate::LabError;
use crate::figures::common::{Variant, mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "3",
    title: "Upper bound: compression without latency",
    needs: |scope| runs(scope, &sensitive(scope), &[NONE, VARIANTS[0], VARIANTS[1]]),
    draw,
};

const VARIANTS: [Variant<'static>; 2] = [
    Variant {
        name: "BDI",
        overrides: &[
            "scheme.l1.policy=static",
            "scheme.l1.modes=[\"bdi\"]",
            "scheme.l1.compress_cycles=0",
            "scheme.l1.decompress_cycles=0",
        ],
    },
    Variant {
        name: "SC",
        overrides: &[
            "scheme.l1.policy=static",
            "scheme.l1.modes=[\"sc\"]",
            "scheme.l1.compress_cycles=0",
            "scheme.l1.decompress_cycles=0",
        ],
    },
];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let columns = columns(scope, &members, &VARIANTS, measured, speedup)?;
    let chart = ratio_bars("Speedup without latency", "speedup", &members, &columns, &[]);
    let gaining = |values: &[f64]| values.iter().filter(|value| **value > 1.02).count();
    let ours = format!(
        "BDI: {} of {}, mean {:.2}×; SC: {} of {}, mean {:.2}×",
        gaining(&columns[0].1),
        members.len(),
        mean(&columns[0].1),
        gaining(&columns[1].1),
        members.len(),
        mean(&columns[1].1)
    );
    let is_majority = |values: &[f64]| 2 * gaining(values) > members.len();
    let conditions = [is_majority(&columns[0].1), is_majority(&columns[1].1)];
    Ok(FIGURE.begin().chart(chart).claim(Claim::words(
        "most cache-sensitive workloads gain from the capacity",
        "a majority",
        ours,
        &conditions,
    )))
}
