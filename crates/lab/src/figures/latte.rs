//! LATTE-CC: Arunkumar, Lee, Soundararajan, Wu, "LATTE-CC: Latency Tolerance Aware Adaptive Cache Compression
//! Management for Energy Efficient GPUs", HPCA 2018.

mod figure_1;
mod figure_11;
mod figure_12;
mod figure_13;
mod figure_14;
mod figure_15;
mod figure_16;
mod figure_17;
mod figure_18;
mod figure_2;
mod figure_3;
mod figure_5;
mod figure_6;
mod kernel_opt;
mod larger_cache;
mod learning;
mod policies;
mod sensitive_set;
mod switches;

use shrinkwarp_machine::Counter;
use shrinkwarp_workloads::Paper as UsedBy;

use super::common::{Column, Member, Variant, columns_of, members, plain, with};
use super::{FigureSpec, Measured, Need, Scope};
use crate::LabError;
use crate::run::{RunResult, RunSpec};

/// Its figures, in its order.
pub const FIGURES: &[FigureSpec] = &[
    sensitive_set::FIGURE,
    figure_1::FIGURE,
    figure_2::FIGURE,
    figure_3::FIGURE,
    figure_5::FIGURE,
    figure_6::FIGURE,
    figure_11::FIGURE,
    figure_12::FIGURE,
    figure_13::FIGURE,
    figure_14::FIGURE,
    figure_15::FIGURE,
    figure_16::FIGURE,
    figure_17::FIGURE,
    figure_18::FIGURE,
    larger_cache::FIGURE,
    policies::FIGURE,
    learning::FIGURE,
];

/// Experiments with its machine and system, drawn only when they are named.
pub const EXPERIMENTS: &[FigureSpec] = &[switches::FIGURE];

/// The machine of the paper.
const GPU: &str = "latte-fermi";

const NONE: Variant<'static> = Variant { name: "none", overrides: &[] };
const STATIC_BDI: Variant<'static> =
    Variant { name: "Static-BDI", overrides: &["scheme.l1.policy=static", "scheme.l1.modes=[\"bdi\"]"] };
const STATIC_SC: Variant<'static> =
    Variant { name: "Static-SC", overrides: &["scheme.l1.policy=static", "scheme.l1.modes=[\"sc\"]"] };
const LATTE: Variant<'static> = Variant { name: "LATTE-CC", overrides: &["scheme.l1.policy=latte"] };

const STATIC_BPC: Variant<'static> =
    Variant { name: "Static-BPC", overrides: &["scheme.l1.policy=static", "scheme.l1.modes=[\"bpc\"]"] };
const LATTE_BDI_BPC: Variant<'static> = Variant {
    name: "LATTE-CC-BDI-BPC",
    overrides: &["scheme.l1.policy=latte", "scheme.l1.modes=[\"bdi\",\"bpc\"]"],
};
const ADAPTIVE_HIT_COUNT: Variant<'static> =
    Variant { name: "Adaptive-Hit-Count", overrides: &["scheme.l1.policy=adaptive_hit_count"] };
const ADAPTIVE_CMP: Variant<'static> =
    Variant { name: "Adaptive-CMP", overrides: &["scheme.l1.policy=adaptive_cmp"] };

/// Core cycles between two samples of a recorded run.
const SAMPLE_CYCLES: u64 = 1000;

/// What figures 11 to 13 compare, and what Kernel-OPT is made from.
const MAIN: [Variant<'static>; 4] = [NONE, STATIC_BDI, STATIC_SC, LATTE];

/// The workloads that the paper lists as cache-sensitive.
fn sensitive(scope: Scope) -> Vec<Member> {
    members(scope, UsedBy::Latte).into_iter().filter(|member| member.workload.is_cache_sensitive).collect()
}

/// The others.
fn insensitive(scope: Scope) -> Vec<Member> {
    members(scope, UsedBy::Latte).into_iter().filter(|member| !member.workload.is_cache_sensitive).collect()
}

fn run(scope: Scope, member: &Member, variant: &Variant<'_>) -> RunSpec {
    with(&plain(scope, GPU, member), variant.overrides)
}

/// The same run with the time series of its caches.
fn recorded(spec: RunSpec) -> RunSpec {
    RunSpec { sample_cycles: Some(SAMPLE_CYCLES), ..spec }
}

fn runs(scope: Scope, members: &[Member], variants: &[Variant<'_>]) -> Vec<Need> {
    super::common::runs(scope, GPU, members, variants)
}

/// A number of each variant's run beside the plain run, for each workload.
fn columns(
    scope: Scope,
    members: &[Member],
    variants: &[Variant<'static>],
    measured: &Measured,
    number: impl Fn(&RunResult, &RunResult) -> f64,
) -> Result<Vec<Column<'static>>, LabError> {
    let run = |member: &Member, variant: &Variant<'_>| run(scope, member, variant);
    columns_of(&NONE, variants, members, measured, run, number)
}

/// Cycles of the first over cycles of the second.
fn speedup(plain: &RunResult, other: &RunResult) -> f64 {
    plain.cycles as f64 / other.cycles.max(1) as f64
}

/// L1 data cache misses: reads that did not find their line.
fn misses(result: &RunResult) -> f64 {
    result.counters.get(Counter::L1_GLOBAL_READ_MISSES) + result.counters.get(Counter::L1_LOCAL_READ_MISSES)
}
