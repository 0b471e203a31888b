//! `shrinkwarp list gpus`: which GPUs can be simulated, and what each is made of.

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_machine::configuration::gpu_with;
use shrinkwarp_sim::config::{Derived, GPUS, GpuSpec};

use super::configurations::named;
use crate::failure::Failure;
use crate::files;

/// List the GPUs that can be simulated, or show every field of one and the values derived from them
#[derive(Args, Debug)]
pub struct Gpus {
    /// Show every field of this GPU: a name of the list, or a path to a .toml file
    name: Option<String>,
    /// Change a field of the GPU that is shown, as in `--set l1.size_kib=48`; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "name")]
    overrides: Vec<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Gpus {
    pub fn run(&self) -> Result<(), Failure> {
        files::print(&match &self.name {
            None => list(self.json)?,
            Some(name) => show(&load(name, &self.overrides)?, self.json)?,
        })
    }
}

fn load(name: &str, overrides: &[String]) -> Result<GpuSpec, Failure> {
    named("gpus", gpu_with(name, overrides))
}

fn list(as_json: bool) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for preset in GPUS {
        let spec = load(preset.name, &[])?;
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
    let width = rows.iter().map(|(spec, _)| spec.name.len()).max().unwrap_or(0);
    let mut text =
        format!("{:<width$} {:>4} {:>9} {:>9}  {}\n", "gpu", "SMs", "L2, KiB", "GB/s", "what it is");
    for (spec, derived) in rows {
        text += &format!(
            "{:<width$} {:>4} {:>9} {:>9.1}  {}\n",
            spec.name, spec.sm.count, derived.l2_total_kib, derived.dram_peak_gb_per_s, spec.description
        );
    }
    Ok(text + "\nAll fields of one: shrinkwarp list gpus NAME\n")
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
    text += "\nDerived from them:\n";
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
