//! `shrinkwarp list workloads`: the suite.

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_workloads::{Class, InputKind, Scale, WORKLOADS, Workload};

use crate::commands::workloads::choose;
use crate::failure::Failure;
use crate::files;

/// List the workload suite: class, papers, buffers, inputs, data sets
#[derive(Args, Debug)]
pub struct Workloads {
    /// Show everything about these workloads; without a name, all in one table
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Workloads {
    pub fn run(&self) -> Result<(), Failure> {
        let chosen = choose(&self.names)?;
        files::print(&match (self.json, self.names.is_empty()) {
            (true, _) => {
                format!("{:#}\n", Value::Array(chosen.iter().map(|workload| describe(workload)).collect()))
            }
            (false, true) => table(),
            (false, false) => chosen.iter().map(|workload| details(workload)).collect::<Vec<_>>().join("\n"),
        })
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
        "\n{} workloads: {}. `list workloads NAME` shows data sets and buffers; `--json` has everything.\n",
        WORKLOADS.len(),
        counts.join(", ")
    );
    text
}

/// One workload as text.
fn details(workload: &Workload) -> String {
    let mut text = format!("{}: {} ({})\n", workload.name, workload.summary, workload.class.name());
    let papers: Vec<String> =
        workload.papers.iter().map(|(paper, name)| format!("{} as {name}", paper.name())).collect();
    if !papers.is_empty() {
        text += &format!("used by {}\n", papers.join(", "));
    }
    text += "\ndata sets (--data)\n";
    for (index, data_set) in workload.data_sets.iter().enumerate() {
        let default = if index == 0 { " (default)" } else { "" };
        let papers: Vec<&str> = data_set.papers.iter().map(|paper| paper.name()).collect();
        let used = if papers.is_empty() {
            String::new()
        } else {
            format!("; used by the figures of {}", papers.join(", "))
        };
        text += &format!("  {:<14} {}{used}{default}\n", data_set.name, data_set.source);
    }
    text += "\nbuffers\n";
    for buffer in workload.buffers {
        let kind = if buffer.is_approximable { ", approximable" } else { "" };
        text += &format!("  {:<14} {}{kind}\n", buffer.name, buffer.element.name());
    }
    if let Some(kind) = workload.input {
        text += &format!("\nyour own input (--input): {}\n", kind.name());
    }
    text
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
    let data_sets: Vec<Value> = workload
        .data_sets
        .iter()
        .map(|data_set| {
            let papers: Vec<&str> = data_set.papers.iter().map(|paper| paper.name()).collect();
            json!({"name": data_set.name, "source": data_set.source, "papers": papers})
        })
        .collect();
    json!({
        "name": workload.name,
        "class": workload.class.name(),
        "summary": workload.summary,
        "papers": papers,
        "cache_sensitive": workload.is_cache_sensitive,
        "buffers": buffers,
        "data_sets": data_sets,
        "input": workload.input.map(InputKind::name),
        "scales": Scale::ALL.map(Scale::name),
    })
}
