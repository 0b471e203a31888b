//! Energy and energy-delay product of E2MC16, with offline and online codes.

use super::{GPU, PARTIAL_WRITES, online, workloads};
use crate::LabError;
use crate::figures::common::{Column, Variant, mean, plain, ratio_bars, runs, with};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "13",
    title: "Energy and energy-delay product of E2MC16",
    needs: |scope| runs(scope, GPU, &workloads(scope), &variants(scope)),
    draw,
};

fn variants(scope: Scope) -> [Variant<'static>; 3] {
    [
        Variant { name: "none", overrides: &[] },
        Variant { name: "offline", overrides: &["scheme.memory.codec=e2mc16:ways=4", PARTIAL_WRITES] },
        Variant { name: "online", overrides: online::recommended(scope) },
    ]
}

/// Name, variant, counter, published change.
const SHOWN: [(&str, usize, Counter, f64); 4] = [
    ("energy, offline", 1, Counter::ENERGY_J, -0.13),
    ("energy-delay, offline", 1, Counter::ENERGY_DELAY_JS, -0.27),
    ("energy, online", 2, Counter::ENERGY_J, -0.11),
    ("energy-delay, online", 2, Counter::ENERGY_DELAY_JS, -0.24),
];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let variants = variants(scope);
    let mut columns: Vec<Column<'_>> = Vec::new();
    for (name, variant, counter, _) in SHOWN {
        let of_member = |member| {
            let base = plain(scope, GPU, member);
            let compressed =
                measured.result(&with(&base, variants[variant].overrides))?.counters.get(counter);
            Ok(compressed / measured.result(&base)?.counters.get(counter))
        };
        columns.push((name, members.iter().map(of_member).collect::<Result<_, LabError>>()?));
    }
    let published = SHOWN.map(|(.., change)| 1.0 + change);
    let chart = ratio_bars("Relative to no compression", "relative", &members, &columns, &published);
    let claims = columns.iter().zip(SHOWN).map(|((name, values), (.., published))| {
        Claim::number(format!("change of {name}"), published, mean(values) - 1.0, Format::Change)
    });
    Ok(claims.fold(FIGURE.begin().chart(chart), Figure::claim))
}
