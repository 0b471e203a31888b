//! What each level and each combination gives, class by class.

use shrinkwarp_workloads::Class;

use super::{SCHEMES, all_runs, numbers, of_class, speedup_of, workloads};
use crate::LabError;
use crate::chart::{Axis, Chart, Series};
use crate::figure::{Figure, Paper};
use crate::figures::common::{mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};

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
            Ok(mean(&numbers(scope, &of_class(class), scheme, measured, speedup_of)?))
        };
        let means = Class::ALL.into_iter().map(of_class).collect::<Result<Vec<f64>, _>>()?;
        by_class.push(Series::new(scheme.name, means));
    }
    let classes =
        Chart::bars("Mean speedup by class", Axis::ratio("speedup"), Class::ALL.map(Class::name), by_class);
    let members = workloads();
    let mut columns = Vec::new();
    for scheme in [&SCHEMES[0], &SCHEMES[1], &SCHEMES[2], &SCHEMES[6]] {
        columns.push((scheme.name, numbers(scope, &members, scheme, measured, speedup_of)?));
    }
    Ok(FIGURE
        .begin()
        .text("LATTE-CC in the L1, DSM on read replies, E2MC16 with four decoding ways in the controllers; one machine for all.")
        .chart(classes)
        .chart(ratio_bars("Speedup by workload", "speedup", &members, &columns, &[])))
}
