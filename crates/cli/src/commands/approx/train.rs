//! `shrinkwarp approx train`: learn which bits make which error.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use shrinkwarp_approx::model::Model;
use shrinkwarp_approx::score::Score;
use shrinkwarp_approx::table;
use shrinkwarp_formats::files::MOST_TEXT_BYTES;
use shrinkwarp_workloads::Metric;

use crate::failure::Failure;
use crate::files;

/// Train a model on a table of measurements and score it on inputs that were held out
///
/// Two thirds of the inputs train the model, the rest are held out. The file has two predictors: the neural network of
/// the thesis and a regression of the error.
#[derive(Args, Debug)]
pub struct Train {
    /// Table that `shrinkwarp approx measure` wrote
    #[arg(value_name = "FILE.csv")]
    table: PathBuf,
    /// Model to write [default: the table's name with .json]
    #[arg(short, long, value_name = "FILE.json")]
    output: Option<PathBuf>,
    /// Error metric to learn [default: the workload's first]
    #[arg(long, value_parser = metric)]
    metric: Option<Metric>,
    /// Seed of the random numbers that split the inputs and initialise the network
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Train {
    pub fn run(&self) -> Result<(), Failure> {
        let text = shrinkwarp_formats::files::read_text(&self.table, MOST_TEXT_BYTES)
            .map_err(|error| Failure::file(&self.table, error))?;
        let rows = table::parse(&text).map_err(|error| Failure::file(&self.table, error))?;
        let Some(first) = rows.first() else {
            return Err(Failure::file(&self.table, "the table is empty; measure some inputs"));
        };
        let metric = self.metric.unwrap_or(first.metric);
        let model =
            Model::train(&rows, metric, self.seed).map_err(|error| Failure::file(&self.table, error))?;
        let path = self.output.clone().unwrap_or_else(|| self.table.with_extension("json"));
        let json_text = model.to_json().map_err(|error| Failure::file(&path, error))?;
        files::replace(&path, |file| file.write_all(json_text.as_bytes()))?;
        files::print(&if self.json {
            let held_out = model.scores.network.data_sets;
            format!(
                "{:#}\n",
                json!({
                    "model": path,
                    "workload": model.workload,
                    "metric": model.metric,
                    "training_data_sets": model.training_data_sets,
                    "held_out_data_sets": held_out,
                    "epochs": model.network.epochs,
                    "mean_square_error": model.network.mean_square_error,
                    "scores": model.scores,
                })
            )
        } else {
            report(&model) + &format!("model: {}\n", path.display())
        })
    }
}

fn report(model: &Model) -> String {
    let mut text = format!(
        "{}, {} error: {} inputs learnt from, {} held out\n\
         network: {} epochs, mean square error {:.4}\n\n\
         {:<12} {:>9} {:>13} {:>16}\n",
        model.workload,
        model.metric,
        model.training_data_sets,
        model.scores.network.data_sets,
        model.network.epochs,
        model.network.mean_square_error,
        "predictor",
        "accuracy",
        "within bound",
        "bits given away",
    );
    let line = |name: &str, score: &Score| {
        format!(
            "{name:<12} {:>7.1} % {:>11.1} % {:>16.1}\n",
            100.0 * score.accuracy,
            100.0 * score.within,
            score.bits_given_away
        )
    };
    text += &line("network", &model.scores.network);
    text += &line("regression", &model.scores.regression);
    text + "\naccuracy: given an error that k bits made, the answer is k; within bound: given an accepted error, the chosen bits keep to it;\n\
        bits given away: how many more bits could have been approximated on average\n"
}

fn metric(text: &str) -> Result<Metric, String> {
    Metric::from_name(text).ok_or_else(|| {
        let known = Metric::ALL.map(Metric::name).join(", ");
        format!("expected one of {known}")
    })
}
