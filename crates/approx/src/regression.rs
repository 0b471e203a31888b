//! Our predictor: how large the error will be, and from that the number of bits.
//!
//! For each number of bits, log10 of the error is a linear function of S, CN and AC, fitted by least squares. Why this and
//! not a network: clearing bits perturbs every operand by a share of itself, and to first order the error of a result is
//! that share times a power of the condition number and of the size, so the logarithm is nearly linear. A prediction of the
//! error also knows what the thesis's classes cannot say: that even 4 bits are too many, and how sure it is.
//!
//! The bits chosen are the most whose error stays within the accepted one with the confidence requested. Confidence is
//! counted, not assumed: of the n data sets of training, each predicted by the fit without it, in how many was
//! the error no worse than prediction and bound allow? Counted over n + 1, this holds for the next data set of the
//! same kind (conformal prediction; Vovk, Gammerman & Shafer, 2005).

use serde::{Deserialize, Serialize};

use crate::attributes::{ATTRIBUTES, Attributes, Scaling};
use crate::measure::Measurement;
use crate::{BITS, log_error};

/// Coefficients of a fit: one for each attribute after the constant.
const TERMS: usize = ATTRIBUTES + 1;
/// Keeps the fit defined where an attribute never changes.
const RIDGE: f64 = 1e-3;

/// How sure a choice must be, unless the user says otherwise.
pub const DEFAULT_CONFIDENCE: f64 = 0.9;

/// A fitted predictor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    scaling: Scaling,
    /// In the order of [`BITS`].
    fits: Vec<Fit>,
}

/// The error with one number of bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Fit {
    coefficients: Vec<f64>,
    /// log10 of measured over predicted error, of each data set predicted without itself; ascending.
    residuals: Vec<f64>,
}

/// A choice of bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Bits to approximate; 0 is the exact program.
    pub bits: u32,
    /// How often the error stays within the bound.
    pub confidence: f64,
    /// The error to expect.
    pub expected_error: f64,
}

impl Regression {
    /// Fits measured data sets.
    pub fn train(measurements: &[Measurement]) -> Self {
        let attributes: Vec<_> = measurements.iter().map(|row| Attributes::of(row).values()).collect();
        let scaling = Scaling::of(&attributes);
        let rows: Vec<_> = attributes.iter().map(|&values| terms(scaling.apply(values))).collect();
        let fit = |level| {
            let errors: Vec<f64> = measurements.iter().map(|row| log_error(row.errors[level])).collect();
            Fit::new(&rows, &errors)
        };
        Self { fits: (0..BITS.len()).map(fit).collect(), scaling }
    }

    /// Whether there is a whole fit for each number of bits.
    pub fn is_well_formed(&self) -> bool {
        let is_whole = |fit: &Fit| fit.coefficients.len() == TERMS && fit.residuals.is_sorted();
        self.fits.len() == BITS.len() && self.fits.iter().all(is_whole)
    }

    /// The most bits whose error is within the bound with this confidence.
    pub fn choose(&self, attributes: &Attributes, accepted_error: f64, confidence: f64) -> Choice {
        let row = terms(self.scaling.apply(attributes.values()));
        let mut choice = Choice { bits: 0, confidence: 1.0, expected_error: 0.0 };
        for (fit, bits) in self.fits.iter().zip(BITS) {
            let predicted = fit.predict(&row);
            let sure = fit.confidence(log_error(accepted_error) - predicted);
            if sure >= confidence {
                choice = Choice { bits, confidence: sure, expected_error: libm::pow(10.0, predicted) };
            }
        }
        choice
    }

    /// Which bits made an error like this? The thesis's question.
    pub fn identify(&self, attributes: &Attributes, error: f64) -> u32 {
        let row = terms(self.scaling.apply(attributes.values()));
        let away = |fit: &Fit| (fit.predict(&row) - log_error(error)).abs();
        let mut best = (f64::INFINITY, 0);
        for (fit, bits) in self.fits.iter().zip(BITS) {
            // Of two that are equally near, the larger.
            if away(fit) <= best.0 {
                best = (away(fit), bits);
            }
        }
        best.1
    }
}

