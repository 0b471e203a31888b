//! Performance of the B+ tree as the link gets slower, with and without BPC, for three machines.

use super::{GPU, workloads};
use crate::LabError;
use crate::figures::common::{Member, plain, with};
use crate::figures::{FigureSpec, Measured, Need, Scope};
use crate::run::RunSpec;
use shrinkwarp_report::chart::{Axis, Chart, Format, Line, Scale as AxisScale};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Bpc,
    id: "5",
    title: "Performance against link bandwidth",
    needs: |scope| all_runs(scope).into_iter().map(|run| Need::Run(run.spec)).collect(),
    draw,
};

/// The machines: name and settings.
pub const MACHINES: [(&str, &[&str]); 3] = [
    ("15 SMs, 6 vaults", &[]),
    ("60 SMs, 6 vaults", &["sm.count=60"]),
    ("60 SMs, 24 vaults", &["sm.count=60", "dram.channels=24"]),
];

/// With and without compression, both on packed links.
pub const SCHEMES: [(&str, &[&str]); 2] = [
    ("none", &["scheme.link.kind=packed"]),
    ("BPC", &["scheme.link.kind=packed", "scheme.link.codec=bpc", "scheme.link.partial_writes=masked"]),
];

/// The link's bandwidth is divided by these.
pub const DIVISORS: [u32; 5] = [1, 2, 4, 8, 16];

/// One point of a line.
struct Asked {
    line: String,
    share: f64,
    spec: RunSpec,
}

pub fn tree(scope: Scope) -> Option<Member> {
    workloads(scope).into_iter().find(|member| member.workload.name == "btree")
}

fn all_runs(scope: Scope) -> Vec<Asked> {
    let Some(member) = tree(scope) else { return Vec::new() };
    let base = plain(scope, GPU, &member);
    let mut asked = Vec::new();
    for (machine, of_machine) in MACHINES {
        for (scheme, of_scheme) in SCHEMES {
            for divisor in DIVISORS {
                let bandwidth = format!("scheme.link.bandwidth_divider={divisor}");
                let spec = with(&with(&with(&base, of_machine), of_scheme), &[&bandwidth]);
                asked.push(Asked {
                    line: format!("{machine}, {scheme}"),
                    share: 1.0 / f64::from(divisor),
                    spec,
                });
            }
        }
    }
    asked
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let asked = all_runs(scope);
    let Some(first) = asked.first() else { return Ok(FIGURE.begin()) };
    let baseline = measured.result(&first.spec)?.ipc();
    let mut lines: Vec<Line> = Vec::new();
    for point in &asked {
        let relative = measured.result(&point.spec)?.ipc() / baseline;
        match lines.iter_mut().find(|line| line.name == point.line) {
            Some(line) => line.points.push((point.share, relative)),
            None => lines.push(Line::new(&point.line, [(point.share, relative)])),
        }
    }
    let at = |line: usize, divisor: usize| lines[line].points[divisor].1;
    let claims = [
        Claim::number("15 SMs, BPC at 1/16: share of the baseline kept", 0.97, at(1, 4), Format::Times)
            .why("the paper says that the degradation is very small"),
        Claim::number("60 SMs, 6 vaults: speedup at full bandwidth", 2.2, at(2, 0), Format::Times),
        Claim::number("60 SMs, 24 vaults: speedup at full bandwidth", 3.6, at(4, 0), Format::Times),
        Claim::number("60 SMs, 24 vaults, BPC at 1/16", 3.2, at(5, 4), Format::Times),
        Claim::number("60 SMs, 24 vaults, no compression at 1/16", 1.0, at(4, 4), Format::Times),
    ];
    let chart = Chart::lines(
        "B+ tree: IPC against link bandwidth",
        Axis::new("bandwidth of the link, of 90 GiB/s each way")
            .scale(AxisScale::Log2)
            .format(Format::Fraction),
        Axis::ratio("IPC of the baseline at full bandwidth"),
        lines,
    );
    Ok(claims.into_iter().fold(FIGURE.begin().chart(chart), Figure::claim))
}
