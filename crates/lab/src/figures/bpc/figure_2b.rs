//! How many ones each bit plane has after the transformation, for a few workloads of each class.

use shrinkwarp_codec::analysis::dbx::Stage;

use super::{GPU, transformed, workloads};
use crate::LabError;
use crate::figures::common::{Member, profiles};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, HeatMap};
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Bpc,
    id: "2b",
    title: "Ones in each DBX bit plane",
    needs: |scope| profiles(scope, GPU, &shown(scope)),
    draw,
};

/// Integers, floats and doubles.
const SHOWN: [&str; 6] = ["bfs", "btree", "needleman-wunsch", "srad", "backprop", "lavamd"];

fn shown(scope: Scope) -> Vec<Member> {
    workloads(scope).into_iter().filter(|member| SHOWN.contains(&member.workload.name)).collect()
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut figure = FIGURE.begin().text(
        "A row is a bit plane of the DBX symbols, the highest on top; a column is how many of its bits are one. \
         The colour is the share of blocks. A plane without ones costs a part of one 7-bit code.",
    );
    for member in shown(scope) {
        let report = transformed(scope, &member, measured)?;
        let Some(stage) = report.stages.iter().find(|stage| stage.stage == Stage::Dbx) else { continue };
        let classes = stage.ones.first().map_or(0, |row| row.len());
        let blocks = report.blocks.max(1) as f64;
        let share = |row: &[u64]| row.iter().map(|count| Some(*count as f64 / blocks)).collect();
        let map = HeatMap {
            columns: (0..classes).map(|ones| ones.to_string()).collect(),
            rows: (0..stage.ones.len()).map(|plane| plane.to_string()).collect(),
            values: stage.ones.iter().map(|row| share(row)).collect(),
        };
        let colours = Axis::share("blocks").range(0.0, 1.0);
        let chart =
            Chart::heat_map(format!("{}: ones in a plane", member.label), Axis::new("ones"), colours, map);
        figure = figure.chart(chart);
    }
    Ok(figure)
}
