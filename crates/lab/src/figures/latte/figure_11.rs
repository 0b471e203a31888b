//! Performance of the policies on the cache-sensitive workloads and on the others.

use super::kernel_opt::kernel_opt;
use super::{MAIN, NONE, columns, insensitive, run, runs, sensitive, speedup};
use crate::LabError;
use crate::figures::common::{mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "11",
    title: "Speedup of the policies",
    needs: |scope| {
        let mut needs = runs(scope, &sensitive(scope), &MAIN);
        needs.extend(runs(scope, &insensitive(scope), &MAIN));
        needs
    },
    draw,
};

/// Mean speedups on the cache-sensitive set.
const PUBLISHED: [f64; 4] = [1.136, 0.918, 1.192, 1.162];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut figure = FIGURE.begin().text(
        "Kernel-OPT is made from the runs with one mode throughout: for each kernel the fewest cycles of the three.",
    );
    for (title, members) in
        [("Cache-sensitive workloads", sensitive(scope)), ("Other workloads", insensitive(scope))]
    {
        let mut columns = columns(scope, &members, &MAIN[1..], measured, speedup)?;
        let mut oracle = Vec::new();
        for member in &members {
            let plain = measured.result(&run(scope, member, &NONE))?.cycles as f64;
            oracle.push(plain / kernel_opt(scope, member, measured)?.cycles.max(1) as f64);
        }
        columns.push(("Kernel-OPT", oracle));
        let is_sensitive = title.starts_with("Cache");
        let published: &[f64] = if is_sensitive { &PUBLISHED } else { &[] };
        figure = figure.chart(ratio_bars(title, "speedup", &members, &columns, published));
        for ((name, values), published) in columns.iter().zip(published) {
            let what = format!("{name}, cache-sensitive mean");
            figure = figure.claim(Claim::number(what, *published, mean(values), Format::Times));
        }
    }
    Ok(figure)
}
