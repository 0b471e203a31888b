//! How many flits DSM saves when 20 bits of every floating-point number are dropped: "up to 80 %" in section 6.4, not plotted.

use super::{BEHIND_QUEUE, GPU, flits_saved, of_class};
use crate::LabError;
use crate::figures::common::{Variant, member_bars, plain, runs, with};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Format, Mean, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Dsm,
    id: "20-bits",
    title: "Flits saved with 20 approximated bits",
    needs: |scope| runs(scope, GPU, &of_class(scope, false), &[TWENTY_BITS]),
    draw,
};

const TWENTY_BITS: Variant<'static> = Variant {
    name: "DSM, 20 bits",
    overrides: &["scheme.packets.codec=dsm", BEHIND_QUEUE, "scheme.approximation.bits=20"],
};

/// The program that saves most.
const PUBLISHED_MOST: f64 = 0.80;

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = of_class(scope, false);
    let mut saved = Vec::new();
    for member in &members {
        let spec = with(&plain(scope, GPU, member), TWENTY_BITS.overrides);
        saved.push(flits_saved(measured.result(&spec)?));
    }
    let most = saved.iter().copied().fold(0.0, f64::max);
    let series = Series::new(TWENTY_BITS.name, saved);
    let title = "Flits saved, floating-point workloads";
    let chart =
        member_bars(title, Axis::share("flits saved"), &members, vec![series]).with_mean(Mean::Arithmetic);
    Ok(FIGURE.begin().chart(chart).claim(Claim::number(
        "20 bits, at most",
        PUBLISHED_MOST,
        most,
        Format::Percent,
    )))
}
