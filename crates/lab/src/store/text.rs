//! Runs and tables as text for a terminal.

use serde_json::Value;

use super::{Grid, RunRow};
use crate::run::{OWN_INPUT, Record, number};

/// Runs as a table.
pub fn list(rows: &[RunRow]) -> String {
    let mut text = format!(
        "{:<12} {:<18} {:<6} {:<16} {:<14} {:>12} {:>8}  {}\n",
        "run", "workload", "scale", "scheme", "gpu", "cycles", "seconds", "changes"
    );
    for row in rows {
        let cycles = row.cycles.map_or("failed".to_owned(), |cycles| cycles.to_string());
        text += &format!(
            "{:<12} {:<18} {:<6} {:<16} {:<14} {cycles:>12} {:>8.2}  {}\n",
            row.identity.short(),
            row.workload,
            row.scale,
            row.scheme,
            row.gpu,
            row.duration_s,
            row.overrides.join(" "),
        );
    }
    text + &format!("\n{}. All numbers of one: shrinkwarp store show RUN\n", counted(rows.len()))
}

/// What one run is, and all its numbers.
pub fn show(record: &Record) -> String {
    let provenance = &record.provenance;
    let mut text = format!(
        "{}\n{}{} on {} with {}{}\n\
         model {}, program {}, on {}, {:.2} s\n\n",
        record.identity,
        record.workload,
        if record.scale == OWN_INPUT {
            String::new()
        } else {
            format!(" at {} scale, data set {}, seed {},", record.scale, record.data, record.seed)
        },
        record.gpu,
        record.scheme,
        record.overrides.iter().map(|change| format!(", {change}")).collect::<String>(),
        provenance.model_version,
        provenance.code_version,
        provenance.host,
        provenance.duration_s,
    );
    let output = match record.output.as_deref().map(str::trim_end) {
        None => String::new(),
        Some("") => "\nthe program wrote nothing\n".to_owned(),
        Some(output) => format!("\nthe program wrote\n{output}\n"),
    };
    let Some(result) = record.result() else {
        return text + &format!("failed: {}\n{output}", record.error().unwrap_or_default());
    };
    let numbers = || result.counters.iter();
    let width = numbers().map(|(name, _)| name.len()).max().unwrap_or(0);
    text += &format!("{:<width$}  {}\n{:<width$}  {:.2}\n", "cycles", result.cycles, "IPC", result.ipc());
    for (name, value) in numbers() {
        text += &format!("{name:<width$}  {}\n", number(value));
    }
    text + &output
}

/// A grid as aligned columns.
pub fn columns(grid: &Grid) -> String {
    let cell = |value: &Value| match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let rows: Vec<Vec<String>> = std::iter::once(grid.columns.clone())
        .chain(grid.rows.iter().map(|row| row.iter().map(cell).collect()))
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..grid.columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// A number of runs.
pub fn counted(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}
