//! Figures 6.4 to 6.9: what approximation does to the programs' results, and whether the number of bits can be predicted.
//!
//! They need no timing: the rows come from the emulator through the approximation crate, which says what is measured.

mod claims;

use shrinkwarp_approx::figure::{
    AccuracyRow, CurvePoint, ErrorPoint, Experiment, Figure as Rows, Rows as Measurements,
};

use crate::LabError;
use crate::figures::common::average;
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Format, Line, Mean, Samples, Scale as AxisScale, Series};
use shrinkwarp_report::figure::{Claim, Figure, Paper};
use shrinkwarp_workloads::Factors;

macro_rules! figure {
    ($name:ident, $id:literal, $title:literal) => {
        pub const $name: FigureSpec = FigureSpec {
            paper: Paper::Dsm,
            id: $id,
            title: $title,
            needs: |_| Vec::new(),
            draw: |scope, measured| draw(&$name, scope, measured),
        };
    };
}

figure!(ERROR_DISTRIBUTION, "6.4", "Error distribution by approximated bits");
figure!(CONDITION_NUMBER, "6.5", "Error of Gaussian elimination by condition number");
figure!(CLUSTER_COUNT, "6.6", "Error of k-means by cluster count");
figure!(DATA_SIZE, "6.7", "Error by data size");
figure!(POINT_FEATURES, "attributes", "Error of k-means by features of a point");
figure!(ERROR_METRIC, "6.8", "Errors of LUD under several metrics");
figure!(PREDICTOR_ACCURACY, "6.9", "Accuracy of the predictors");

/// The mean accuracy that the thesis gives.
const PUBLISHED_MEAN_ACCURACY: f64 = 0.95;
/// Errors below this are drawn as this: a logarithm has no zero.
const LOWEST_ERROR: f64 = 1e-8;

fn draw(figure: &FigureSpec, scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let Some(rows) = Rows::from_number(figure.id) else { return Ok(figure.begin()) };
    let experiment = Experiment {
        scale: scope.scale,
        factors: Factors::default(),
        data_sets: None,
        cache: measured.errors(),
        on_done: &|| {},
    };
    let errors = rows.rows(&experiment).map_err(LabError::Work)?;
    Ok(drawn(figure, rows, &errors))
}

/// The figure of what was measured.
fn drawn(figure: &FigureSpec, rows: Rows, measured: &Measurements) -> Figure {
    match measured {
        Measurements::Errors(points) => claims::of_errors(rows, errors(figure.begin(), points), points),
        Measurements::Curves(points) => claims::of_curves(rows, curves(figure.begin(), points), points),
        Measurements::Accuracies(rows) => accuracies(figure.begin(), rows),
    }
}

/// The different values in the order in which they come.
fn distinct<T: PartialEq + Clone>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    values.for_each(|value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
    });
    seen
}

fn errors(figure: Figure, points: &[ErrorPoint]) -> Figure {
    let categories = distinct(points.iter().map(|point| (point.workload.clone(), point.metric)));
    let bits = distinct(points.iter().map(|point| point.bits));
    let samples = |bits: u32| {
        let of = |(workload, metric): &(String, &'static str)| {
            let is_in = |point: &&ErrorPoint| {
                point.bits == bits && point.workload == *workload && point.metric == *metric
            };
            points.iter().filter(is_in).map(|point| point.error.max(LOWEST_ERROR)).collect()
        };
        Samples { name: format!("{bits} bits"), samples: categories.iter().map(of).collect() }
    };
    let names = categories.iter().map(|(workload, metric)| format!("{workload}, {metric}"));
    let chart = Chart::violins(
        "Error of the results over many data sets",
        Axis::new("error").scale(AxisScale::Log10),
        names,
        bits.iter().map(|&bits| samples(bits)).collect(),
    );
    let mean = |bits: u32| {
        let of: Vec<f64> =
            points.iter().filter(|point| point.bits == bits).map(|point| point.error).collect();
        average(&of)
    };
    let means: Vec<f64> = bits.iter().map(|&bits| mean(bits)).collect();
    let rising = claims::rises(&means);
    let ours = means.iter().map(|mean| format!("{mean:.1e}")).collect::<Vec<_>>().join(", ");
    figure.chart(chart).claim(Claim::words("the mean error grows with the bits", "grows", ours, &[rising]))
}

fn curves(mut figure: Figure, points: &[CurvePoint]) -> Figure {
    for workload in distinct(points.iter().map(|point| point.workload.clone())) {
        let of_workload: Vec<&CurvePoint> =
            points.iter().filter(|point| point.workload == workload).collect();
        let bits = distinct(of_workload.iter().map(|point| point.bits));
        let line = |bits: &u32| {
            let of_bits = of_workload.iter().filter(|point| point.bits == *bits);
            Line::new(
                format!("{bits} bits"),
                of_bits.map(|point| (point.value, point.mean_error.max(LOWEST_ERROR))),
            )
        };
        let Some(first) = of_workload.first() else { continue };
        figure = figure.chart(Chart::lines(
            format!("{workload}: {} by {}", first.metric, first.property),
            Axis::new(first.property),
            Axis::new(first.metric).scale(AxisScale::Log10),
            bits.iter().map(line).collect(),
        ));
    }
    figure
}

