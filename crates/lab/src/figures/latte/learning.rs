//! Why LATTE-CC misses what a static policy gains: it learns from too little.
//!
//! An EP of 256 accesses gives each of 32 sets eight of them. A set that begins to compress then has at most eight new
//! lines, hardly more than the four that it would hold anyway, so its hits do not yet tell of the larger cache; and four
//! sets see different data than four others. Longer learning, with periods longer by the same factor so that its share of the
//! time stays, or the counters of all L1s together, show whether that is the reason.

use super::{LATTE, NONE, STATIC_BDI, STATIC_SC, columns, run, runs, sensitive, speedup};
use crate::LabError;
use crate::figures::common::{Variant, mean, member_bars, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::{Axis, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "learning",
    title: "How long LATTE-CC learns",
    needs: |scope| {
        let mut variants = vec![NONE, STATIC_BDI, STATIC_SC];
        variants.extend(LENGTHS);
        runs(scope, &sensitive(scope), &variants)
    },
    draw,
};

const LENGTHS: [Variant<'static>; 6] = [
    Variant { name: "1 EP of 10 (paper)", overrides: LATTE.overrides },
    Variant {
        name: "4 EPs of 40",
        overrides: &["scheme.l1.policy=latte", "scheme.l1.learning_phases=4", "scheme.l1.period_phases=40"],
    },
    Variant {
        name: "8 EPs of 80",
        overrides: &["scheme.l1.policy=latte", "scheme.l1.learning_phases=8", "scheme.l1.period_phases=80"],
    },
    Variant {
        name: "1 EP of 10, counters summed over all L1s",
        overrides: &["scheme.l1.policy=latte", "scheme.l1.counter_scope=gpu"],
    },
    Variant {
        name: "8 EPs of 80, counters summed over all L1s",
        overrides: &[
            "scheme.l1.policy=latte",
            "scheme.l1.counter_scope=gpu",
            "scheme.l1.learning_phases=8",
            "scheme.l1.period_phases=80",
        ],
    },
    Variant {
        name: "Adaptive-Hit-Count, counters summed over all L1s",
        overrides: &["scheme.l1.policy=adaptive_hit_count", "scheme.l1.counter_scope=gpu"],
    },
];

/// By mode.
const PHASES: [Counter; 3] =
    [Counter::L1_RAW_PHASES, Counter::L1_FIRST_CODEC_PHASES, Counter::L1_SECOND_CODEC_PHASES];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let speedups = columns(scope, &members, &LENGTHS, measured, speedup)?;
    let statics = columns(scope, &members, &[NONE, STATIC_BDI, STATIC_SC], measured, speedup)?;
    let best_mode = |member: usize| {
        let of = |mode: usize| statics[mode].1[member];
        (1..statics.len()).fold(0, |best, mode| if of(mode) > of(best) { mode } else { best })
    };
    let mut shares = Vec::new();
    for variant in LENGTHS {
        let mut values = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let counters = &measured.result(&run(scope, member, &variant))?.counters;
            let phases = |mode: usize| counters.get(PHASES[mode]);
            values.push(phases(best_mode(index)) / (0..3).map(phases).sum::<f64>().max(1.0));
        }
        shares.push(Series::new(variant.name, values));
    }
    let means: Vec<String> =
        speedups.iter().map(|(name, values)| format!("{:.3}× with {name}", mean(values))).collect();
    Ok(FIGURE
        .begin()
        .text(
            "The best mode of a workload is the one whose static policy is fastest, no compression included. A choice by \
             chance would be right in a third of the EPs.",
        )
        .chart(ratio_bars("Speedup by what a policy learns from", "speedup", &members, &speedups, &[]))
        .chart(member_bars("EPs in the best mode", Axis::share("EPs").range(0.0, 1.0), &members, shares))
        .claim(Claim::new_answer(
            "speedup by what a policy learns from, mean",
            means.join(", "),
        )))
}
