//! DSM: Devpura, "Packet Compression in GPU Architectures", Texas A&M University, 2017.

mod approximation;
mod figure_1_1;
mod figure_6_1;
mod figure_6_10;
mod figure_6_2;
mod figure_6_3;
mod most_bits;
mod redundancy;
mod switches;

use shrinkwarp_machine::Counter;
use shrinkwarp_workloads::Paper as UsedBy;

use super::common::{Column, Member, Variant, columns_of, member_bars, members, plain, with};
use super::{FigureSpec, Measured, Need, Scope};
use crate::LabError;
use crate::run::{RunResult, RunSpec};
use shrinkwarp_report::chart::{Axis, Chart, Mean, Series};

/// Its figures, in its order.
pub const FIGURES: &[FigureSpec] = &[
    figure_1_1::FIGURE,
    figure_6_1::FIGURE,
    figure_6_2::FIGURE,
    figure_6_3::FIGURE,
    redundancy::FIGURE,
    most_bits::FIGURE,
    approximation::ERROR_DISTRIBUTION,
    approximation::CONDITION_NUMBER,
    approximation::CLUSTER_COUNT,
    approximation::DATA_SIZE,
    approximation::POINT_FEATURES,
    approximation::ERROR_METRIC,
    approximation::PREDICTOR_ACCURACY,
    figure_6_10::FIGURE,
];

/// Experiments with its machine and system, drawn only when they are named.
pub const EXPERIMENTS: &[FigureSpec] = &[switches::FIGURE];

/// The machine of the thesis.
const GPU: &str = "dsm-fermi";

/// No compression.
const NONE: Variant<'static> = Variant { name: "none", overrides: &[] };

/// The codecs that the thesis compares. Its simulator's BPC reads words with their bytes reversed; the last also drops [`approximated_bits`] of
/// approximable data.
const CODECS: [Variant<'static>; 6] = [
    Variant { name: "BDI", overrides: &["scheme.packets.codec=bdi", BEHIND_QUEUE] },
    Variant { name: "FPC", overrides: &["scheme.packets.codec=fpc", BEHIND_QUEUE] },
    Variant {
        name: "C-PACK",
        overrides: &["scheme.packets.codec=cpack", "scheme.packets.dictionary=per_slice", BEHIND_QUEUE],
    },
    Variant { name: "BPC", overrides: &["scheme.packets.codec=bpc:reversed=1", BEHIND_QUEUE] },
    Variant { name: "DSM", overrides: &["scheme.packets.codec=dsm", BEHIND_QUEUE] },
    Variant { name: APPROXIMATED, overrides: &["scheme.packets.codec=dsm", BEHIND_QUEUE] },
];

/// The compressor of the thesis's simulator is a pipeline behind the slice's reply queue.
const BEHIND_QUEUE: &str = "scheme.packets.compressor=behind_queue";

/// The variant that also approximates.
const APPROXIMATED: &str = "DSM+APPROX";

/// The integer programs of its table 6.2; the other nine are its floating-point programs.
const INTEGER: [&str; 9] = ["R-BFS", "P-BFS", "R-BTR", "R-HW", "P-HIST", "M-PVC", "M-PVR", "M-SS", "N-RED"];

fn is_integer(member: &Member) -> bool {
    INTEGER.contains(&member.label)
}

/// Bits that the thesis's simulator drops: its table of programs, in a public copy of the group's code.
fn approximated_bits(member: &Member) -> u32 {
    match member.label {
        _ if is_integer(member) => 0,
        "R-GE" | "R-LUD" => 4,
        _ => 12,
    }
}

/// Its workloads, integer ones first.
fn workloads(scope: Scope) -> Vec<Member> {
    let mut all = members(scope, UsedBy::Dsm);
    all.sort_by_key(|member| !is_integer(member));
    all
}

/// The integer programs of the thesis, or its floating-point programs.
fn of_class(scope: Scope, wants_integer: bool) -> Vec<Member> {
    workloads(scope).into_iter().filter(|member| is_integer(member) == wants_integer).collect()
}

fn run(scope: Scope, member: &Member, variant: &Variant<'_>) -> RunSpec {
    let spec = with(&plain(scope, GPU, member), variant.overrides);
    let bits = approximated_bits(member);
    if variant.name != APPROXIMATED || bits == 0 {
        return spec;
    }
    with(&spec, &[&format!("scheme.approximation.bits={bits}")])
}

/// Every workload without compression and with every codec.
fn all_runs(scope: Scope) -> Vec<Need> {
    let mut needs = Vec::new();
    for member in workloads(scope) {
        needs.push(Need::Run(run(scope, &member, &NONE)));
        needs.extend(CODECS.iter().map(|variant| Need::Run(run(scope, &member, variant))));
    }
    needs
}

/// A number of each codec's run beside the plain run, for each workload.
fn columns(
    scope: Scope,
    members: &[Member],
    measured: &Measured,
    number: impl Fn(&RunResult, &RunResult) -> f64,
) -> Result<Vec<Column<'static>>, LabError> {
    let run = |member: &Member, variant: &Variant<'_>| run(scope, member, variant);
    columns_of(&NONE, &CODECS, members, measured, run, number)
}

/// Share of the time that a memory controller is stalled: the network refuses a reply of any of its slices. The thesis counts
/// controllers (two slices each); `derived.reply_stall_share` is the same for slices.
fn stall_share(result: &RunResult) -> f64 {
    result.counters.get(Counter::CONTROLLER_STALL_SHARE)
}

/// The share of each workload without compression.
fn plain_stall_shares(scope: Scope, members: &[Member], measured: &Measured) -> Result<Vec<f64>, LabError> {
    members.iter().map(|member| Ok(stall_share(measured.result(&run(scope, member, &NONE))?))).collect()
}

/// Those shares as bars.
fn stall_bars(members: &[Member], series: Vec<Series>) -> Chart {
    let title = "Memory controllers stalled by the reply network";
    member_bars(title, Axis::share("time"), members, series).with_mean(Mean::Arithmetic)
}

/// Flits saved, as a share of those of the same replies without compression.
fn flits_saved(result: &RunResult) -> f64 {
    let without = result.counters.get(Counter::FLITS_WITHOUT);
    if without > 0.0 { 1.0 - result.counters.get(Counter::FLITS_WITH) / without } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesis_has_nine_integer_programs_and_approximates_the_others() {
        let scope = Scope::all(shrinkwarp_workloads::Scale::Tiny);
        let members = workloads(scope);
        assert_eq!((members.len(), of_class(scope, true).len(), of_class(scope, false).len()), (18, 9, 9));
        let bits = |wanted: u32| members.iter().filter(|member| approximated_bits(member) == wanted).count();
        assert_eq!((bits(0), bits(4), bits(12)), (9, 2, 7));
    }
}
