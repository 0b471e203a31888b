//! The rows behind the thesis's figures 6.4 to 6.9, measured anew.
//!
//! | figure | shows                                                     | rows                        |
//! |--------|-----------------------------------------------------------|-----------------------------|
//! | 6.4    | how the errors of each workload are distributed           | [`ErrorPoint`]              |
//! | 6.5    | error of gaussian by condition number                     | [`CurvePoint`]              |
//! | 6.6    | error of kmeans by clusters                               | [`CurvePoint`]              |
//! | 6.7    | error of kmeans by size; lud's beside it, as the text says | [`CurvePoint`]             |
//! | attributes | error of kmeans by features of a point (in the text of section 6.5 alone) | [`CurvePoint`] |
//! | 6.8    | errors of lud under two metrics                           | [`ErrorPoint`]              |
//! | 6.9    | how often the predictors are right                        | [`AccuracyRow`]             |

use rayon::prelude::*;
use serde::Serialize;
use shrinkwarp_workloads::quality::QUALITIES;
use shrinkwarp_workloads::{Factors, Scale};

use crate::BITS;
use crate::cache::Cache;
use crate::measure::{Measurement, measure_plan};
use crate::model::Model;
use crate::plan::{CLUSTERS, CONDITIONS_LOG10, FEATURES, Plan};
use crate::score::Score;

/// A figure of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// 6.4.
    ErrorDistribution,
    /// 6.5.
    ConditionNumber,
    /// 6.6.
    ClusterCount,
    /// 6.7.
    DataSize,
    /// In the text alone.
    PointFeatures,
    /// 6.8.
    ErrorMetric,
    /// 6.9.
    PredictorAccuracy,
}

/// How a figure's data are made.
pub struct Experiment<'a> {
    /// Scale of the data sets.
    pub scale: Scale,
    /// How the factors of matrices to solve belong together.
    pub factors: Factors,
    /// Data sets of each workload, or of each point of a curve; the figure's own number if not given.
    pub data_sets: Option<usize>,
    /// Measurements of earlier times.
    pub cache: Option<&'a dyn Cache>,
    /// Told of each data set that is done.
    pub on_done: &'a (dyn Fn() + Sync),
}

/// One error of one data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorPoint {
    /// Workload.
    pub workload: String,
    /// Metric.
    pub metric: &'static str,
    /// Number of the data set, from 1.
    pub data_set: u64,
    /// Approximated bits.
    pub bits: u32,
    /// The error.
    pub error: f64,
}

/// One point of a curve: errors of several data sets that share a property.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Workload.
    pub workload: String,
    /// Metric.
    pub metric: &'static str,
    /// What is varied.
    pub property: &'static str,
    /// Its value.
    pub value: f64,
    /// Approximated bits.
    pub bits: u32,
    /// Mean over the data sets.
    pub mean_error: f64,
    /// Smallest.
    pub lowest_error: f64,
    /// Largest.
    pub highest_error: f64,
    /// How many.
    pub data_sets: usize,
}

/// The figures of one predictor on one workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AccuracyRow {
    /// Workload.
    pub workload: String,
    /// `network` or `regression`.
    pub predictor: &'static str,
    /// Ours, on data sets held out.
    #[serde(flatten)]
    pub score: Score,
    /// The accuracy that the thesis prints for this workload.
    pub published_accuracy: Option<f64>,
}

/// The rows of a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Rows {
    /// Of figures 6.4 and 6.8.
    Errors(Vec<ErrorPoint>),
    /// Of figures 6.5 to 6.7.
    Curves(Vec<CurvePoint>),
    /// Of figure 6.9.
    Accuracies(Vec<AccuracyRow>),
}

/// Accuracies printed in section 6.5; the mean over all nine is printed as 0.95.
const PUBLISHED_ACCURACIES: [(&str, f64); 3] = [("gaussian", 0.89), ("kmeans", 0.80), ("lud", 0.87)];
/// Clusters where the size is varied.
const FIXED_CLUSTERS: usize = 10;
/// log10 of the condition number where the size is varied.
const FIXED_CONDITION_LOG10: f64 = 2.0;
/// Seed of splits and first weights.
const MODEL_SEED: u64 = 1;

impl Figure {
    /// Every figure, with its number.
    pub const ALL: [(&'static str, Self); 7] = [
        ("6.4", Self::ErrorDistribution),
        ("6.5", Self::ConditionNumber),
        ("6.6", Self::ClusterCount),
        ("6.7", Self::DataSize),
        ("attributes", Self::PointFeatures),
        ("6.8", Self::ErrorMetric),
        ("6.9", Self::PredictorAccuracy),
    ];

    /// The figure with this number.
    pub fn from_number(number: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == number).map(|(_, figure)| figure)
    }

    /// Data sets of each workload or point, unless the experiment says otherwise. The thesis has 10.
    fn usual_data_sets(self) -> usize {
        match self {
            Self::PredictorAccuracy => 48,
            Self::ClusterCount | Self::DataSize | Self::PointFeatures => 5,
            Self::ErrorDistribution | Self::ConditionNumber | Self::ErrorMetric => 10,
        }
    }

