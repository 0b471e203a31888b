//! Do the figures come out with the rows and the trends that the thesis shows?
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a figure with other rows than its own is a failed test"
)]

use shrinkwarp_approx::figure::{AccuracyRow, CurvePoint, Experiment, Figure, Rows};
use shrinkwarp_workloads::{Factors, Scale};

fn rows(figure: Figure, data_sets: usize) -> Rows {
    rows_with(figure, data_sets, Factors::default())
}

fn rows_with(figure: Figure, data_sets: usize, factors: Factors) -> Rows {
    let data_sets = Some(data_sets);
    let experiment = Experiment { scale: Scale::Tiny, factors, data_sets, cache: None, on_done: &|| {} };
    figure.rows(&experiment).unwrap()
}

fn curve(figure: Figure, data_sets: usize) -> Vec<CurvePoint> {
    curve_with(figure, data_sets, Factors::default())
}

fn curve_with(figure: Figure, data_sets: usize, factors: Factors) -> Vec<CurvePoint> {
    let Rows::Curves(points) = rows_with(figure, data_sets, factors) else { panic!("not a curve") };
    points
}

/// The mean errors with 4 bits, by condition number.
fn errors_by_condition_number(factors: Factors) -> Vec<f64> {
    let points = curve_with(Figure::ConditionNumber, 2, factors);
    assert_eq!(points.len(), 6 * 5);
    points.iter().filter(|point| point.bits == 4).map(|point| point.mean_error).collect()
}

#[test]
fn every_workload_has_its_errors_in_figure_6_4() {
    let Rows::Errors(points) = rows(Figure::ErrorDistribution, 2) else { panic!("not errors") };
    // Nine workloads, two data sets, five numbers of bits.
    assert_eq!(points.len(), 9 * 2 * 5);
    assert!(points.iter().all(|point| (0.0..=1.0).contains(&point.error)));
}

#[test]
fn the_error_grows_with_the_condition_number_in_figure_6_5() {
    let four_bits = errors_by_condition_number(Factors::Equal);
    assert!(four_bits.is_sorted(), "{four_bits:?}");
    assert!(four_bits[4] > 100.0 * four_bits[0], "{four_bits:?}");
}

#[test]
fn elimination_without_pivoting_loses_more_on_a_general_matrix() {
    let [definite, general] = [Factors::Equal, Factors::Independent].map(errors_by_condition_number);
    assert!(general.iter().zip(&definite).all(|(general, definite)| general > definite), "{general:?}");
}

#[test]
fn clusters_and_sizes_are_the_axes_of_figures_6_6_and_6_7() {
    let points = curve(Figure::ClusterCount, 1);
    let values: Vec<f64> = points.iter().take(4).map(|point| point.value).collect();
    assert_eq!(values, [2.0, 5.0, 10.0, 20.0]);
    let points = curve(Figure::DataSize, 1);
    assert_eq!(points.len(), 2 * 4 * 5);
    assert!(points.iter().any(|point| point.workload == "lud" && point.value == 80.0));
}

#[test]
fn both_metrics_of_lud_stand_in_figure_6_8() {
    let Rows::Errors(points) = rows(Figure::ErrorMetric, 2) else { panic!("not errors") };
    let sum = |metric: &str| -> f64 {
        points.iter().filter(|point| point.metric == metric).map(|point| point.error).sum()
    };
    // Section 6.5: NRMSE is lower overall than the mean relative error.
    assert!(sum("nrmse") < sum("mean-relative"), "{points:?}");
}

#[test]
fn the_error_of_kmeans_is_measured_by_features_too() {
    let points = curve(Figure::PointFeatures, 1);
    let values: Vec<f64> = points.iter().take(3).map(|point| point.value).collect();
    assert_eq!((points.len(), values), (3 * 5, vec![17.0, 34.0, 68.0]));
}

#[test]
fn figure_6_9_has_both_predictors_and_the_published_accuracies() {
    let Rows::Accuracies(rows) = rows(Figure::PredictorAccuracy, 15) else { panic!("not accuracies") };
    assert_eq!(rows.len(), 9 * 2);
    let of = |workload: &str| -> Vec<&AccuracyRow> {
        rows.iter().filter(|row| row.workload == workload).collect()
    };
    assert_eq!(of("kmeans")[0].published_accuracy, Some(0.80));
    assert_eq!(of("atax")[0].published_accuracy, None);
    for row in &rows {
        assert!(row.score.data_sets == 5 && row.score.accuracy > 0.2, "{row:?}");
    }
}
