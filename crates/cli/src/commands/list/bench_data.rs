//! `shrinkwarp list bench-data`: what `bench` measures codecs on.

use clap::Args;
use shrinkwarp_codec::datasets::{DATASETS, Dataset};
use shrinkwarp_report::suggestion::suggestion;

use super::configurations::list;
use crate::failure::Failure;
use crate::files;

/// List the generated data sets on which `shrinkwarp bench` measures codecs
#[derive(Args, Debug)]
pub struct BenchData {
    /// Show only this data set
    name: Option<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl BenchData {
    pub fn run(&self) -> Result<(), Failure> {
        let is_meant = |set: &&Dataset| self.name.as_ref().is_none_or(|name| set.name == name);
        let rows: Vec<(&str, &str)> =
            DATASETS.iter().filter(is_meant).map(|set| (set.name, set.summary)).collect();
        if let (Some(name), []) = (&self.name, &*rows) {
            let known: Vec<&str> = DATASETS.iter().map(|set| set.name).collect();
            let advice = suggestion(name, &known);
            return Err(Failure::Usage(format!("list bench-data: unknown data set {name:?}; {advice}")));
        }
        let closing = "To measure on one: shrinkwarp bench --data NAME.";
        files::print(&list("data set", &rows, self.json, closing))
    }
}
