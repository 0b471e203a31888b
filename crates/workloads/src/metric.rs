//! How wrong is a result? The error metrics of approximate computing, all from 0 (the same) to 1.
//!
//! | metric           | definition                                                                            |
//! |------------------|---------------------------------------------------------------------------------------|
//! | NRMSE            | root of the mean squared difference, over the range of the exact values               |
//! | mean relative    | mean of \|got − exact\| / \|exact\|; an element that should be 0 and is not counts 1    |
//! | L∞               | the largest difference, over the largest magnitude of the exact values                |
//! | precision/recall | 1 − 2PR / (P + R) of labels; P and R are means over the labels that occur              |
//!
//! Devpura (2017), table 6.3, names the metrics; the normalisation to 0..1 is shown in its figures and not defined. Ours
//! is above; a result over 1 counts as 1, and so does one with an element that is not finite. A range or magnitude of 0 is taken as
//! 1, so that an absolute difference remains.

use std::collections::BTreeMap;

/// A measure of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Normalised root mean square error.
    Nrmse,
    /// Mean relative error.
    MeanRelative,
    /// Largest error.
    LInfinity,
    /// Harmonic mean of precision and recall of labels, as an error.
    PrecisionRecall,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Self; 4] = [Self::Nrmse, Self::MeanRelative, Self::LInfinity, Self::PrecisionRecall];

    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nrmse => "nrmse",
            Self::MeanRelative => "mean-relative",
            Self::LInfinity => "l-infinity",
            Self::PrecisionRecall => "precision-recall",
        }
    }

    /// The metric with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// The error of `got` against `exact`. A different number of elements is wholly wrong.
    pub fn error(self, got: &[f64], exact: &[f64]) -> f64 {
        if got.len() != exact.len() {
            return 1.0;
        }
        if exact.is_empty() {
            return 0.0;
        }
        let error = match self {
            Self::Nrmse => nrmse(got, exact),
            Self::MeanRelative => mean_relative(got, exact),
            Self::LInfinity => l_infinity(got, exact),
            Self::PrecisionRecall => precision_recall(got, exact),
        };
        // A NaN is as wrong as can be.
        if error <= 1.0 { error } else { 1.0 }
    }
}

fn nrmse(got: &[f64], exact: &[f64]) -> f64 {
    let squares: f64 = got.iter().zip(exact).map(|(got, exact)| (got - exact).powi(2)).sum();
    let highest = exact.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lowest = exact.iter().copied().fold(f64::INFINITY, f64::min);
    (squares / exact.len() as f64).sqrt() / or_one(highest - lowest)
}

fn mean_relative(got: &[f64], exact: &[f64]) -> f64 {
    let relative = |(got, exact): (&f64, &f64)| match (got - exact).abs() {
        0.0 => 0.0,
        difference if *exact != 0.0 => difference / exact.abs(),
        _ => 1.0,
    };
    got.iter().zip(exact).map(relative).sum::<f64>() / exact.len() as f64
}

fn l_infinity(got: &[f64], exact: &[f64]) -> f64 {
    let mut largest = 0.0f64;
    for (got, exact) in got.iter().zip(exact) {
        let difference = (got - exact).abs();
        if difference.is_nan() {
            return 1.0;
        }
        largest = largest.max(difference);
    }
    largest / or_one(exact.iter().fold(0.0f64, |most, exact| most.max(exact.abs())))
}

fn or_one(scale: f64) -> f64 {
    if scale > 0.0 { scale } else { 1.0 }
}

/// How often a label was given, was right to give, and was given rightly.
#[derive(Default)]
struct LabelCounts {
    given: u32,
    exact: u32,
    right: u32,
}

fn precision_recall(got: &[f64], exact: &[f64]) -> f64 {
    let mut labels: BTreeMap<i64, LabelCounts> = BTreeMap::new();
    for (&got, &exact) in got.iter().zip(exact) {
        let (got, exact) = (got as i64, exact as i64);
        labels.entry(got).or_default().given += 1;
        labels.entry(exact).or_default().exact += 1;
        labels.entry(got).or_default().right += u32::from(got == exact);
    }
    let mean = |of: fn(&LabelCounts) -> u32| {
        let occurring = labels.values().filter(|counts| of(counts) > 0);
        let shares = occurring.map(|counts| f64::from(counts.right) / f64::from(of(counts)));
        let (sum, count) = shares.fold((0.0, 0.0), |(sum, count), share| (sum + share, count + 1.0));
        sum / count
    };
    let (precision, recall) = (mean(|counts| counts.given), mean(|counts| counts.exact));
    if precision + recall == 0.0 { 1.0 } else { 1.0 - 2.0 * precision * recall / (precision + recall) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_results_have_no_error_and_nan_is_wholly_wrong() {
        for metric in Metric::ALL {
            assert_eq!(metric.error(&[1.0, 2.0], &[1.0, 2.0]), 0.0, "{metric:?}");
            assert_eq!(metric.error(&[1.0], &[1.0, 2.0]), 1.0, "{metric:?}");
            assert_eq!(Metric::from_name(metric.name()), Some(metric));
        }
        for metric in [Metric::Nrmse, Metric::LInfinity, Metric::MeanRelative] {
            assert_eq!(metric.error(&[1.0, f64::NAN], &[1.0, 2.0]), 1.0, "{metric:?}");
        }
    }

    #[test]
    fn each_metric_is_its_definition() {
        let (got, exact) = ([1.0, 1.5, -3.0, 0.0], [1.0, 2.0, -3.0, 0.0]);
        // The squares sum to 0.25 over 4 elements, so the root is 0.25; the range is 5.
        assert_eq!(Metric::Nrmse.error(&got, &exact), 0.25 / 5.0);
        assert_eq!(Metric::MeanRelative.error(&got, &exact), 0.25 / 4.0);
        assert_eq!(Metric::LInfinity.error(&got, &exact), 0.5 / 3.0);
    }

    #[test]
    fn labels_are_judged_by_precision_and_recall() {
        // Label 0: given 3, exact 2, right 2. Label 1: given 1, exact 2, right 1.
        let error = Metric::PrecisionRecall.error(&[0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 1.0, 1.0]);
        let (precision, recall) = (f64::midpoint(2.0 / 3.0, 1.0), f64::midpoint(1.0, 0.5));
        assert!((error - (1.0 - 2.0 * precision * recall / (precision + recall))).abs() < 1e-12, "{error}");
        assert_eq!(Metric::PrecisionRecall.error(&[1.0, 0.0], &[0.0, 1.0]), 1.0);
    }

    #[test]
    fn a_relative_error_counts_as_it_is_until_the_mean_passes_one() {
        assert_eq!(Metric::MeanRelative.error(&[2.5, 1.0, 1.0], &[1.0, 1.0, 1.0]), 0.5);
        assert_eq!(Metric::MeanRelative.error(&[100.0, 1.0], &[1.0, 1.0]), 1.0);
        assert_eq!(Metric::MeanRelative.error(&[1e-9, 1.0], &[0.0, 1.0]), 0.5);
    }
}
