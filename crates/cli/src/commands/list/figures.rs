//! `shrinkwarp list figures`: what `reproduce` can draw. The figures of `approx figure` are among those of the thesis.

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_lab::figures::{FigureSpec, Scope, all_of_paper};
use shrinkwarp_report::figure::Paper;
use shrinkwarp_report::suggestion::suggestion;
use shrinkwarp_workloads::Scale;

use crate::failure::Failure;
use crate::files;

/// List the figures that `shrinkwarp reproduce` draws, and how many runs each needs
#[derive(Args, Debug)]
pub struct Figures {
    /// Show only this paper, as in bpc, or this figure, as in bpc-3c
    name: Option<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Figures {
    pub fn run(&self) -> Result<(), Failure> {
        let all = || Paper::ALL.into_iter().flat_map(all_of_paper);
        let is_meant = |figure: &&FigureSpec| match &self.name {
            None => true,
            Some(name) => figure.paper.name() == name || full_name(figure) == *name,
        };
        let chosen: Vec<&FigureSpec> = all().filter(is_meant).collect();
        if let (Some(name), []) = (&self.name, &*chosen) {
            let names: Vec<String> = all().map(full_name).collect();
            let papers = Paper::ALL.iter().map(|paper| paper.name());
            let known: Vec<&str> = papers.chain(names.iter().map(String::as_str)).collect();
            let advice = suggestion(name, &known);
            return Err(Failure::Usage(format!("list figures: unknown paper or figure {name:?}; {advice}")));
        }
        files::print(&if self.json { json_list(&chosen) } else { table(&chosen) })
    }
}

/// `bpc-3c`, as its files are called.
fn full_name(figure: &FigureSpec) -> String {
    format!("{}-{}", figure.paper.name(), figure.id)
}

fn runs(figure: &FigureSpec) -> usize {
    (figure.needs)(Scope::all(Scale::Small)).len()
}

fn table(figures: &[&FigureSpec]) -> String {
    let mut text = String::new();
    for of_paper in figures.chunk_by(|a, b| a.paper == b.paper) {
        text += &format!("{}\n", of_paper[0].paper.title());
        for figure in of_paper {
            let paper = figure.paper.name();
            text += &format!("  {paper:<9} {:<14} {:>4} runs  {}\n", figure.id, runs(figure), figure.title);
        }
    }
    text + "\nFigures share runs; `shrinkwarp reproduce PAPER [FIGURE…]` draws them. `shrinkwarp approx figure` prints the data of dsm 6.4 to 6.9 and attributes.\n"
}

fn json_list(figures: &[&FigureSpec]) -> String {
    let describe = |figure: &&FigureSpec| json!({"paper": figure.paper.name(), "figure": figure.id, "title": figure.title, "runs": runs(figure)});
    format!("{:#}\n", figures.iter().map(describe).collect::<Value>())
}
