//! How many bits are zero before and after the transformation, and in how long runs they lie.

use shrinkwarp_workloads::Class;

use super::{GPU, class, stage_name, transformed, workloads};
use crate::LabError;
use crate::figures::common::profiles;
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Format, Group};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Bpc,
    id: "2d",
    title: "Zero bits by the length of their run",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw,
};

/// The share of zero bits that data without any pattern have.
const RANDOM_BITS: f64 = 0.5;

/// Zero bits of all bits: class, then original, delta and DBX.
const PUBLISHED: [(Class, [f64; 3]); 2] =
    [(Class::Integer, [0.705, 0.723, 0.891]), (Class::Float, [0.588, 0.636, 0.739])];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut groups = Vec::new();
    let mut zero_shares: Vec<(Class, [f64; 3])> = Vec::new();
    let mut classes = 0;
    for member in &members {
        let report = transformed(scope, member, measured)?;
        zero_shares.push((class(member), [0, 1, 2].map(|index| report.stages[index].zero_bit_share)));
        classes = report.stages[0].zero_run_shares.len();
        let bars = report
            .stages
            .iter()
            .map(|stage| (stage_name(stage.stage).to_owned(), stage.zero_run_shares.to_vec()));
        groups.push(Group { name: member.label.to_owned(), bars: bars.collect() });
    }
    let chart = Chart::stacked(
        "Zero bits, by the length of the run they lie in",
        Axis::share("bits").range(0.0, 1.0),
        (0..classes).map(|class| run_name(class, classes)),
        groups,
    );
    let mut figure = FIGURE.begin().chart(chart);
    for (class, published) in PUBLISHED {
        let of_class: Vec<_> =
            zero_shares.iter().filter(|(of, _)| *of == class).map(|(_, shares)| shares).collect();
        for (index, name) in ["original", "delta", "DBX"].into_iter().enumerate() {
            let ours =
                of_class.iter().map(|shares| shares[index]).sum::<f64>() / of_class.len().max(1) as f64;
            let what = format!("zero bits, {}, {name}", class.name());
            figure =
                figure.claim(Claim::number_from(RANDOM_BITS, what, published[index], ours, Format::Percent));
        }
    }
    Ok(figure)
}

/// The lengths of a class of runs, which double from class to class.
fn run_name(class: usize, classes: usize) -> String {
    let shortest = 1usize << class;
    if class + 1 == classes {
        format!("{shortest} and more")
    } else {
        format!("{shortest}–{}", 2 * shortest - 1)
    }
}
