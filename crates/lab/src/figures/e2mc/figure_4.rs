//! Two decisions about sampling: how many values get a code, and for how long they are counted.

use super::{GPU, Ratio, online, profiled, seen_in_run, workloads};
use crate::LabError;
use crate::figures::common::{Column, mean, plain, profiles, ratio_bars, runs, with};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const BY_VALUES: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "4a",
    title: "Compression ratio by the number of frequent values",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw: draw_by_values,
};

pub const BY_SAMPLE: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "4b",
    title: "Compression ratio by the length of online sampling",
    needs: |scope| runs(scope, GPU, &workloads(scope), &online::samples(scope)),
    draw: draw_by_sample,
};

const VALUES: [(&str, &str); 4] =
    [("1 K", "e2mc16"), ("2 K", "e2mc16:mfv=2048"), ("4 K", "e2mc16:mfv=4096"), ("8 K", "e2mc16:mfv=8192")];

fn draw_by_values(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut columns = profiled(scope, &VALUES, Ratio::Raw, measured)?;
    let first = columns[0].1.clone();
    relative(&mut columns, &first);
    let chart =
        ratio_bars("Ratio relative to 1 K values", "relative ratio", &workloads(scope), &columns, &[]);
    let claim = Claim::number("8 K values over 1 K", 1.01, mean(&columns[3].1), Format::Times);
    Ok(BY_VALUES.begin().chart(chart).claim(claim))
}

fn draw_by_sample(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut columns: Vec<Column<'_>> = Vec::new();
    let samples = online::samples(scope);
    for variant in samples {
        let of_member = |member| {
            let run = with(&plain(scope, GPU, member), variant.overrides);
            Ok(seen_in_run(measured.result(&run)?, Ratio::Raw))
        };
        columns.push((variant.name, members.iter().map(of_member).collect::<Result<_, LabError>>()?));
    }
    let first = columns[0].1.clone();
    relative(&mut columns, &first);
    let means: Vec<f64> = columns.iter().map(|(_, values)| mean(values)).collect();
    let best = (0..means.len()).max_by(|a, b| means[*a].total_cmp(&means[*b])).unwrap_or(0);
    let claim = Claim::words(
        "the best length lies between the shortest and the longest",
        "20 M of 1–100 M",
        format!("{} of {} to {}", samples[best].name, samples[0].name, samples[samples.len() - 1].name),
        &[best > 0, best + 1 < means.len()],
    );
    let chart =
        ratio_bars("Ratio relative to the shortest sampling", "relative ratio", &members, &columns, &[]);
    Ok(BY_SAMPLE
        .begin()
        .text("Thread instructions that are sampled, with blocks raw meanwhile; the inputs are smaller than the paper's, and so are the samples.")
        .chart(chart)
        .claim(claim))
}

/// Divides every column by the first.
fn relative(columns: &mut [Column<'_>], first: &[f64]) {
    for (_, values) in columns {
        values.iter_mut().zip(first).for_each(|(value, base)| *value /= base);
    }
}
