//! Which level is worth its hardware: mean gain beside the area its papers give.

use super::{SCHEMES, all_runs, numbers, speedup_of, workloads};
use crate::LabError;
use crate::figures::common::mean;
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Series, Table};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Combined,
    id: "worth",
    title: "Which level is worth its hardware?",
    needs: all_runs,
    draw,
};

/// Square millimetres of each level, as its paper has them: LATTE-CC's state is taken as SRAM at 0.3 mm² for 16 KB (45 nm),
/// 15.5 KB of tables for the whole GPU, as the paper counts them, and 134 bytes an SM; DSM's compressors at 12 slices and decompressors at 16 SMs; E2MC16's units for four times
/// 192.4 GB/s.
const AREA_MM2: [f64; 3] = [(15.5 + 16.0 * 0.134) / 16.0 * 0.3, 12.0 * 0.023 + 16.0 * 0.0163, 14.6 + 16.4];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut gains = Vec::new();
    for scheme in &SCHEMES[..3] {
        gains.push(mean(&numbers(scope, &members, scheme, measured, speedup_of)?) - 1.0);
    }
    let per_area: Vec<f64> = gains.iter().zip(AREA_MM2).map(|(gain, area)| 100.0 * gain / area).collect();
    let names = SCHEMES[..3].iter().map(|scheme| scheme.name);
    let chart = Chart::bars(
        "Points of speedup for a square millimetre",
        Axis::new("speedup per area").unit("points/mm²"),
        names,
        vec![Series::new("gain per area", per_area.iter().copied())],
    );
    let best = (1..3).fold(0, |best, level| if per_area[level] > per_area[best] { level } else { best });
    let answer = format!("{}: {:.1} points/mm²", SCHEMES[best].name, per_area[best]);
    let table = Table {
        header: ["level", "gain (points)", "area (mm²)"].map(str::to_owned).to_vec(),
        rows: (0..3)
            .map(|level| {
                (SCHEMES[level].name.to_owned(), vec![Some(100.0 * gains[level]), Some(AREA_MM2[level])])
            })
            .collect(),
    };
    Ok(FIGURE
        .begin()
        .text("Areas are those of the papers, at their technologies (32 to 45 nm); LATTE-CC's is our estimate from the size of its tables.")
        .chart(chart)
        .table("Gain and area", table)
        .claim(Claim::new_answer("which level gains most for its area?", answer)))
}
