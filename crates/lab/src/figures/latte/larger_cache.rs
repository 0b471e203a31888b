//! The policies on the card's other setting: 48 KB of L1 and 16 KB of shared memory.

use super::{run, runs, sensitive, speedup};
use crate::LabError;
use crate::figures::common::{Column, Variant, mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "48kb",
    title: "Speedup of the policies in an L1 of 48 KB",
    needs: |scope| {
        let mut needs = runs(scope, &sensitive(scope), &[PLAIN]);
        needs.extend(runs(scope, &sensitive(scope), &POLICIES));
        needs
    },
    draw,
};

const PLAIN: Variant<'static> = Variant { name: "none", overrides: &["l1.size_kib=48", "l1.ways=6"] };

const POLICIES: [Variant<'static>; 2] = [
    Variant {
        name: "Static-BDI",
        overrides: &["l1.size_kib=48", "l1.ways=6", "scheme.l1.policy=static", "scheme.l1.modes=[\"bdi\"]"],
    },
    Variant { name: "LATTE-CC", overrides: &["l1.size_kib=48", "l1.ways=6", "scheme.l1.policy=latte"] },
];

const PUBLISHED: [f64; 2] = [1.03, 1.06];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let mut columns: Vec<Column<'_>> = Vec::new();
    for policy in &POLICIES {
        let of_member = |member| {
            let plain = measured.result(&run(scope, member, &PLAIN))?;
            Ok(speedup(plain, measured.result(&run(scope, member, policy))?))
        };
        columns.push((policy.name, members.iter().map(of_member).collect::<Result<_, LabError>>()?));
    }
    let chart =
        ratio_bars("Speedup over 48 KB without compression", "speedup", &members, &columns, &PUBLISHED);
    let claims = columns.iter().zip(PUBLISHED).map(|((name, values), published)| {
        Claim::number(format!("{name} at 48 KB, mean"), published, mean(values), Format::Times)
    });
    Ok(claims.fold(FIGURE.begin().chart(chart), Figure::claim))
}
