//! `shrinkwarp gpus`: which GPUs can be simulated, and what each is made of.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use shrinkwarp_machine::configuration::gpu_with;
use shrinkwarp_report::excerpt;
use shrinkwarp_sim::config::{ConfigError, Derived, GPUS, GpuSpec};

use crate::failure::Failure;
use crate::files;

/// List the GPUs that can be simulated, or show one with its derived sizes
#[derive(Args, Debug)]
pub struct Gpus {
    #[command(subcommand)]
    command: Option<Show>,

    /// Print JSON instead of a table
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand, Debug)]
enum Show {
    /// Show every field of a GPU and what follows from them
    Show {
        /// A preset of the list, or a path to a .toml file
        name: String,

        /// Change a field, as in `--set l1.size_kib=48`; may be repeated
        #[arg(long = "set", value_name = "KEY=VALUE")]
        overrides: Vec<String>,
    },
}

impl Gpus {
    pub fn run(&self) -> Result<(), Failure> {
        let text = match &self.command {
            None => list(self.json)?,
            Some(Show::Show { name, overrides }) => show(&load_gpu(name, overrides)?, self.json)?,
        };
        files::print(&text)
    }
}

/// The GPU that `--gpu` and `--set` ask for; a mistake in them is shown with its place.
pub(crate) fn load_gpu(name: &str, overrides: &[String]) -> Result<GpuSpec, Failure> {
    gpu_with(name, overrides).map_err(|error| Failure::Usage(render(&error)))
}

fn list(as_json: bool) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for preset in GPUS {
        let spec = load_gpu(preset.name, &[])?;
        let derived = Derived::of(&spec);
        rows.push((spec, derived));
    }
    if as_json {
        let gpus: Vec<Value> = rows
            .iter()
            .map(|(spec, derived)| json!({"name": spec.name, "description": spec.description, "derived": derived}))
            .collect();
        return Ok(format!("{:#}\n", Value::Array(gpus)));
    }
    let mut text = format!("{:<14} {:>4} {:>9} {:>9}  {}\n", "gpu", "SMs", "L2, KiB", "GB/s", "what it is");
    for (spec, derived) in rows {
        text += &format!(
            "{:<14} {:>4} {:>9} {:>9.1}  {}\n",
            spec.name, spec.sm.count, derived.l2_total_kib, derived.dram_peak_gb_per_s, spec.description
        );
    }
    Ok(text + "\nAll fields of one: shrinkwarp gpus show NAME\n")
}

fn show(spec: &GpuSpec, as_json: bool) -> Result<String, Failure> {
    let to_value = |value: serde_json::Result<Value>| value.map_err(|error| Failure::Work(error.to_string()));
    let fields = to_value(serde_json::to_value(spec))?;
    let derived = to_value(serde_json::to_value(Derived::of(spec)))?;
    if as_json {
        return Ok(format!("{:#}\n", json!({"gpu": fields, "derived": derived})));
    }
    let mut rows = Vec::new();
    flatten(&fields, "", &mut rows);
    let mut text = String::new();
    push_rows(&mut text, &rows);
    text += "\nWhat follows from them:\n";
    let mut rows = Vec::new();
    flatten(&derived, "", &mut rows);
    push_rows(&mut text, &rows);
    Ok(text)
}

/// Keys as `--set` takes them.
fn flatten(value: &Value, prefix: &str, rows: &mut Vec<(String, String)>) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Object(_) => flatten(value, &key, rows),
            Value::String(text) => rows.push((key, text.clone())),
            Value::Number(number) if number.is_f64() => {
                rows.push((key, format!("{:.1}", number.as_f64().unwrap_or(0.0))));
            }
            other => rows.push((key, other.to_string())),
        }
    }
}

fn push_rows(text: &mut String, rows: &[(String, String)]) {
    let width = rows.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    for (key, value) in rows {
        *text += &format!("{key:<width$}  {value}\n");
    }
}

/// The message, and the place in the file where there is one.
pub(crate) fn render(error: &ConfigError) -> String {
    let Some(span) = error.span.clone() else { return error.to_string() };
    let excerpt = excerpt::place(&error.file, &error.source, span, &error.message);
    format!("{error}\n{}", excerpt.trim_end())
}
