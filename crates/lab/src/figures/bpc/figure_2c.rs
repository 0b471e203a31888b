//! How far the transformation lowers the entropy: the best ratio of any code with one codeword for each symbol.

use shrinkwarp_workloads::Class;

use super::{GPU, stage_name, transformed, workloads};
use crate::LabError;
use crate::figures::common::{Column, profiles, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Format, geometric_mean};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Bpc,
    id: "2c",
    title: "Entropy bound of original, delta and DBX symbols",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw,
};

/// By how much DBX raises the bound: class and published gain.
const PUBLISHED: [(Class, f64); 3] = [(Class::Integer, 0.87), (Class::Float, 0.23), (Class::Mixed, 0.20)];

/// Where the symbols carry no information the bound is the whole block in one bit.
const HIGHEST_BOUND: f64 = 1024.0;

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut columns: Vec<Column<'_>> = Vec::new();
    for member in &members {
        for (index, stage) in transformed(scope, member, measured)?.stages.iter().enumerate() {
            if columns.len() <= index {
                columns.push((stage_name(stage.stage), Vec::new()));
            }
            columns[index].1.push(stage.ratio_bound.unwrap_or(HIGHEST_BOUND).min(HIGHEST_BOUND));
        }
    }
    let mut figure = FIGURE.begin().chart(ratio_bars(
        "Best ratio of any symbol code",
        "compression ratio bound",
        &members,
        &columns,
        &[],
    ));
    for (class, published) in PUBLISHED {
        let places: Vec<usize> = (0..members.len()).filter(|i| super::class(&members[*i]) == class).collect();
        let gains: Vec<f64> = places
            .iter()
            .map(|&i| columns[2].1[i] / columns[0].1[i])
            .filter(|gain| gain.is_finite())
            .collect();
        let ours = geometric_mean(&gains).unwrap_or(1.0) - 1.0;
        let what = format!("{} bound gained by DBX ({} workloads)", class.name(), places.len());
        figure = figure.claim(Claim::number(what, published, ours, Format::Change));
    }
    Ok(figure)
}
