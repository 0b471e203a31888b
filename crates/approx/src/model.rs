//! A trained model as a file: JSON with a version, one workload and metric a file.
//!
//! | key                 | meaning                                                    |
//! |---------------------|------------------------------------------------------------|
//! | format, version     | what this is; another version is refused                   |
//! | workload, metric    | what was measured                                          |
//! | seed                | of the split and of the network's first weights            |
//! | training_data_sets  | how many data sets were learnt from                        |
//! | network, regression | the two predictors                                         |
//! | scores              | theirs on the held-out data sets                           |

use serde::{Deserialize, Serialize};
use shrinkwarp_workloads::Metric;

use crate::attributes::{Attributes, Given};
use crate::measure::Measurement;
use crate::network::Network;
use crate::regression::{DEFAULT_CONFIDENCE, Regression};
use crate::score::{Predictor, Score, split};

const FORMAT: &str = "shrinkwarp approximation model";
/// The version this program writes and reads.
pub const VERSION: u32 = 2;

/// The fewest data sets that a model can be trained on and scored with: below, 90 % confidence cannot be counted.
pub const FEWEST_DATA_SETS: usize = 15;

/// Two predictors of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    format: String,
    version: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the error metric.
    pub metric: String,
    /// Seed of the split and of the first weights.
    pub seed: u64,
    /// Data sets learnt from.
    pub training_data_sets: usize,
    /// The thesis's predictor.
    pub network: Network,
    /// Ours.
    pub regression: Regression,
    /// Their figures on data sets held out.
    pub scores: Scores,
}

/// The figures of both predictors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Of the network.
    pub network: Score,
    /// Of the regression.
    pub regression: Score,
}

impl Model {
    /// Trains on two thirds of the data sets measured under a metric, and scores on the rest.
    pub fn train(measurements: &[Measurement], metric: Metric, seed: u64) -> Result<Self, String> {
        let rows: Vec<Measurement> =
            measurements.iter().filter(|row| row.metric == metric).cloned().collect();
        let workload = match rows.first() {
            Some(first) => first.workload.clone(),
            None => return Err(format!("there are no measurements under the metric {}", metric.name())),
        };
        if let Some(other) = rows.iter().find(|row| row.workload != workload) {
            let other = &other.workload;
            return Err(format!("a model is for one workload, and the table has {workload} and {other}"));
        }
        if rows.len() < FEWEST_DATA_SETS {
            let count = rows.len();
            return Err(format!("{count} data sets are too few; measure at least {FEWEST_DATA_SETS}"));
        }
        let (training, held_out) = split(&rows, seed);
        let training: Vec<Measurement> = training.into_iter().cloned().collect();
        let given = Given::by_thesis(&workload);
        let (network, regression) = (Network::train(&training, given, seed), Regression::train(&training));
        let scores =
            Scores { network: Score::of(&network, &held_out), regression: Score::of(&regression, &held_out) };
        Ok(Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            workload,
            metric: metric.name().to_owned(),
            seed,
            training_data_sets: training.len(),
            network,
            regression,
            scores,
        })
    }

    /// The file's text.
    pub fn to_json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|error| error.to_string())
    }

    /// Reads a file's text; the error says what is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("not a model: {error}"))?;
        if value["format"] != FORMAT {
            return Err("not a model; `shrinkwarp approx train` writes one".to_owned());
        }
        if value["version"] != VERSION {
            let version = &value["version"];
            return Err(format!(
                "a model of version {version}, and this program reads version {VERSION}; train it again"
            ));
        }
        let model: Self = serde_json::from_value(value)
            .map_err(|error| format!("a broken model: {error}; train it again"))?;
        if !model.network.is_well_formed() || !model.regression.is_well_formed() {
            return Err("a broken model: weights are missing; train it again".to_owned());
        }
        Ok(model)
    }
}

impl Predictor for Network {
    fn identify(&self, attributes: &Attributes, error: f64) -> u32 {
        self.predict(attributes, error).0
    }

    fn choose(&self, attributes: &Attributes, accepted_error: f64) -> u32 {
        self.predict(attributes, accepted_error).0
    }
}

impl Predictor for Regression {
    fn identify(&self, attributes: &Attributes, error: f64) -> u32 {
        Regression::identify(self, attributes, error)
    }

    fn choose(&self, attributes: &Attributes, accepted_error: f64) -> u32 {
        Regression::choose(self, attributes, accepted_error, DEFAULT_CONFIDENCE).bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::tests::measured;

    #[test]
    fn a_model_is_the_same_after_writing_and_reading() {
        let model = Model::train(&measured(30), Metric::LInfinity, 1).unwrap();
        assert_eq!(Model::from_json(&model.to_json().unwrap()), Ok(model.clone()));
        assert_eq!((model.training_data_sets, model.scores.network.data_sets), (20, 10));
        assert!(model.scores.regression.within > 0.9, "{:?}", model.scores);
        assert!(model.scores.network.accuracy > 0.9, "{:?}", model.scores);
    }

    #[test]
    fn a_file_that_is_no_model_of_this_version_is_refused() {
        let text = Model::train(&measured(30), Metric::LInfinity, 1).unwrap().to_json().unwrap();
        for (from, to, expected) in [
            ("\"version\": 2", "\"version\": 1", "a model of version 1, and this program reads version 2"),
            (FORMAT, "something else", "not a model; "),
            ("{", "", "not a model: "),
            ("\"regression\"", "\"regresion\"", "a broken model: "),
        ] {
            let error = Model::from_json(&text.replacen(from, to, 1)).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn a_model_needs_enough_data_sets_of_one_workload() {
        let error = |rows: &[Measurement], metric| Model::train(rows, metric, 1).unwrap_err();
        assert!(error(&measured(14), Metric::LInfinity).contains("at least 15"));
        assert!(error(&measured(30), Metric::Nrmse).contains("no measurements under the metric nrmse"));
        let mut mixed = measured(30);
        mixed[4].workload = "lud".into();
        assert!(error(&mixed, Metric::LInfinity).contains("gaussian and lud"));
    }
}
