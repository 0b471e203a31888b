//! Compression ratios with codes from online sampling.

use super::{GPU, PARTIAL_WRITES, Ratio, online, seen_in_run, workloads};
use crate::LabError;
use crate::figures::common::{Column, Variant, mean, plain, ratio_bars, runs, with};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const RAW: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "11a",
    title: "Raw ratio with online sampling",
    needs: |scope| runs(scope, GPU, &workloads(scope), &variants(scope)),
    draw: |scope, measured| draw(&RAW, Ratio::Raw, [1.44, 1.53, 1.79], scope, measured),
};

pub const AT_MAG: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "11b",
    title: "Ratio at MAG with online sampling",
    needs: |scope| runs(scope, GPU, &workloads(scope), &variants(scope)),
    draw: |scope, measured| draw(&AT_MAG, Ratio::AtMag, [1.24, 1.34, 1.52], scope, measured),
};

/// What the controllers saw in the runs; E2MC begins with sampling.
fn variants(scope: Scope) -> [Variant<'static>; 4] {
    [
        Variant { name: "BDI", overrides: &["scheme.memory.codec=bdi", PARTIAL_WRITES] },
        Variant { name: "FPC", overrides: &["scheme.memory.codec=fpc", PARTIAL_WRITES] },
        Variant { name: "E2MC16 online", overrides: online::recommended(scope) },
        online::physical(scope),
    ]
}

fn draw(
    figure: &FigureSpec,
    ratio: Ratio,
    published: [f64; 3],
    scope: Scope,
    measured: &Measured,
) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut columns: Vec<Column<'_>> = Vec::new();
    for variant in variants(scope) {
        let of_member = |member| {
            let run = with(&plain(scope, GPU, member), variant.overrides);
            Ok(seen_in_run(measured.result(&run)?, ratio))
        };
        columns.push((variant.name, members.iter().map(of_member).collect::<Result<_, LabError>>()?));
    }
    let chart = ratio_bars(ratio.title(), "compression ratio", &members, &columns, &published);
    let claims = columns.iter().zip(published).map(|((name, values), published)| {
        Claim::number(format!("{name}, {}", ratio.name()), published, mean(values), Format::Times)
    });
    Ok(claims.fold(figure.begin().chart(chart), Figure::claim))
}