impl Fit {
    fn new(rows: &[[f64; TERMS]], errors: &[f64]) -> Self {
        let mut moments = [[0.0; TERMS]; TERMS];
        let mut products = [0.0; TERMS];
        for (row, error) in rows.iter().zip(errors) {
            for i in 0..TERMS {
                products[i] += row[i] * error;
                for j in 0..TERMS {
                    moments[i][j] += row[i] * row[j];
                }
            }
        }
        for (term, moment) in moments.iter_mut().enumerate().skip(1) {
            moment[term] += RIDGE * rows.len().max(1) as f64;
        }
        let coefficients = solve(moments, products).to_vec();
        let mut fit = Self { coefficients, residuals: Vec::new() };
        fit.residuals =
            rows.iter().zip(errors).map(|(row, &error)| fit.left_out(row, error, moments)).collect();
        fit.residuals.sort_by(f64::total_cmp);
        fit
    }

    fn raw(&self, row: &[f64; TERMS]) -> f64 {
        row.iter().zip(&self.coefficients).map(|(value, coefficient)| value * coefficient).sum()
    }

    /// log10 of the error; no error is above 1.
    fn predict(&self, row: &[f64; TERMS]) -> f64 {
        clamp(self.raw(row))
    }

    /// The residual of a data set that the fit had not seen: the usual one over 1 − leverage.
    fn left_out(&self, row: &[f64; TERMS], error: f64, moments: [[f64; TERMS]; TERMS]) -> f64 {
        let spread = solve(moments, *row);
        let leverage: f64 = row.iter().zip(&spread).map(|(value, spread)| value * spread).sum();
        error - clamp(error - (error - self.raw(row)) / (1.0 - leverage).max(1e-3))
    }

    /// How often measured over predicted stays within `room` (log10).
    fn confidence(&self, room: f64) -> f64 {
        let within = self.residuals.partition_point(|&residual| residual <= room);
        within as f64 / (self.residuals.len() + 1) as f64
    }
}

fn terms(scaled: [f64; ATTRIBUTES]) -> [f64; TERMS] {
    let [size, condition, constraint] = scaled;
    [1.0, size, condition, constraint]
}

fn clamp(log: f64) -> f64 {
    log.clamp(log_error(0.0), 0.0)
}

/// Solves a symmetric positive definite system by elimination.
fn solve(mut a: [[f64; TERMS]; TERMS], mut b: [f64; TERMS]) -> [f64; TERMS] {
    for pivot in 0..TERMS {
        let divisor = a[pivot][pivot].max(f64::MIN_POSITIVE);
        for row in pivot + 1..TERMS {
            let factor = a[row][pivot] / divisor;
            for column in pivot..TERMS {
                a[row][column] -= factor * a[pivot][column];
            }
            b[row] -= factor * b[pivot];
        }
    }
    for pivot in (0..TERMS).rev() {
        let known: f64 = (pivot + 1..TERMS).map(|column| a[pivot][column] * b[column]).sum();
        b[pivot] = (b[pivot] - known) / a[pivot][pivot].max(f64::MIN_POSITIVE);
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::tests::measured;

    #[test]
    fn a_system_is_solved() {
        let a = [[2.0, 1.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 4.0]];
        let x = solve(a, [4.0, 7.0, 5.0, 8.0]);
        for (got, expected) in x.iter().zip([1.0, 2.0, 5.0, 2.0]) {
            assert!((got - expected).abs() < 1e-12, "{x:?}");
        }
    }

    #[test]
    fn the_bound_decides_the_bits_and_a_small_one_means_exact() {
        let data = measured(30);
        let regression = Regression::train(&data);
        let row = &data[3];
        let attributes = Attributes::of(row);
        for (bits, error) in BITS.into_iter().zip(row.errors) {
            // Errors of these data sets are 16 times apart and scatter by less than 2.
            assert_eq!(regression.choose(&attributes, 4.0 * error, 0.9).bits, bits);
            assert_eq!(regression.identify(&attributes, error), bits);
        }
        let exact = Choice { bits: 0, confidence: 1.0, expected_error: 0.0 };
        assert_eq!(regression.choose(&attributes, row.errors[0] / 16.0, 0.9), exact);
    }

    #[test]
    fn more_confidence_never_takes_more_bits() {
        let data = measured(30);
        let regression = Regression::train(&data);
        for row in &data {
            let bits = |confidence| regression.choose(&Attributes::of(row), 1e-3, confidence).bits;
            assert!(bits(0.5) >= bits(0.9) && bits(0.9) >= bits(0.999));
            // No more than n of n + 1 can be counted.
            assert_eq!(bits(0.999), 0);
        }
    }
}
