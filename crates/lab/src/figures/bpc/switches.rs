//! What each part of the paper's machine, and of ours, does to figure 5.

use super::GPU;
use super::figure_5::{MACHINES, SCHEMES, tree};
use crate::LabError;
use crate::figures::common::{Member, with};
use crate::figures::switches::{AS_IT_IS, Switch, table};
use crate::figures::{FigureSpec, Measured, Need, Scope};
use crate::run::RunSpec;
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Bpc,
    id: "switches",
    title: "Figure 5 with one switch changed at a time",
    needs,
    draw,
};

const SWITCHES: [Switch; 6] = [
    AS_IT_IS,
    Switch::machine("interconnect at the core clock", &["clocks.interconnect_mhz=700"]),
    Switch::machine(
        "one 16-way slice of 128 KB for each vault",
        &["dram.slices_per_channel=1", "l2.size_kib=128", "l2.ways=16"],
    ),
    Switch::machine("L1 index linear", &["l1.set_index=linear"]),
    Switch::scheme("partial writes merged in the vault", &["scheme.link.partial_writes=merge"]),
    Switch {
        name: "all together",
        gpu: None,
        machine: &[
            "clocks.interconnect_mhz=700",
            "dram.slices_per_channel=1",
            "l2.size_kib=128",
            "l2.ways=16",
            "l1.set_index=linear",
        ],
        scheme: &["scheme.link.partial_writes=merge"],
    },
];

/// What the columns show: machine, scheme and divisor of the bandwidth, as in the claims of figure 5. The first is what the others are divided by.
const POINTS: [(&str, usize, usize, u32); 6] = [
    ("baseline", 0, 0, 1),
    ("15 SMs, BPC 1/16", 0, 1, 16),
    ("60/6", 1, 0, 1),
    ("60/24", 2, 0, 1),
    ("60/24, BPC 1/16", 2, 1, 16),
    ("60/24, none 1/16", 2, 0, 16),
];

fn at(scope: Scope, member: &Member, switch: &Switch, point: (&str, usize, usize, u32)) -> RunSpec {
    let (_, machine, scheme, divisor) = point;
    let has_codec = scheme != 0;
    let spec = with(&switch.plain(scope, GPU, member), MACHINES[machine].1);
    let spec = with(&spec, SCHEMES[scheme].1);
    let spec = with(&spec, if has_codec { switch.scheme } else { &[] });
    with(&spec, &[&format!("scheme.link.bandwidth_divider={divisor}")])
}

fn needs(scope: Scope) -> Vec<Need> {
    let Some(member) = tree(scope) else { return Vec::new() };
    let of_switch = |switch: &Switch| POINTS.map(|point| Need::Run(at(scope, &member, switch, point)));
    SWITCHES.iter().flat_map(of_switch).collect()
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let Some(member) = tree(scope) else { return Ok(FIGURE.begin()) };
    let mut rows = Vec::new();
    for switch in &SWITCHES {
        let cycles =
            |point| Ok::<f64, LabError>(measured.result(&at(scope, &member, switch, point))?.cycles as f64);
        let baseline = cycles(POINTS[0])?;
        let relative = POINTS[1..].iter().map(|&point| Ok(baseline / cycles(point)?.max(1.0)));
        rows.push((switch.name, relative.collect::<Result<Vec<f64>, LabError>>()?));
    }
    let columns = POINTS.map(|(name, ..)| name);
    Ok(FIGURE
        .begin()
        .text("IPC of the B+ tree over that of 15 SMs and 6 vaults at full bandwidth without compression, both with the switch. SMs/vaults, and the share of the link's bandwidth.")
        .table("Figure 5", table(&columns[1..], rows)))
}
