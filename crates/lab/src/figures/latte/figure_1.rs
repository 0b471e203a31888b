//! How much hit latency the workloads tolerate: the cache stays the same, only its hits get slower (figures 1 and 4).

use super::{GPU, NONE, insensitive, run, sensitive};
use crate::LabError;
use crate::figures::common::{Member, Variant, runs};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Format, Line};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "1+4",
    title: "Performance against added hit latency",
    needs: |scope| runs(scope, GPU, &shown(scope), &VARIANTS),
    draw,
};

/// Hits pass the serial decompressor, but lines take as much data as without compression.
macro_rules! added {
    ($cycles:literal) => {
        Variant {
            name: $cycles,
            overrides: &[
                "scheme.l1.policy=static",
                "scheme.l1.modes=[\"bdi\"]",
                "scheme.l1.capacity=plain",
                concat!("scheme.l1.decompress_cycles=", $cycles),
            ],
        }
    };
}

/// Added cycles.
const ADDED: [f64; 5] = [0.0, 2.0, 5.0, 9.0, 14.0];
const VARIANTS: [Variant<'static>; 5] = [NONE, added!("2"), added!("5"), added!("9"), added!("14")];

fn shown(scope: Scope) -> Vec<Member> {
    sensitive(scope).into_iter().chain(insensitive(scope)).collect()
}

/// What the paper says of single workloads with 14 cycles more (section II-B).
const PUBLISHED_AT_14: [(&str, f64); 3] = [("PRK", 1.0), ("BC", 0.78), ("FW", 0.53)];
/// Workloads that it says tolerate 9 cycles (section I).
const TOLERATE_9: [&str; 2] = ["CLR", "MIS"];
/// Performance above this counts as tolerating a latency.
const TOLERATED_ABOVE: f64 = 0.98;

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut figure = FIGURE.begin().text("The cache holds what it holds without compression, but every hit passes the serial decompressor of its SM: 2 cycles (BDI), 5 (FPC), 9, 14 (SC), more where hits queue.");
    let mut performance: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for (title, members) in
        [("Cache-sensitive workloads", sensitive(scope)), ("Other workloads", insensitive(scope))]
    {
        let mut lines = Vec::new();
        for member in &members {
            let plain = measured.result(&run(scope, member, &NONE))?;
            let mut points = Vec::new();
            for (added, variant) in ADDED.iter().zip(&VARIANTS) {
                points.push((*added, super::speedup(plain, measured.result(&run(scope, member, variant))?)));
            }
            lines.push(Line::new(member.label, points.clone()));
            performance.push((member.label, points));
        }
        figure = figure.chart(Chart::lines(
            title,
            Axis::new("added hit latency").unit("cycles"),
            Axis::ratio("performance"),
            lines,
        ));
    }
    let of = |label: &str, cycles: f64| {
        let points = performance.iter().find(|(known, _)| *known == label).map(|(_, points)| points);
        let point = points.and_then(|points| points.iter().find(|(added, _)| *added == cycles));
        point.map_or(f64::NAN, |(_, performance)| *performance)
    };
    // A workload that was not chosen has no performance, and no claim is made of it.
    for (label, published) in PUBLISHED_AT_14.into_iter().filter(|(label, _)| of(label, 14.0).is_finite()) {
        let what = format!("performance of {label} with 14 cycles more");
        figure = figure.claim(Claim::number(what, published, of(label, 14.0), Format::Times));
    }
    let tolerant = TOLERATE_9.map(|label| of(label, 9.0));
    if tolerant.iter().any(|value| value.is_nan()) {
        return Ok(figure);
    }
    let ours = TOLERATE_9
        .iter()
        .zip(&tolerant)
        .map(|(label, value)| format!("{label} keeps {:.0} %", 100.0 * value));
    Ok(figure.claim(Claim::words(
        "CLR and MIS tolerate 9 cycles",
        "both do",
        ours.collect::<Vec<_>>().join(", "),
        &tolerant.map(|value| value > TOLERATED_ABOVE),
    )))
}
