//! What latency costs: the speedup as compression or decompression gets slower.

use super::{PARTIAL_WRITES, against_none, speedups, workloads};
use crate::LabError;
use crate::figures::common::{Variant, mean};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Line};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const COMPRESS: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "5a",
    title: "Speedup by compression latency",
    needs: |scope| against_none(scope, &SLOW_COMPRESSORS),
    draw: |scope, measured| draw(&COMPRESS, scope, &SLOW_COMPRESSORS, measured),
};

pub const DECOMPRESS: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "5b",
    title: "Speedup by decompression latency",
    needs: |scope| against_none(scope, &SLOW_DECOMPRESSORS),
    draw: |scope, measured| draw(&DECOMPRESS, scope, &SLOW_DECOMPRESSORS, measured),
};

macro_rules! latencies {
    ($compress:literal, $decompress:literal) => {
        Variant {
            name: concat!($compress, "/", $decompress),
            overrides: &[
                "scheme.memory.codec=e2mc16:ways=4",
                PARTIAL_WRITES,
                concat!("scheme.memory.compress_cycles=", $compress),
                concat!("scheme.memory.decompress_cycles=", $decompress),
            ],
        }
    };
}

/// Cycles of the swept half.
const CYCLES: [f64; 5] = [80.0, 60.0, 40.0, 20.0, 0.0];

const SLOW_COMPRESSORS: [Variant<'static>; 5] = [
    latencies!("80", "0"),
    latencies!("60", "0"),
    latencies!("40", "0"),
    latencies!("20", "0"),
    latencies!("0", "0"),
];

const SLOW_DECOMPRESSORS: [Variant<'static>; 5] = [
    latencies!("0", "80"),
    latencies!("0", "60"),
    latencies!("0", "40"),
    latencies!("0", "20"),
    latencies!("0", "0"),
];

fn draw(
    figure: &FigureSpec,
    scope: Scope,
    variants: &[Variant<'static>],
    measured: &Measured,
) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let columns = speedups(scope, &members, variants, measured)?;
    let mut lines: Vec<Line> = members
        .iter()
        .enumerate()
        .map(|(index, member)| {
            Line::new(
                member.label,
                CYCLES.iter().zip(&columns).map(|(cycles, column)| (*cycles, column.1[index])),
            )
        })
        .collect();
    let means: Vec<f64> = columns.iter().map(|(_, values)| mean(values)).collect();
    lines.push(Line::new("geomean", CYCLES.iter().copied().zip(means.iter().copied())));
    let gain = means[4] - means[0];
    let chart = Chart::lines(
        "Speedup as the latency falls",
        Axis::new("latency").unit("DRAM cycles"),
        Axis::ratio("speedup over no compression"),
        lines,
    );
    let ours = format!("{:+.1} points from 80 to 0 cycles", 100.0 * gain);
    Ok(figure.begin().chart(chart).claim(Claim::words(
        "speedup rises as the latency falls",
        "rises, decompression matters more",
        ours,
        &[gain > 0.0],
    )))
}
