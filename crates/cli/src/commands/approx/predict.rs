//! `shrinkwarp approx predict`: how many bits for this input, if that error is accepted?

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shrinkwarp_approx::attributes::Attributes;
use shrinkwarp_approx::model::Model;
use shrinkwarp_approx::regression::DEFAULT_CONFIDENCE;
use shrinkwarp_formats::files::{MOST_DATA_BYTES, MOST_TEXT_BYTES, read_bounded, read_text};
use shrinkwarp_workloads::input::matrix::{Matrix, parse_npy};
use shrinkwarp_workloads::input::singular::condition_number;
use shrinkwarp_workloads::{Constraint, Quality, Workload};

use super::measure::condition;
use crate::failure::Failure;
use crate::files;

/// Singular values of larger matrices take minutes; the user may know the condition number.
const LARGEST_DECOMPOSED: usize = 1500;

/// Choose the number of bits to approximate for an input and an accepted error
#[derive(Args, Debug)]
pub struct Predict {
    /// Model that `shrinkwarp approx train` wrote
    #[arg(value_name = "MODEL.json")]
    model: PathBuf,
    /// Accepted error in the model's metric, above 0 and up to 1
    #[arg(long, value_name = "E", value_parser = accepted_error, allow_negative_numbers = true)]
    error: f64,
    /// The input: a matrix as .npy
    #[arg(long, value_name = "FILE.npy", required_unless_present = "elements")]
    input: Option<PathBuf>,
    /// Number of elements of the input, in place of the input itself
    #[arg(long, value_name = "N", conflicts_with = "input")]
    elements: Option<u64>,
    /// Condition number of the matrix, in place of computing it
    #[arg(long, value_name = "C", value_parser = condition)]
    condition: Option<f64>,
    /// Clusters to find
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    clusters: Option<u64>,
    /// Confidence that the choice must have
    #[arg(long, default_value_t = DEFAULT_CONFIDENCE, value_name = "P", value_parser = share)]
    confidence: f64,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Predict {
    pub fn run(&self) -> Result<(), Failure> {
        let text =
            read_text(&self.model, MOST_TEXT_BYTES).map_err(|error| Failure::file(&self.model, error))?;
        let model = Model::from_json(&text).map_err(|error| Failure::file(&self.model, error))?;
        let attributes = self.attributes(&model)?;
        let choice = model.regression.choose(&attributes, self.error, self.confidence);
        let (network_bits, network_share) = model.network.predict(&attributes, self.error);
        files::print(&if self.json {
            let value = json!({
                "workload": model.workload,
                "metric": model.metric,
                "accepted_error": self.error,
                "input_elements": attributes.input_elements,
                "condition_log10": attributes.condition_log10,
                "clusters": attributes.clusters,
                "bits": choice.bits,
                "confidence": choice.confidence,
                "expected_error": choice.expected_error,
                "network": {"bits": network_bits, "confidence": network_share},
            });
            format!("{value:#}\n")
        } else {
            let what = match choice.bits {
                0 => "nothing: 4 bits may already cause a larger error".to_owned(),
                bits => format!(
                    "{bits} bits, {:.0} % sure; expect an error of {:.1e}",
                    100.0 * choice.confidence,
                    choice.expected_error
                ),
            };
            format!(
                "{}, {} error of at most {}: approximate {what}\n{}network of the thesis: {network_bits} bits, {:.0} % sure\n",
                model.workload,
                model.metric,
                self.error,
                describe(&attributes),
                100.0 * network_share,
            )
        })
    }

    fn attributes(&self, model: &Model) -> Result<Attributes, Failure> {
        let quality = shrinkwarp_workloads::find(&model.workload).and_then(Workload::quality);
        let depends_on = |constraint| quality.is_some_and(|quality: &Quality| quality.depends_on(constraint));
        let matrix = self.input.as_deref().map(read_matrix).transpose()?;
        let clusters = self.clusters.map(|clusters| clusters as usize);
        if depends_on(Constraint::Clusters) && clusters.is_none() {
            let message = format!("--clusters N is missing: the error of {} depends on it", model.workload);
            return Err(Failure::Usage(message));
        }
        let input_elements = match &matrix {
            Some(matrix) => matrix.values.len() as u64,
            None => self.elements.unwrap_or(1),
        };
        let condition_log10 = if depends_on(Constraint::ConditionNumber) {
            Some(self.condition_log10(matrix.as_ref(), model)?)
        } else {
            None
        };
        Ok(Attributes { input_elements, condition_log10, clusters })
    }

    fn condition_log10(&self, matrix: Option<&Matrix>, model: &Model) -> Result<f64, Failure> {
        if let Some(condition) = self.condition {
            return Ok(condition.log10());
        }
        let Some(matrix) = matrix else {
            let message =
                format!("--condition C or --input FILE.npy: the error of {} depends on it", model.workload);
            return Err(Failure::Usage(message));
        };
        if matrix.rows.min(matrix.columns) > LARGEST_DECOMPOSED {
            let message = format!(
                "--condition C: the matrix is larger than {LARGEST_DECOMPOSED}, too large to decompose here"
            );
            return Err(Failure::Usage(message));
        }
        let condition = condition_number(matrix);
        if condition.is_finite() {
            return Ok(condition.log10());
        }
        let path = self.input.as_deref().unwrap_or(Path::new("--input"));
        Err(Failure::file(path, "the matrix is singular: no approximation of it can be solved"))
    }
}

fn read_matrix(path: &Path) -> Result<Matrix, Failure> {
    let bytes = read_bounded(path, MOST_DATA_BYTES).map_err(|error| Failure::file(path, error))?;
    let matrix = parse_npy(&bytes).map_err(|error| Failure::file(path, error))?;
    if matrix.rows.min(matrix.columns) < 2 {
        let message = format!(
            "is a vector of {} elements; a matrix has two dimensions of 2 or more",
            matrix.values.len()
        );
        return Err(Failure::file(path, message));
    }
    let Some(index) = matrix.values.iter().position(|value| !value.is_finite()) else { return Ok(matrix) };
    let (row, column) = (index / matrix.columns, index % matrix.columns);
    let value = matrix.values[index];
    Err(Failure::file(path, format!("element [{row}, {column}] is {value}; a matrix must be finite")))
}

fn describe(attributes: &Attributes) -> String {
    let mut text = format!("input: {} elements", attributes.input_elements);
    if let Some(log10) = attributes.condition_log10 {
        text += &format!(", condition number {:.3e}", 10f64.powf(log10));
    }
    if let Some(clusters) = attributes.clusters {
        text += &format!(", {clusters} clusters");
    }
    text + "\n"
}

fn accepted_error(text: &str) -> Result<f64, String> {
    let is_accepted = |error: &f64| *error > 0.0 && *error <= 1.0;
    text.parse().ok().filter(is_accepted).ok_or_else(|| "an error is above 0 and at most 1".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let is_share = |share: &f64| *share > 0.0 && *share < 1.0;
    text.parse().ok().filter(is_share).ok_or_else(|| "a confidence is above 0 and below 1".to_owned())
}
