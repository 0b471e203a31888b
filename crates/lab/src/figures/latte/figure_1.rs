//! How much hit latency the workloads tolerate: the cache stays the same, only its hits get slower (figures 1 and 4).

use super::{GPU, NONE, insensitive, run, sensitive};
use crate::LabError;
use crate::chart::{Axis, Chart, Line};
use crate::figure::{Claim, Figure, Paper, Verdict};
use crate::figures::common::{Member, Variant, runs};
use crate::figures::{FigureSpec, Measured, Scope};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "1+4",
    title: "Performance against added hit latency",
    needs: |scope| runs(scope, GPU, &shown(), &VARIANTS),
    draw,
};

/// Added cycles; the plain cache has a latency of one.
const ADDED: [f64; 5] = [0.0, 2.0, 5.0, 9.0, 14.0];
const VARIANTS: [Variant<'static>; 5] = [
    NONE,
    Variant { name: "2", overrides: &["l1.latency_cycles=3"] },
    Variant { name: "5", overrides: &["l1.latency_cycles=6"] },
    Variant { name: "9", overrides: &["l1.latency_cycles=10"] },
    Variant { name: "14", overrides: &["l1.latency_cycles=15"] },
];

fn shown() -> Vec<Member> {
    sensitive().into_iter().chain(insensitive()).collect()
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut figure = FIGURE.begin().text("The cache holds what it held; hits take the decompression time of BDI (2), FPC (5) and SC (14) longer.");
    for (title, members) in [("Cache-sensitive workloads", sensitive()), ("Other workloads", insensitive())] {
        let mut lines = Vec::new();
        let mut worst = ("", 1.0);
        let mut best = ("", 0.0);
        for member in &members {
            let plain = measured.result(&run(scope, member, &NONE))?;
            let mut points = Vec::new();
            for (added, variant) in ADDED.iter().zip(&VARIANTS) {
                points.push((*added, super::speedup(plain, measured.result(&run(scope, member, variant))?)));
            }
            let last = points.last().map_or(1.0, |point| point.1);
            if last < worst.1 {
                worst = (member.label, last);
            }
            if last > best.1 {
                best = (member.label, last);
            }
            lines.push(Line::new(member.label, points));
        }
        let chart = Chart::lines(
            title,
            Axis::new("added hit latency").unit("cycles"),
            Axis::ratio("performance"),
            lines,
        );
        let ours = format!("{} keeps {:.0} %, {} {:.0} %", best.0, 100.0 * best.1, worst.0, 100.0 * worst.1);
        let verdict = if best.1 > 0.98 && worst.1 < 0.97 { Verdict::Reproduced } else { Verdict::Partly };
        figure = figure.chart(chart).claim(Claim::words(
            format!("{}: some tolerate 14 cycles, some do not", title.to_lowercase()),
            "PRK insensitive; BC and FW lose performance",
            ours,
            verdict,
        ));
    }
    Ok(figure)
}
