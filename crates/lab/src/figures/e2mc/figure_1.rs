//! How much faster the memory-bound workloads get with more memory bandwidth.

use super::{GPU, speedups, workloads};
use crate::LabError;
use crate::figures::common::{Variant, ratio_bars, runs};
use crate::figures::{FigureSpec, Measured, Need, Scope};
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec =
    FigureSpec { paper: Paper::E2mc, id: "1", title: "Speedup with more bandwidth", needs, draw };

/// A faster clock moves more bytes in a second; the times between commands that are set by the cells stay what they are
/// in nanoseconds, so their cycles grow with the clock.
const VARIANTS: [Variant<'static>; 4] = [
    Variant { name: "1×", overrides: &[] },
    Variant {
        name: "2×",
        overrides: &[
            "clocks.dram_mhz=2004",
            "dram.timing.rrd=12",
            "dram.timing.rcd=24",
            "dram.timing.ras=56",
            "dram.timing.rp=24",
            "dram.timing.rc=80",
            "dram.timing.cl=24",
            "dram.timing.wl=8",
            "dram.timing.cdlr=10",
            "dram.timing.wr=24",
            "dram.timing.rtpl=4",
        ],
    },
    Variant {
        name: "4×",
        overrides: &[
            "clocks.dram_mhz=4008",
            "dram.timing.rrd=24",
            "dram.timing.rcd=48",
            "dram.timing.ras=112",
            "dram.timing.rp=48",
            "dram.timing.rc=160",
            "dram.timing.cl=48",
            "dram.timing.wl=16",
            "dram.timing.cdlr=20",
            "dram.timing.wr=48",
            "dram.timing.rtpl=8",
        ],
    },
    Variant {
        name: "8×",
        overrides: &[
            "clocks.dram_mhz=8016",
            "dram.timing.rrd=48",
            "dram.timing.rcd=96",
            "dram.timing.ras=224",
            "dram.timing.rp=96",
            "dram.timing.rc=320",
            "dram.timing.cl=96",
            "dram.timing.wl=32",
            "dram.timing.cdlr=40",
            "dram.timing.wr=96",
            "dram.timing.rtpl=16",
        ],
    },
];

fn needs(scope: Scope) -> Vec<Need> {
    runs(scope, GPU, &workloads(), &VARIANTS)
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads();
    let columns = speedups(scope, &members, &VARIANTS[1..], measured)?;
    let chart =
        ratio_bars("Speedup with 2, 4 and 8 times the DRAM bandwidth", "speedup", &members, &columns, &[]);
    Ok(FIGURE
        .begin()
        .text(
            "The DRAM clock is multiplied; row and column latencies stay the same in nanoseconds. The paper's bars are not \
             given as numbers; it calls a workload memory-bound when it gains here.",
        )
        .chart(chart))
}
