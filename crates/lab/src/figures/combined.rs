//! What none of the four papers asked: L1, packet and memory compression together.
//!
//! One machine for all: the E2MC paper's, whose bursts of 32 B let memory compression show. One scheme for each level, as its
//! paper recommends it: LATTE-CC in the L1, DSM on the packets, E2MC16 with four decoding ways in the controllers.

mod energy;
mod speedup;
mod together;
mod worth;

use shrinkwarp_workloads::{Class, WORKLOADS};

use super::common::{Member, Variant, plain, with};
use super::{FigureSpec, Measured, Need, Scope};
use crate::LabError;
use crate::run::{RunResult, RunSpec};

/// The figures of the page.
pub const FIGURES: &[FigureSpec] = &[speedup::FIGURE, together::FIGURE, energy::FIGURE, worth::FIGURE];

const GPU: &str = "e2mc-gtx580";

const NONE: Variant<'static> = Variant { name: "none", overrides: &[] };

const L1: &str = "scheme.l1.policy=latte";
const PACKETS: &str = "scheme.packets.codec=dsm";
const MEMORY: &str = "scheme.memory.codec=e2mc16:ways=4";

/// Every level alone, every pair, and all three; the first three are the levels.
const SCHEMES: [Variant<'static>; 7] = [
    Variant { name: "L1", overrides: &[L1] },
    Variant { name: "packets", overrides: &[PACKETS] },
    Variant { name: "memory", overrides: &[MEMORY] },
    Variant { name: "L1 + packets", overrides: &[L1, PACKETS] },
    Variant { name: "L1 + memory", overrides: &[L1, MEMORY] },
    Variant { name: "packets + memory", overrides: &[PACKETS, MEMORY] },
    Variant { name: "all three", overrides: &[L1, PACKETS, MEMORY] },
];

/// The levels that a scheme has, as places among the first three schemes.
const LEVELS: [&[usize]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];

/// Workloads that at least two of the papers used.
fn workloads(scope: Scope) -> Vec<Member> {
    let is_shared =
        |workload: &&&shrinkwarp_workloads::Workload| scope.has(workload) && workload.papers.len() >= 2;
    let mut members: Vec<Member> =
        WORKLOADS.iter().filter(is_shared).map(|workload| Member::of_suite(workload)).collect();
    members.sort_by_key(|member| member.workload.class);
    members
}

fn of_class(scope: Scope, class: Class) -> Vec<Member> {
    workloads(scope).into_iter().filter(|member| member.workload.class == class).collect()
}

fn run(scope: Scope, member: &Member, variant: &Variant<'_>) -> RunSpec {
    with(&plain(scope, GPU, member), variant.overrides)
}

fn all_runs(scope: Scope) -> Vec<Need> {
    let mut needs = super::common::runs(scope, GPU, &workloads(scope), &[NONE]);
    needs.extend(super::common::runs(scope, GPU, &workloads(scope), &SCHEMES));
    needs
}

/// A number of a scheme's run beside the plain run, for some workloads.
fn numbers(
    scope: Scope,
    members: &[Member],
    scheme: &Variant<'_>,
    measured: &Measured,
    number: impl Fn(&RunResult, &RunResult) -> f64,
) -> Result<Vec<f64>, LabError> {
    let of_member = |member| {
        let plain = measured.result(&run(scope, member, &NONE))?;
        Ok(number(plain, measured.result(&run(scope, member, scheme))?))
    };
    members.iter().map(of_member).collect()
}

fn speedup_of(plain: &RunResult, other: &RunResult) -> f64 {
    plain.cycles as f64 / other.cycles.max(1) as f64
}
