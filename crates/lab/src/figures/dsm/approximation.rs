//! Figures 6.4 to 6.9: what approximation does to the programs' results, and whether the number of bits can be predicted.
//!
//! They need no timing: the rows come from the emulator through the approximation crate, which says what is measured.

mod claims;

use shrinkwarp_approx::figure::{
    AccuracyRow, CurvePoint, ErrorPoint, Experiment, Figure as Rows, Rows as Measurements,
};

use crate::LabError;
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
            draw: |scope, _: &Measured| draw(&$name, scope),
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

fn draw(figure: &FigureSpec, scope: Scope) -> Result<Figure, LabError> {
    let Some(rows) = Rows::from_number(figure.id) else { return Ok(figure.begin()) };
    let experiment = Experiment {
        scale: scope.scale,
        factors: Factors::default(),
        data_sets: None,
        cache: None,
        on_done: &|| {},
    };
    let measured = rows.rows(&experiment).map_err(LabError::Work)?;
    Ok(match measured {
        Measurements::Errors(points) => claims::of_errors(rows, errors(figure.begin(), &points), &points),
        Measurements::Curves(points) => claims::of_curves(rows, curves(figure.begin(), &points), &points),
        Measurements::Accuracies(rows) => accuracies(figure.begin(), &rows),
    })
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
        of.iter().sum::<f64>() / of.len().max(1) as f64
    };
    let rising = bits.windows(2).all(|pair| mean(pair[0]) <= mean(pair[1]));
    let ours = bits.iter().map(|&bits| format!("{:.1e}", mean(bits))).collect::<Vec<_>>().join(", ");
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
        let ours = of_predictor.iter().sum::<f64>() / of_predictor.len().max(1) as f64;
        let what = format!("{predictor}, mean");
        figure = figure.claim(Claim::number(what, PUBLISHED_MEAN_ACCURACY, ours, Format::Percent));
    }
    figure
}
