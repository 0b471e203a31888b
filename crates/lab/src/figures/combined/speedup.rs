//! What each level and each combination gives, class by class.

use shrinkwarp_workloads::Class;

use super::{SCHEMES, all_runs, numbers, of_class, speedup_of, workloads};
use crate::LabError;
use crate::figures::common::{mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Combined,
    id: "speedup",
    title: "What each level gives, and all together",
    needs: all_runs,
    draw,
};

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut by_class = Vec::new();
    for scheme in &SCHEMES {
        let of_class = |class| -> Result<f64, LabError> {
            Ok(mean(&numbers(scope, &of_class(scope, class), scheme, measured, speedup_of)?))
        };
        let means = Class::ALL.into_iter().map(of_class).collect::<Result<Vec<f64>, _>>()?;
        by_class.push((scheme.name, means));
    }
    let answers: Vec<Claim> =
        Class::ALL.iter().enumerate().map(|(place, class)| best(*class, place, &by_class)).collect();
    let by_class = by_class.into_iter().map(|(name, means)| Series::new(name, means)).collect();
    let classes =
        Chart::bars("Mean speedup by class", Axis::ratio("speedup"), Class::ALL.map(Class::name), by_class);
    let members = workloads(scope);
    let mut columns = Vec::new();
    for scheme in [&SCHEMES[0], &SCHEMES[1], &SCHEMES[2], &SCHEMES[6]] {
        columns.push((scheme.name, numbers(scope, &members, scheme, measured, speedup_of)?));
    }
    let figure = FIGURE
        .begin()
        .text("LATTE-CC in the L1, DSM on read replies, E2MC16 with four decoding ways in the controllers; one machine for all.")
        .chart(classes)
        .chart(ratio_bars("Speedup by workload", "speedup", &members, &columns, &[]));
    Ok(answers.into_iter().fold(figure, Figure::claim))
}

/// The level or combination with the highest mean of a class.
fn best(class: Class, place: usize, by_class: &[(&str, Vec<f64>)]) -> Claim {
    let (mut name, mut highest) = ("none", 1.0);
    for (scheme, means) in by_class {
        if means[place] > highest {
            (name, highest) = (scheme, means[place]);
        }
    }
    Claim::new_answer(format!("what gains most, {}", class.name()), format!("{name}: {highest:.3}×"))
}
