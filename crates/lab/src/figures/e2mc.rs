//! E2MC: Lal, Lucas, Juurlink, "E2MC: Entropy Encoding Based Memory Compression for GPUs", IPDPS 2017.

mod compute_bound;
mod figure_1;
mod figure_10;
mod figure_11;
mod figure_12;
mod figure_13;
mod figure_3;
mod figure_4;
mod figure_5;
mod figure_9;
mod online;
mod readings;
mod switches;

use shrinkwarp_machine::Counter;
use shrinkwarp_workloads::Paper as UsedBy;

use super::common::{Column, Member, Variant, codec, members, plain, runs, speedup};
use super::{FigureSpec, Measured, Need, Scope};
use crate::LabError;
use crate::run::RunResult;

/// Its figures, in its order.
pub const FIGURES: &[FigureSpec] = &[
    figure_1::FIGURE,
    figure_3::FIGURE,
    figure_4::BY_VALUES,
    figure_4::BY_SAMPLE,
    figure_5::COMPRESS,
    figure_5::DECOMPRESS,
    figure_9::RAW,
    figure_9::AT_MAG,
    figure_10::RAW,
    figure_10::AT_MAG,
    figure_11::RAW,
    figure_11::AT_MAG,
    figure_12::IDEAL,
    figure_12::OFFLINE,
    figure_12::ONLINE,
    compute_bound::FIGURE,
    figure_13::FIGURE,
    readings::FIGURE,
];

/// Experiments with its machine and system, drawn only when they are named.
pub const EXPERIMENTS: &[FigureSpec] = &[switches::FIGURE];

/// The machine of the paper.
const GPU: &str = "e2mc-gtx580";

/// The paper describes no read before a write to a part of a compressed block; `readings` shows what one would cost.
const PARTIAL_WRITES: &str = "scheme.memory.partial_writes=as_paper";

/// The memory-bound workloads of its table VII.
fn workloads(scope: Scope) -> Vec<Member> {
    members(scope, UsedBy::E2mc)
}

/// Which ratio a figure shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ratio {
    /// Bits in over bits out.
    Raw,
    /// Whole bursts of 32 B.
    AtMag,
}

impl Ratio {
    fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw compression ratio",
            Self::AtMag => "compression ratio in bursts of 32 B",
        }
    }

    /// The name as the title of a chart.
    fn title(self) -> &'static str {
        match self {
            Self::Raw => "Raw compression ratio",
            Self::AtMag => "Compression ratio in bursts of 32 B",
        }
    }
}

/// The ratio of each codec on what each workload moves; trained codecs are trained on the same.
fn profiled(
    scope: Scope,
    codecs: &[(&'static str, &str)],
    ratio: Ratio,
    measured: &Measured,
) -> Result<Vec<Column<'static>>, LabError> {
    let mut columns: Vec<Column<'static>> = codecs.iter().map(|(name, _)| (*name, Vec::new())).collect();
    for member in workloads(scope) {
        let profile = measured.profile(&plain(scope, GPU, &member))?;
        for (column, (_, spec)) in columns.iter_mut().zip(codecs) {
            let found = profile.ratio(&codec(spec)?);
            column.1.push(if ratio == Ratio::Raw { found.raw_ratio } else { found.mag32_ratio });
        }
    }
    Ok(columns)
}

/// The ratio that a run saw in its controllers, over the blocks that were requested.
fn seen_in_run(result: &RunResult, ratio: Ratio) -> f64 {
    let sum = |read: Counter, written: Counter| result.counters.get(read) + result.counters.get(written);
    let (whole, part) = match ratio {
        Ratio::Raw => (
            1024.0 * sum(Counter::MEMORY_READ_BLOCKS, Counter::MEMORY_WRITTEN_BLOCKS),
            sum(Counter::MEMORY_READ_BITS, Counter::MEMORY_WRITTEN_BITS),
        ),
        Ratio::AtMag => (
            sum(Counter::MEMORY_READ_RAW_BURSTS, Counter::MEMORY_WRITTEN_RAW_BURSTS),
            sum(Counter::MEMORY_READ_BURSTS, Counter::MEMORY_WRITTEN_BURSTS),
        ),
    };
    if part > 0.0 { whole / part } else { 1.0 }
}

/// Every workload with every variant, and without compression.
fn against_none(scope: Scope, variants: &[Variant<'static>]) -> Vec<Need> {
    let mut needs = runs(scope, GPU, &workloads(scope), &[Variant { name: "none", overrides: &[] }]);
    needs.extend(runs(scope, GPU, &workloads(scope), variants));
    needs
}

/// The speedup of each variant on each workload.
fn speedups(
    scope: Scope,
    members: &[Member],
    variants: &[Variant<'static>],
    measured: &Measured,
) -> Result<Vec<Column<'static>>, LabError> {
    let of_variant = |variant: &Variant<'static>| {
        let values: Result<Vec<f64>, LabError> =
            members.iter().map(|member| speedup(scope, GPU, member, variant, measured)).collect();
        Ok((variant.name, values?))
    };
    variants.iter().map(of_variant).collect()
}
