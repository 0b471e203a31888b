//! Flits saved by each codec, for integer workloads and those with floating-point data.

use super::{CODECS, all_runs, columns, flits_saved, of_class};
use crate::LabError;
use crate::figures::common::{average, member_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Format, Mean, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec =
    FigureSpec { paper: Paper::Dsm, id: "6.3", title: "Flits saved, by codec", needs: all_runs, draw };

/// Whether the class is integer, codec, published share of flits saved.
const PUBLISHED: [(bool, &str, f64); 10] = [
    (true, "DSM", 0.50),
    (true, "BDI", 0.39),
    (true, "FPC", 0.39),
    (true, "C-PACK", 0.39),
    (true, "BPC", 0.58),
    (false, "DSM+APPROX", 0.35),
    (false, "BPC", 0.21),
    (false, "DSM", 0.116),
    (false, "BDI", 0.02),
    (false, "FPC", 0.033),
];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut figure = FIGURE.begin().text(
        "Flits saved over the flits of the same replies without compression; C-PACK's control packets are left out, as in the simulator of the thesis.",
    );
    for (is_integer, class) in [(true, "integer"), (false, "floating point")] {
        let members = of_class(scope, is_integer);
        let columns = columns(scope, &members, measured, |_, compressed| flits_saved(compressed))?;
        let published = |codec: &str| {
            PUBLISHED
                .iter()
                .find(|(of, name, _)| *of == is_integer && *name == codec)
                .map(|(.., share)| *share)
        };
        let series = columns.iter().map(|(name, values)| {
            let series = Series::new(*name, values.iter().copied());
            match published(name) {
                Some(share) => series.published(Mean::Arithmetic.name(), share),
                None => series,
            }
        });
        let title = format!("Flits saved, {class} workloads");
        figure = figure.chart(
            member_bars(title, Axis::share("flits saved"), &members, series.collect())
                .with_mean(Mean::Arithmetic),
        );
        for ((name, values), _) in columns.iter().zip(CODECS) {
            if let Some(share) = published(name) {
                let what = format!("{name}, {class}");
                figure = figure.claim(Claim::number(what, share, average(values), Format::Percent));
            }
        }
    }
    Ok(figure)
}
