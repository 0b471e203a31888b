//! `shrinkwarp approx figure`: the data behind the thesis's figures 6.4 to 6.9.

use clap::Args;
use shrinkwarp_approx::figure::{Experiment, Figure, Rows};

use super::measure::{at_least_one, factors};
use super::rows::csv;
use super::store::Store;

use crate::arguments::ScaleArgs;
use crate::failure::Failure;
use crate::files;
use crate::progress::Progress;

/// Print the data of a figure of the thesis as CSV
///
/// `shrinkwarp list figures dsm` says what each figure shows.
#[derive(Args, Debug)]
pub struct FigureData {
    /// Figure: 6.4 to 6.9, or attributes
    #[arg(value_parser = parse_figure)]
    figure: Figure,
    #[command(flatten)]
    size: ScaleArgs,
    /// Number of inputs for each workload or for each point of a curve
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    data_sets: Option<usize>,
    /// Make symmetric positive definite matrices, on which elimination without pivoting is stable
    #[arg(long)]
    symmetric: bool,
    /// Print JSON instead of CSV
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: Store,
}

impl FigureData {
    pub fn run(&self) -> Result<(), Failure> {
        let rows = self.rows()?;
        let text =
            if self.json { serde_json::to_string_pretty(&rows).map(|text| text + "\n") } else { csv(&rows) };
        files::print(&text.map_err(|error| Failure::Work(error.to_string()))?)
    }

    fn rows(&self) -> Result<Rows, Failure> {
        let cache = self.store.cache();
        let mut experiment = Experiment {
            scale: self.size.scale,
            factors: factors(self.symmetric),
            data_sets: self.data_sets,
            cache: cache.as_deref(),
            on_done: &|| {},
        };
        let plans = self.figure.plans(&experiment).map_err(Failure::Work)?;
        let steps: usize = plans.iter().map(|plan| plan.data_sets).sum();
        let progress = Progress::steps(steps as u64, "inputs");
        let on_done = || progress.advance(1);
        experiment.on_done = &on_done;
        self.figure.rows(&experiment).map_err(Failure::Work)
    }
}

fn parse_figure(text: &str) -> Result<Figure, String> {
    Figure::from_number(text).ok_or_else(|| {
        let known: Vec<&str> = Figure::ALL.iter().map(|(number, _)| *number).collect();
        format!("expected one of {}", known.join(", "))
    })
}
