//! What a model knows of a data set: the thesis's S, CN and AC; AE, the accepted error, comes with each question.
//!
//! | attribute | value                                     | where it means nothing |
//! |-----------|-------------------------------------------|------------------------|
//! | S         | log10 of the input's elements             |                        |
//! | CN        | log10 of the condition number             | 0                      |
//! | AC        | log10 of the application's constraint: clusters | 0                |
//!
//! The thesis takes the logarithm of the condition number alone. Sizes, cluster counts and errors span decades too, and a
//! difference of decades is what decides, so all are logarithms here.

use serde::{Deserialize, Serialize};

use crate::measure::Measurement;

/// Attributes besides the error.
pub const ATTRIBUTES: usize = 3;

/// A data set, as a model sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attributes {
    /// Elements of the input.
    pub input_elements: u64,
    /// log10 of the condition number of the input matrix.
    pub condition_log10: Option<f64>,
    /// Clusters to find.
    pub clusters: Option<usize>,
}

impl Attributes {
    /// The attributes of a measured data set.
    pub fn of(measurement: &Measurement) -> Self {
        Self {
            input_elements: measurement.input_elements,
            condition_log10: measurement.condition_log10,
            clusters: measurement.clusters,
        }
    }

    /// S, CN and AC.
    pub fn values(&self) -> [f64; ATTRIBUTES] {
        let log = |count: f64| libm::log10(count.max(1.0));
        [
            log(self.input_elements as f64),
            self.condition_log10.unwrap_or(0.0),
            log(self.clusters.unwrap_or(1) as f64),
        ]
    }
}

/// Which attributes a predictor is given besides the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// S.
    pub size: bool,
    /// CN.
    pub condition_number: bool,
    /// AC.
    pub constraint: bool,
}

impl Given {
    /// The error alone.
    pub const NONE: Self = Self { size: false, condition_number: false, constraint: false };
    /// Everything.
    pub const ALL: Self = Self { size: true, condition_number: true, constraint: true };

    /// What the thesis gives the network of each program (section 6.5). The six programs that it does not name get the error alone.
    pub fn by_thesis(workload: &str) -> Self {
        match workload {
            "kmeans" => Self { size: true, constraint: true, ..Self::NONE },
            "gaussian" => Self { condition_number: true, ..Self::NONE },
            "lud" => Self { size: true, ..Self::NONE },
            _ => Self::NONE,
        }
    }

    /// S, CN and AC; 0 in place of what is not given.
    pub fn values_of(self, attributes: &Attributes) -> [f64; ATTRIBUTES] {
        let is_given = [self.size, self.condition_number, self.constraint];
        let values = attributes.values();
        std::array::from_fn(|index| if is_given[index] { values[index] } else { 0.0 })
    }
}

/// Moves values to mean 0 and deviation 1, as seen in training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    mean: Vec<f64>,
    deviation: Vec<f64>,
}

impl Scaling {
    /// The scaling that these examples need. A value that never changes gets 0 and so says nothing.
    pub fn of<const N: usize>(examples: &[[f64; N]]) -> Self {
        let count = examples.len().max(1) as f64;
        let mean: Vec<f64> = (0..N)
            .map(|column| examples.iter().map(|example| example[column]).sum::<f64>() / count)
            .collect();
        let deviation = (0..N)
            .map(|column| {
                let squares = examples.iter().map(|example| (example[column] - mean[column]).powi(2));
                (squares.sum::<f64>() / count).sqrt()
            })
            .collect();
        Self { mean, deviation }
    }

    /// The values, scaled.
    pub fn apply<const N: usize>(&self, values: [f64; N]) -> [f64; N] {
        std::array::from_fn(|column| match (self.mean.get(column), self.deviation.get(column)) {
            (Some(mean), Some(&deviation)) if deviation > 1e-9 => (values[column] - mean) / deviation,
            _ => 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_logarithms_and_zero_where_they_mean_nothing() {
        let attributes = Attributes { input_elements: 1000, condition_log10: None, clusters: Some(10) };
        let [size, condition, clusters] = attributes.values();
        assert!((size - 3.0).abs() < 1e-12 && condition == 0.0 && (clusters - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_predictor_sees_what_the_thesis_gives_it() {
        let attributes = Attributes { input_elements: 100, condition_log10: Some(4.0), clusters: Some(10) };
        let seen = |workload| Given::by_thesis(workload).values_of(&attributes);
        assert_eq!(seen("kmeans"), [2.0, 0.0, 1.0]);
        assert_eq!(seen("gaussian"), [0.0, 4.0, 0.0]);
        assert_eq!(seen("lud"), [2.0, 0.0, 0.0]);
        assert_eq!(seen("srad"), [0.0; 3]);
        assert_eq!(Given::ALL.values_of(&attributes), attributes.values());
    }

    #[test]
    fn scaling_gives_mean_0_and_deviation_1() {
        let scaling = Scaling::of(&[[1.0, 7.0], [3.0, 7.0]]);
        assert_eq!(scaling.apply([1.0, 7.0]), [-1.0, 0.0]);
        assert_eq!(scaling.apply([5.0, 9.0]), [3.0, 0.0]);
    }
}
