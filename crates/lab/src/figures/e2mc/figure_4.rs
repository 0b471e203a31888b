//! Two decisions about sampling: how many values get a code, and for how long they are counted.

use super::{GPU, PARTIAL_WRITES, Ratio, profiled, seen_in_run, workloads};
use crate::LabError;
use crate::figures::common::{Column, Variant, mean, plain, profiles, ratio_bars, runs, with};
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
    needs: |scope| runs(scope, GPU, &workloads(scope), &SAMPLES),
    draw: draw_by_sample,
};

const VALUES: [(&str, &str); 4] =
    [("1 K", "e2mc16"), ("2 K", "e2mc16:mfv=2048"), ("4 K", "e2mc16:mfv=4096"), ("8 K", "e2mc16:mfv=8192")];

macro_rules! online {
    ($name:literal, $instructions:literal) => {
        Variant {
            name: $name,
            overrides: &[
                "scheme.memory.codec=e2mc16",
                PARTIAL_WRITES,
                "scheme.memory.tables=online",
                concat!("scheme.memory.sample_instructions=", $instructions),
            ],
        }
    };
}

/// The paper's runs have up to a billion instructions and sample 1 to 100 million; ours at small scale have 5 to 40
/// million, so the sampling is shorter by the same measure.
const SAMPLES: [Variant<'static>; 5] = [
    online!("0.1 M", "100000"),
    online!("0.5 M", "500000"),
    online!("1 M", "1000000"),
    online!("2 M", "2000000"),
    online!("5 M", "5000000"),
];

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
    for variant in SAMPLES {
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
        format!("{} of 0.1–5 M", SAMPLES[best].name),
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
