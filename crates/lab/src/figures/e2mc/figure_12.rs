//! Speedups with ideal latency, and with real latency and offline or online codes.

use super::{PARTIAL_WRITES, against_none, online, speedups, workloads};
use crate::LabError;
use crate::figures::common::{Variant, mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const IDEAL: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "12a",
    title: "Speedup with a latency of one cycle",
    needs: |scope| against_none(scope, &IDEAL_VARIANTS),
    draw: |scope, measured| draw(&IDEAL, &IDEAL_VARIANTS, &IDEAL_PUBLISHED, scope, measured),
};

pub const OFFLINE: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "12b",
    title: "Speedup with real latency and offline codes",
    needs: |scope| against_none(scope, &OFFLINE_VARIANTS),
    draw: |scope, measured| draw(&OFFLINE, &OFFLINE_VARIANTS, &OFFLINE_PUBLISHED, scope, measured),
};

pub const ONLINE: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "12c",
    title: "Speedup with real latency and online codes",
    needs: |scope| against_none(scope, &online::ways(scope)),
    draw: |scope, measured| draw(&ONLINE, &online::ways(scope), &ONLINE_PUBLISHED, scope, measured),
};

macro_rules! ideal {
    ($name:literal, $codec:literal) => {
        Variant {
            name: $name,
            overrides: &[
                concat!("scheme.memory.codec=", $codec),
                PARTIAL_WRITES,
                "scheme.memory.compress_cycles=1",
                "scheme.memory.decompress_cycles=1",
            ],
        }
    };
}

macro_rules! offline {
    ($name:literal, $codec:literal) => {
        Variant { name: $name, overrides: &[concat!("scheme.memory.codec=", $codec), PARTIAL_WRITES] }
    };
}

const IDEAL_VARIANTS: [Variant<'static>; 6] = [
    ideal!("BDI", "bdi"),
    ideal!("FPC", "fpc"),
    ideal!("E2MC4", "e2mc4"),
    ideal!("E2MC8", "e2mc8"),
    ideal!("E2MC16", "e2mc16"),
    ideal!("E2MC32", "e2mc32"),
];
const IDEAL_PUBLISHED: [Option<f64>; 6] =
    [Some(1.12), Some(1.16), Some(1.16), Some(1.21), Some(1.23), Some(1.16)];

const OFFLINE_VARIANTS: [Variant<'static>; 6] = [
    offline!("BDI", "bdi"),
    offline!("FPC", "fpc"),
    offline!("E2MC16, 1 way", "e2mc16"),
    offline!("E2MC16, 2 ways", "e2mc16:ways=2"),
    offline!("E2MC16, 4 ways", "e2mc16:ways=4"),
    offline!("E2MC16, 8 ways", "e2mc16:ways=8"),
];
const OFFLINE_PUBLISHED: [Option<f64>; 6] =
    [Some(1.12), Some(1.13), Some(1.13), None, Some(1.20), Some(1.20)];

const ONLINE_PUBLISHED: [Option<f64>; 4] = [Some(1.11), None, Some(1.17), None];

fn draw(
    figure: &FigureSpec,
    variants: &[Variant<'static>],
    published: &[Option<f64>],
    scope: Scope,
    measured: &Measured,
) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let columns = speedups(scope, &members, variants, measured)?;
    let mut drawn =
        figure.begin().chart(ratio_bars("Speedup over no compression", "speedup", &members, &columns, &[]));
    for ((name, values), published) in columns.iter().zip(published) {
        if let Some(published) = published {
            let what = format!("speedup of {name}");
            drawn = drawn.claim(Claim::number(what, *published, mean(values), Format::Times));
        }
    }
    Ok(drawn)
}