fn accuracies(figure: Figure, rows: &[AccuracyRow]) -> Figure {
    let workloads = distinct(rows.iter().map(|row| row.workload.clone()));
    let predictors = distinct(rows.iter().map(|row| row.predictor));
    let of = |predictor: &str, workload: &str| {
        rows.iter().find(|row| row.predictor == predictor && row.workload == workload)
    };
    let bars = |title: &str, axis: Axis, number: fn(&AccuracyRow) -> f64| {
        let series = predictors.iter().map(|predictor| {
            let values = workloads.iter().map(|workload| of(predictor, workload).map(number));
            Series::new(*predictor, values)
        });
        Chart::bars(title, axis, workloads.iter().cloned(), series.collect()).with_mean(Mean::Arithmetic)
    };
    let mut figure = figure
        .chart(bars("The predicted bits are the best bits", Axis::share("held-out questions"), |row| {
            row.score.accuracy
        }))
        .chart(bars("The error stays within what was accepted", Axis::share("held-out questions"), |row| {
            row.score.within
        }))
        .chart(bars("Bits given away", Axis::new("bits").unit("a question"), |row| {
            row.score.bits_given_away
        }));
    for row in rows.iter().filter(|row| row.predictor == "network") {
        if let Some(published) = row.published_accuracy {
            let what = format!("network, {}", row.workload);
            figure = figure.claim(Claim::number(what, published, row.score.accuracy, Format::Percent));
        }
    }
    for predictor in &predictors {
        let of_predictor: Vec<f64> =
            rows.iter().filter(|row| row.predictor == *predictor).map(|row| row.score.accuracy).collect();
        let ours = average(&of_predictor);
        let what = format!("{predictor}, mean");
        figure = figure.claim(Claim::number(what, PUBLISHED_MEAN_ACCURACY, ours, Format::Percent));
    }
    figure
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shrinkwarp_approx::score::Score;
    use shrinkwarp_report::figure::Verdict;

    use super::*;

    const FIGURES: [FigureSpec; 7] = [
        ERROR_DISTRIBUTION,
        CONDITION_NUMBER,
        CLUSTER_COUNT,
        DATA_SIZE,
        POINT_FEATURES,
        ERROR_METRIC,
        PREDICTOR_ACCURACY,
    ];
    const BITS: [u32; 5] = [4, 8, 12, 16, 20];

    /// A made-up error for approximated bits and a place on an axis.
    type World = fn(u32, f64) -> f64;

    const WORLDS: [World; 4] =
        [|_, _| 0.0, |_, _| 1.0, |bits, value| 1.0 / f64::from(bits) / (1.0 + value), |_, value| value % 7.0];

    fn rows(of: Rows, world: World) -> Measurements {
        let workloads = ["bicg", "hybridsort", "srad", "gaussian", "lud", "kmeans"];
        let error = |workload: &str, metric, bits| ErrorPoint {
            workload: workload.to_owned(),
            metric,
            data_set: 1,
            bits,
            error: world(bits, 1.0),
        };
        let curve = |workload: &str, value: f64, bits| CurvePoint {
            workload: workload.to_owned(),
            metric: "nrmse",
            property: "size",
            value,
            bits,
            mean_error: world(bits, value),
            lowest_error: world(bits, value),
            highest_error: world(bits, value),
            data_sets: 1,
        };
        match of {
            Rows::ErrorDistribution | Rows::ErrorMetric => {
                let of_workload = |workload| {
                    let of_metric = move |metric| BITS.map(|bits| error(workload, metric, bits));
                    ["mean-relative", "nrmse"].into_iter().flat_map(of_metric)
                };
                Measurements::Errors(workloads.into_iter().flat_map(of_workload).collect())
            }
            Rows::PredictorAccuracy => {
                let accuracy = world(4, 1.0).min(1.0);
                let score = Score { data_sets: 1, accuracy, within: accuracy, bits_given_away: 0.0 };
                let of_workload = |workload: &str| {
                    ["network", "regression"].map(|predictor| AccuracyRow {
                        workload: workload.to_owned(),
                        predictor,
                        score,
                        published_accuracy: Some(0.9),
                    })
                };
                Measurements::Accuracies(workloads.into_iter().flat_map(of_workload).collect())
            }
            _ => {
                let of_bits = |bits| {
                    let values = [17.0, 34.0, 68.0, 5.0, 10_000.0];
                    ["kmeans", "lud", "gaussian"]
                        .into_iter()
                        .flat_map(move |workload| values.map(|value| curve(workload, value, bits)))
                };
                Measurements::Curves(BITS.into_iter().flat_map(of_bits).collect())
            }
        }
    }

    #[test]
    fn every_verdict_on_made_up_errors_can_be_not() {
        for figure in &FIGURES {
            let of = Rows::from_number(figure.id).unwrap();
            let worlds: Vec<Figure> =
                WORLDS.iter().map(|world| drawn(figure, of, &rows(of, *world))).collect();
            let claims = || worlds.iter().flat_map(|figure| &figure.claims);
            let all: BTreeSet<&str> = claims().map(|claim| claim.what.as_str()).collect();
            assert!(!all.is_empty(), "{}", figure.id);
            for what in all {
                let fails = claims().any(|claim| claim.what == what && claim.verdict == Verdict::Not);
                assert!(fails, "{}: {what}", figure.id);
            }
        }
    }

    #[test]
    fn nothing_measured_reproduces_nothing() {
        for figure in &FIGURES {
            let of = Rows::from_number(figure.id).unwrap();
            let nothing = match rows(of, WORLDS[0]) {
                Measurements::Errors(_) => Measurements::Errors(Vec::new()),
                Measurements::Curves(_) => Measurements::Curves(Vec::new()),
                Measurements::Accuracies(_) => Measurements::Accuracies(Vec::new()),
            };
            for claim in drawn(figure, of, &nothing).claims {
                assert_eq!(claim.verdict, Verdict::Not, "{}: {}", figure.id, claim.what);
            }
        }
    }
}