    /// What has to be measured.
    pub fn plans(self, experiment: &Experiment<'_>) -> Result<Vec<Plan>, String> {
        let count = experiment.data_sets.unwrap_or(self.usual_data_sets());
        let usual = |name: &str| {
            let workload =
                shrinkwarp_workloads::find(name).ok_or_else(|| format!("there is no workload {name}"))?;
            let plan = Plan::usual(workload, experiment.scale, count)?;
            Ok::<_, String>(Plan { factors: experiment.factors, ..plan })
        };
        match self {
            Self::ErrorDistribution | Self::PredictorAccuracy => {
                QUALITIES.iter().map(|quality| usual(quality.workload)).collect()
            }
            Self::ErrorMetric => Ok(vec![usual("lud")?]),
            Self::ConditionNumber => {
                let plan = usual("gaussian")?;
                let (sizes, data_sets) = (largest(&plan), count * CONDITIONS_LOG10.len());
                Ok(vec![Plan { sizes, data_sets, ..plan }])
            }
            Self::ClusterCount => {
                let plan = usual("kmeans")?;
                let (sizes, data_sets) = (largest(&plan), count * CLUSTERS.len());
                Ok(vec![Plan { sizes, data_sets, ..plan }])
            }
            Self::PointFeatures => {
                let plan = usual("kmeans")?;
                let (sizes, data_sets) = (largest(&plan), count * FEATURES.len());
                let (clusters, features) = (vec![FIXED_CLUSTERS], FEATURES.to_vec());
                Ok(vec![Plan { sizes, clusters, features, data_sets, ..plan }])
            }
            Self::DataSize => {
                let (kmeans, lud) = (usual("kmeans")?, usual("lud")?);
                let all = |plan: &Plan| count * plan.sizes.len();
                Ok(vec![
                    Plan { clusters: vec![FIXED_CLUSTERS], data_sets: all(&kmeans), ..kmeans },
                    Plan { conditions_log10: vec![FIXED_CONDITION_LOG10], data_sets: all(&lud), ..lud },
                ])
            }
        }
    }

    /// Measures what is needed and makes the rows.
    pub fn rows(self, experiment: &Experiment<'_>) -> Result<Rows, String> {
        let mut measured = Vec::new();
        for plan in self.plans(experiment)? {
            measured.push(measure_plan(&plan, experiment.cache, experiment.on_done)?);
        }
        match self {
            Self::ErrorDistribution => {
                Ok(Rows::Errors(measured.iter().flat_map(|rows| deciding(rows)).collect()))
            }
            Self::ErrorMetric => Ok(Rows::Errors(measured.iter().flatten().flat_map(points).collect())),
            Self::ConditionNumber => Ok(curves(&measured, "log10 of the condition number", |row| {
                row.condition_log10.unwrap_or(0.0)
            })),
            Self::ClusterCount => Ok(curves(&measured, "clusters", |row| row.clusters.unwrap_or(0) as f64)),
            Self::DataSize => Ok(curves(&measured, "size", |row| row.size as f64)),
            Self::PointFeatures => {
                Ok(curves(&measured, "features", |row| row.input_elements as f64 / row.size.max(1) as f64))
            }
            Self::PredictorAccuracy => {
                let rows: Result<Vec<_>, String> = measured.par_iter().map(|rows| accuracies(rows)).collect();
                Ok(Rows::Accuracies(rows?.into_iter().flatten().collect()))
            }
        }
    }
}

fn largest(plan: &Plan) -> Vec<usize> {
    plan.sizes.iter().copied().max().into_iter().collect()
}

/// The points of the metric that decides: the first of each data set.
fn deciding(rows: &[Measurement]) -> Vec<ErrorPoint> {
    let Some(first) = rows.first() else { return Vec::new() };
    rows.iter().filter(|row| row.metric == first.metric).flat_map(points).collect()
}

fn points(row: &Measurement) -> impl Iterator<Item = ErrorPoint> {
    BITS.into_iter().zip(row.errors).map(|(bits, error)| ErrorPoint {
        workload: row.workload.clone(),
        metric: row.metric.name(),
        data_set: row.seed,
        bits,
        error,
    })
}

/// The errors by a property of the data sets.
fn curves(measured: &[Vec<Measurement>], property: &'static str, value_of: fn(&Measurement) -> f64) -> Rows {
    let mut curve = Vec::new();
    for rows in measured {
        let Some(first) = rows.first() else { continue };
        let rows: Vec<&Measurement> = rows.iter().filter(|row| row.metric == first.metric).collect();
        let mut values: Vec<f64> = rows.iter().map(|row| value_of(row)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        for (level, bits) in BITS.into_iter().enumerate() {
            for &value in &values {
                let errors: Vec<f64> =
                    rows.iter().filter(|row| value_of(row) == value).map(|row| row.errors[level]).collect();
                curve.push(CurvePoint {
                    workload: first.workload.clone(),
                    metric: first.metric.name(),
                    property,
                    value,
                    bits,
                    mean_error: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
                    lowest_error: errors.iter().copied().fold(f64::INFINITY, f64::min),
                    highest_error: errors.iter().copied().fold(0.0, f64::max),
                    data_sets: errors.len(),
                });
            }
        }
    }
    Rows::Curves(curve)
}

fn accuracies(rows: &[Measurement]) -> Result<Vec<AccuracyRow>, String> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let model = Model::train(rows, first.metric, MODEL_SEED)?;
    let published = PUBLISHED_ACCURACIES.iter().find(|(name, _)| *name == model.workload);
    let row = |predictor, score, published_accuracy| AccuracyRow {
        workload: model.workload.clone(),
        predictor,
        score,
        published_accuracy,
    };
    Ok(vec![
        row("network", model.scores.network, published.map(|(_, accuracy)| *accuracy)),
        row("regression", model.scores.regression, None),
    ])
}
