//! How much faster the memory-bound workloads get with more memory bandwidth.

use super::{GPU, speedups, workloads};
use crate::LabError;
use crate::figures::common::{Variant, mean, ratio_bars, runs};
use crate::figures::{FigureSpec, Measured, Need, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec =
    FigureSpec { paper: Paper::E2mc, id: "1", title: "Speedup with more bandwidth", needs, draw };

/// "Close to 2×" on average with 8 times the bandwidth.
const PUBLISHED: f64 = 2.0;

/// A faster clock moves more bytes in a second; the times between commands that are set by the cells stay what they are
/// in nanoseconds, so their cycles grow with the clock.
const FASTER: [Variant<'static>; 3] = [
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

/// More channels, each with its controller, its slice and its port to the network; all slices together stay as large.
const MORE: [Variant<'static>; 3] = [
    Variant { name: "2×", overrides: &["dram.channels=12", "l2.size_kib=64"] },
    Variant { name: "4×", overrides: &["dram.channels=24", "l2.size_kib=32"] },
    Variant { name: "8×", overrides: &["dram.channels=48", "l2.size_kib=16"] },
];

fn needs(scope: Scope) -> Vec<Need> {
    let plain = Variant { name: "1×", overrides: &[] };
    let variants: Vec<Variant<'static>> = std::iter::once(plain).chain(FASTER).chain(MORE).collect();
    runs(scope, GPU, &workloads(scope), &variants)
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut figure = FIGURE.begin().text(
        "The paper names both ways to more bandwidth, faster channels and more of them, and does not say which it took. \
         Faster: the DRAM clock is multiplied; row and column latencies stay the same in nanoseconds. More: channels with \
         their controllers and ports to the network, the L2 as large as before. The paper's bars are not given as numbers; \
         it calls a workload memory-bound when it gains here.",
    );
    for (way, variants) in [("faster channels", &FASTER), ("more channels", &MORE)] {
        let columns = speedups(scope, &members, variants, measured)?;
        let title = format!("Speedup with 2, 4 and 8 times the DRAM bandwidth: {way}");
        let [.., (_, most)] = &columns[..] else { continue };
        let claim = Claim::number(format!("mean with 8×, {way}"), PUBLISHED, mean(most), Format::Times);
        figure = figure.chart(ratio_bars(&title, "speedup", &members, &columns, &[])).claim(claim);
    }
    Ok(figure)
}
