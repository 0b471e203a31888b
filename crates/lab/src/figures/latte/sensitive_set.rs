//! Which workloads are cache-sensitive: a cache of four times the size makes them more than 20 % faster.

use super::{NONE, columns, insensitive, runs, sensitive, speedup};
use crate::LabError;
use crate::figures::common::{Member, Variant, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "sensitive-set",
    title: "Which workloads are cache-sensitive",
    needs: |scope| runs(scope, &all(scope), &[NONE, FOUR_TIMES]),
    draw,
};

const FOUR_TIMES: Variant<'static> = Variant { name: "64 KB", overrides: &["l1.size_kib=64"] };

/// The paper's bound.
const SENSITIVE_ABOVE: f64 = 1.20;

fn all(scope: Scope) -> Vec<Member> {
    sensitive(scope).into_iter().chain(insensitive(scope)).collect()
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = all(scope);
    let columns = columns(scope, &members, &[FOUR_TIMES], measured, speedup)?;
    let speedups = &columns[0].1;
    let names = |is_wanted: &dyn Fn(&Member, f64) -> bool| {
        let wanted = members.iter().zip(speedups).filter(|(member, speedup)| is_wanted(member, **speedup));
        wanted.map(|(member, _)| member.label).collect::<Vec<_>>().join(" ")
    };
    let theirs = names(&|member, _| member.workload.is_cache_sensitive);
    let ours = names(&|_, speedup| speedup > SENSITIVE_ABOVE);
    let agree = |(member, speedup): (&Member, &f64)| {
        member.workload.is_cache_sensitive == (*speedup > SENSITIVE_ABOVE)
    };
    let conditions: Vec<bool> = members.iter().zip(speedups).map(agree).collect();
    let agreeing = conditions.iter().filter(|agrees| **agrees).count();
    let why = format!("{agreeing} of {} workloads are in the same set here and there", members.len());
    let chart = ratio_bars("Speedup of an L1 of 64 KB over 16 KB", "speedup", &members, &columns, &[]);
    Ok(FIGURE
        .begin()
        .text("The set of the other figures is the paper's; this is what our inputs make of it.")
        .chart(chart)
        .claim(Claim::words("gain more than 20 %", theirs, ours, &conditions).why(why)))
}
