//! What the open points of the paper mean: its two bandwidths, and writes to a part of a compressed block.
//!
//! Table V gives six 32-bit controllers at 1,002 MHz, which are 96.2 GB/s, and states 192.4 GB/s; the two GPU presets are the
//! two readings. The paper describes no read before a write to a part of a compressed block; `merge` is what hardware would
//! do that keeps no second copy of the rest.

use super::{GPU, workloads};
use crate::LabError;
use crate::figures::common::{Variant, ratio_bars, runs, speedup};
use crate::figures::{FigureSpec, Measured, Need, Scope};
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "readings",
    title: "E2MC16 with both bandwidths of table V, with and without a read before partial writes",
    needs,
    draw,
};

/// The presets of the two readings.
const MACHINES: [(&str, &str); 2] = [(GPU, "96.2 GB/s"), ("e2mc-gtx580-192", "192.4 GB/s")];

const NONE: Variant<'static> = Variant { name: "none", overrides: &[] };

const VARIANTS: [Variant<'static>; 2] = [
    Variant {
        name: "as in the paper",
        overrides: &["scheme.memory.codec=e2mc16:ways=4", super::PARTIAL_WRITES],
    },
    Variant {
        name: "read and merge",
        overrides: &["scheme.memory.codec=e2mc16:ways=4", "scheme.memory.partial_writes=merge"],
    },
];

fn needs(scope: Scope) -> Vec<Need> {
    let of_machine = |(gpu, _): &(&str, &str)| {
        let mut needs = runs(scope, gpu, &workloads(scope), &[NONE]);
        needs.extend(runs(scope, gpu, &workloads(scope), &VARIANTS));
        needs
    };
    MACHINES.iter().flat_map(of_machine).collect()
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut figure = FIGURE.begin();
    for (gpu, bandwidth) in MACHINES {
        let mut columns = Vec::new();
        for variant in &VARIANTS {
            let values: Result<Vec<f64>, LabError> =
                members.iter().map(|member| speedup(scope, gpu, member, variant, measured)).collect();
            columns.push((variant.name, values?));
        }
        let title = format!("Speedup of E2MC16, {bandwidth}");
        figure = figure.chart(ratio_bars(&title, "speedup", &members, &columns, &[]));
    }
    Ok(figure)
}
