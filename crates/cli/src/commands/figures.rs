//! `shrinkwarp list figures`: what `reproduce` can draw.

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_lab::figures::{Scope, of_paper};
use shrinkwarp_report::figure::Paper;
use shrinkwarp_workloads::Scale;

use crate::failure::Failure;
use crate::files;

/// List the figures that `shrinkwarp reproduce` draws, and how many runs each needs
#[derive(Args, Debug)]
pub struct Figures {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Figures {
    pub fn run(&self) -> Result<(), Failure> {
        files::print(&if self.json { json_list() } else { table() })
    }
}

fn table() -> String {
    let mut text = String::new();
    for paper in Paper::ALL {
        text += &format!("{}\n", paper.title());
        for figure in of_paper(paper) {
            let needs = (figure.needs)(Scope { scale: Scale::Small }).len();
            text += &format!("  {:<9} {:<14} {:>4} runs  {}\n", paper.name(), figure.id, needs, figure.title);
        }
    }
    text + "\nFigures share runs; `shrinkwarp reproduce PAPER [FIGURE…]` draws them.\n"
}

fn json_list() -> String {
    let figures = Paper::ALL.into_iter().flat_map(of_paper).map(|figure| {
        let needs = (figure.needs)(Scope { scale: Scale::Small }).len();
        json!({"paper": figure.paper.name(), "figure": figure.id, "title": figure.title, "runs": needs})
    });
    format!("{:#}\n", Value::Array(figures.collect()))
}
