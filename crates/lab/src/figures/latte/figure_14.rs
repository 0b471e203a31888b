//! Where the energy that LATTE-CC saves comes from.

use super::{LATTE, NONE, run, runs, sensitive};
use crate::LabError;
use crate::figures::common::{average, member_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use crate::run::RunResult;
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::{Axis, Format, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "14",
    title: "Breakdown of the energy saved by LATTE-CC",
    needs: |scope| runs(scope, &sensitive(scope), &[NONE, LATTE]),
    draw,
};

/// Groups of parts: name, the parts of the energy report, published saving.
const GROUPS: [(&str, &[Counter], Option<f64>); 4] = [
    ("data movement", &[Counter::NETWORK_J, Counter::L2_J, Counter::DRAM_J], Some(0.042)),
    ("static", &[Counter::STATIC_J, Counter::IDLE_SMS_J], Some(0.037)),
    ("SMs", &[Counter::CORES_J, Counter::REGISTER_FILES_J, Counter::L1_J], None),
    ("compression", &[Counter::COMPRESSION_J], Some(-0.0025)),
];

fn joules(result: &RunResult, parts: &[Counter]) -> f64 {
    parts.iter().map(|&part| result.counters.get(part)).sum()
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = sensitive(scope);
    let mut series = Vec::new();
    let mut claims = Vec::new();
    for (name, parts, published) in GROUPS {
        let mut savings = Vec::new();
        for member in &members {
            let plain = measured.result(&run(scope, member, &NONE))?;
            let latte = measured.result(&run(scope, member, &LATTE))?;
            savings.push((joules(plain, parts) - joules(latte, parts)) / plain.energy_j().max(1e-30));
        }
        if let Some(published) = published {
            let ours = average(&savings);
            claims.push(Claim::number(format!("saved by {name}"), published, ours, Format::Percent));
        }
        series.push(Series::new(name, savings));
    }
    let title = "Energy saved, of the energy without compression";
    let chart = member_bars(title, Axis::share("energy"), &members, series);
    Ok(claims.into_iter().fold(FIGURE.begin().chart(chart), Figure::claim))
}
