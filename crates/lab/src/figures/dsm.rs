//! DSM: Devpura, "Packet Compression in GPU Architectures", Texas A&M University, 2017.

mod approximation;
mod figure_1_1;
mod figure_6_1;
mod figure_6_10;
mod figure_6_2;
mod figure_6_3;

use shrinkwarp_workloads::{Class, Paper as UsedBy};

use super::common::{Column, Member, Variant, members, plain, with};
use super::{FigureSpec, Measured, Need, Scope};
use crate::LabError;
use crate::run::{RunResult, RunSpec};

/// Its figures, in its order.
pub const FIGURES: &[FigureSpec] = &[
    figure_1_1::FIGURE,
    figure_6_1::FIGURE,
    figure_6_2::FIGURE,
    figure_6_3::FIGURE,
    approximation::ERROR_DISTRIBUTION,
    approximation::CONDITION_NUMBER,
    approximation::CLUSTER_COUNT,
    approximation::DATA_SIZE,
    approximation::ERROR_METRIC,
    approximation::PREDICTOR_ACCURACY,
    figure_6_10::FIGURE,
];

/// The machine of the thesis.
const GPU: &str = "dsm-fermi";

/// No compression.
const NONE: Variant<'static> = Variant { name: "none", overrides: &[] };

/// The codecs that the thesis compares; the last also drops 16 low bits of approximable floating-point data.
const CODECS: [Variant<'static>; 6] = [
    Variant { name: "BDI", overrides: &["scheme.packets.codec=bdi"] },
    Variant { name: "FPC", overrides: &["scheme.packets.codec=fpc"] },
    Variant {
        name: "C-PACK",
        overrides: &["scheme.packets.codec=cpack", "scheme.packets.dictionary=synchronised"],
    },
    Variant { name: "BPC", overrides: &["scheme.packets.codec=bpc"] },
    Variant { name: "DSM", overrides: &["scheme.packets.codec=dsm"] },
    Variant { name: "DSM+APPROX", overrides: &["scheme.packets.codec=dsm", "scheme.approximation.bits=16"] },
];

/// Its workloads, integer ones first.
fn workloads() -> Vec<Member> {
    let mut all = members(UsedBy::Dsm);
    all.sort_by_key(|member| member.workload.class);
    all
}

/// Integer workloads, and those with floating-point data.
fn of_class(is_integer: bool) -> Vec<Member> {
    workloads().into_iter().filter(|member| (member.workload.class == Class::Integer) == is_integer).collect()
}

fn run(scope: Scope, member: &Member, variant: &Variant<'_>) -> RunSpec {
    with(&plain(scope, GPU, member), variant.overrides)
}

/// Every workload without compression and with every codec.
fn all_runs(scope: Scope) -> Vec<Need> {
    let mut needs = Vec::new();
    for member in workloads() {
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
    let mut columns = Vec::new();
    for variant in CODECS {
        let mut values = Vec::new();
        for member in members {
            let plain = measured.result(&run(scope, member, &NONE))?;
            values.push(number(plain, measured.result(&run(scope, member, &variant))?));
        }
        columns.push((variant.name, values));
    }
    Ok(columns)
}

/// Share of the time that a slice had a reply and the network refused it, in the mean of the slices.
fn stall_share(result: &RunResult) -> f64 {
    result.counters.get("derived.reply_stall_share")
}

/// The arithmetic mean.
fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
