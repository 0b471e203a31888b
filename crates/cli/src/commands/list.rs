//! `shrinkwarp list`: what the tool knows, as tables or JSON.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use shrinkwarp_workloads::{Class, InputKind, Scale, WORKLOADS, Workload};

use super::codecs::Codecs;
use crate::failure::Failure;
use crate::files;

/// List what the tool knows: codecs, workloads, schemes, figures
#[derive(Args, Debug)]
pub struct List {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Codecs(Codecs),
    Workloads(Workloads),
    Schemes(super::schemes::Schemes),
    Figures(super::figures::Figures),
}

/// List the workload suite: class, papers, buffers, inputs
#[derive(Args, Debug)]
struct Workloads {
    /// Print JSON, complete, instead of a table
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Codecs(codecs) => codecs.run(),
            What::Schemes(schemes) => schemes.run(),
            What::Figures(figures) => figures.run(),
            What::Workloads(Workloads { json: true }) => files::print(&json_list()),
            What::Workloads(_) => files::print(&table()),
        }
    }
}

fn table() -> String {
    let mut text =
        format!("{:<18} {:<8} {:<46} {}\n", "workload", "class", "papers (their name)", "what it computes");
    for workload in WORKLOADS {
        let papers: Vec<String> =
            workload.papers.iter().map(|(paper, name)| format!("{} {name}", paper.name())).collect();
        let class = workload.class.name();
        text += &format!("{:<18} {class:<8} {:<46} {}\n", workload.name, papers.join(", "), workload.summary);
    }
    let count = |class: Class| WORKLOADS.iter().filter(|workload| workload.class == class).count();
    let counts: Vec<String> =
        Class::ALL.iter().map(|&class| format!("{} {}", count(class), class.name())).collect();
    text += &format!(
        "\n{} workloads: {}. `--json` adds buffers, inputs and scales.\n",
        WORKLOADS.len(),
        counts.join(", ")
    );
    text
}

fn json_list() -> String {
    format!("{:#}\n", Value::Array(WORKLOADS.iter().map(|workload| describe(workload)).collect()))
}

fn describe(workload: &Workload) -> Value {
    let papers: Vec<Value> =
        workload.papers.iter().map(|(paper, name)| json!({"system": paper.name(), "name": name})).collect();
    let buffers: Vec<Value> = workload
        .buffers
        .iter()
        .map(|buffer| {
            let element = buffer.element.name();
            json!({"name": buffer.name, "element": element, "approximable": buffer.is_approximable})
        })
        .collect();
    json!({
        "name": workload.name,
        "class": workload.class.name(),
        "summary": workload.summary,
        "papers": papers,
        "cache_sensitive": workload.is_cache_sensitive,
        "buffers": buffers,
        "input": workload.input.map(InputKind::name),
        "scales": Scale::ALL.map(Scale::name),
    })
}
