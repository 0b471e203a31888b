//! The table on a terminal: a block of lines for each workload, one line a scheme, and the means at the end.

use super::{Comparison, Metrics, Relative, Row};
use crate::run::{POINTS, at_scale};

/// What a missing number looks like.
const NONE: &str = "–";

/// The table.
pub fn text(comparison: &Comparison) -> String {
    let table = Table::new(comparison);
    let mut text = format!(
        "{}{}, relative to {}\n\n",
        comparison.gpu,
        at_scale(&comparison.scale),
        comparison.schemes[0]
    );
    text += &table.header();
    for row in &comparison.rows {
        text += &table.workload(row);
    }
    if comparison.rows.len() > 1 {
        text += &table.means();
    }
    text + &table.failures() + &table.errors() + &table.descriptions()
}

struct Table<'a> {
    comparison: &'a Comparison,
    points: Vec<usize>,
    /// Width of the first column.
    names: usize,
}

impl<'a> Table<'a> {
    fn new(comparison: &'a Comparison) -> Self {
        let schemes = comparison.schemes.iter().map(|scheme| scheme.len() + 2);
        let workloads = comparison.rows.iter().map(|row| row.workload.len());
        let names = schemes.chain(workloads).max().unwrap_or(0).max("geometric mean".len());
        Self { points: comparison.points(), comparison, names }
    }

    fn header(&self) -> String {
        let points: String =
            self.points.iter().map(|&point| format!("{:>11}", format!("CR {}", POINTS[point]))).collect();
        format!(
            "{:<names$} {:>12} {:>8}{points} {:>9} {:>9} {:>7} {:>7} {:>9} {:>7}\n",
            "workload",
            "cycles",
            "speedup",
            "traffic",
            "flits",
            "stalls",
            "L1 hit",
            "energy",
            "EDP",
            names = self.names,
        )
    }

    fn workload(&self, row: &Row) -> String {
        let mut text = format!("{}\n", row.workload);
        for (index, (scheme, cell)) in self.comparison.schemes.iter().zip(&row.cells).enumerate() {
            let name = format!("  {scheme}");
            text += &match (cell, row.relative(index)) {
                (Err(_), _) => format!("{name:<names$} {:>12}\n", "failed", names = self.names),
                (Ok(metrics), Some(relative)) if index > 0 => self.compared(&name, metrics, &relative),
                (Ok(metrics), _) => self.absolute(&name, metrics),
            };
        }
        text
    }

    /// The baseline, in its own units.
    fn absolute(&self, name: &str, metrics: &Metrics) -> String {
        format!(
            "{name:<names$} {:>12} {:>8}{} {:>9} {:>9} {:>7} {:>7} {:>9} {NONE:>7}\n",
            grouped(metrics.cycles),
            NONE,
            self.ratios(&metrics.ratios),
            bytes(metrics.memory_bytes),
            counted(metrics.flits),
            percent(metrics.reply_stall_share),
            percent(metrics.l1_hit_share),
            joules(metrics.energy_j),
            names = self.names,
        )
    }

    fn compared(&self, name: &str, metrics: &Metrics, relative: &Relative) -> String {
        format!(
            "{name:<names$} {:>12} {:>8}{} {:>9} {:>9} {:>7} {:>7} {:>9} {:>7}\n",
            grouped(metrics.cycles),
            times(relative.speedup),
            self.ratios(&metrics.ratios),
            times(relative.memory_bytes),
            times(relative.flits),
            percent(metrics.reply_stall_share),
            percent(metrics.l1_hit_share),
            times(relative.energy),
            times(relative.energy_delay),
            names = self.names,
        )
    }

    fn means(&self) -> String {
        let (complete, all) = (self.comparison.complete_rows().len(), self.comparison.rows.len());
        let over = if complete == all {
            String::new()
        } else {
            format!(" over the {complete} of {all} without a failure")
        };
        let mut text = format!("geometric mean{over}\n");
        for (index, scheme) in self.comparison.schemes.iter().enumerate().skip(1) {
            let Some(mean) = self.comparison.mean(index) else { continue };
            text += &format!(
                "{:<names$} {:>12} {:>8}{} {:>9} {:>9} {:>7} {:>7} {:>9} {:>7}\n",
                format!("  {scheme}"),
                "",
                times(mean.speedup),
                self.ratios(&mean.ratios),
                times(mean.memory_bytes),
                times(mean.flits),
                "",
                "",
                times(mean.energy),
                times(mean.energy_delay),
                names = self.names,
            );
        }
        text
    }

    fn ratios(&self, ratios: &[Option<f64>]) -> String {
        self.points
            .iter()
            .map(|&point| format!("{:>11}", ratios[point].map_or(NONE.to_owned(), times)))
            .collect()
    }

    /// What the schemes and the columns are.
    fn descriptions(&self) -> String {
        let mut text = "\n".to_owned();
        for (scheme, description) in self.comparison.schemes.iter().zip(&self.comparison.descriptions) {
            text += &format!("{:<names$} {description}\n", format!("  {scheme}"), names = self.names);
        }
        text + "\nCR: compression ratio. traffic: bytes between controllers and memory. stalls: slices' cycles in which the reply\n\
                network took no reply. EDP: energy times time. Factors are relative to the first scheme.\n"
    }

    /// Why some runs have no numbers.
    fn failures(&self) -> String {
        let mut text = String::new();
        for row in &self.comparison.rows {
            for (scheme, cell) in self.comparison.schemes.iter().zip(&row.cells) {
                if let Err(error) = cell {
                    text += &format!("\n{} with {scheme} failed: {}\n", row.workload, error.trim_end());
                }
            }
        }
        text
    }

    /// What approximation costs in accuracy.
    fn errors(&self) -> String {
        let mut text = String::new();
        for row in &self.comparison.rows {
            for (scheme, cell) in self.comparison.schemes.iter().zip(&row.cells) {
                if let Ok(Metrics { error: Some((metric, error)), .. }) = cell {
                    text += &format!("{} with {scheme}: {metric} error {error:.2e}\n", row.workload);
                }
            }
        }
        if text.is_empty() { text } else { format!("\napproximated results\n{text}") }
    }
}

/// `1.25×`.
pub(super) fn times(factor: f64) -> String {
    format!("{factor:.2}×")
}

/// `12.3 %` of a share from 0 to 1.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `1,234,567`.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1.2 MB`.
pub(super) fn bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes >= 1e9 => format!("{:.2} GB", bytes / 1e9),
        bytes if bytes >= 1e6 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.1} kB", bytes / 1e3),
    }
}

/// `3.4 M`.
pub(super) fn counted(count: f64) -> String {
    match count {
        count if count >= 1e6 => format!("{:.2} M", count / 1e6),
        count if count >= 1e4 => format!("{:.1} k", count / 1e3),
        count => format!("{count:.0}"),
    }
}

/// `1.23 mJ`.
pub(super) fn joules(joules: f64) -> String {
    match joules {
        joules if joules >= 1.0 => format!("{joules:.2} J"),
        joules if joules >= 1e-3 => format!("{:.2} mJ", joules * 1e3),
        joules => format!("{:.1} µJ", joules * 1e6),
    }
}
