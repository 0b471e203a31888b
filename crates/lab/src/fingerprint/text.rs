//! Fingerprints as tables.

use super::columns::Allowance;
use super::comparison::{Comparison, Difference};

impl Comparison {
    /// One workload: a line for each column, the original beside ours.
    pub fn text(&self) -> String {
        let spec = &self.ours.measurement.spec;
        let (gpu, changes) = self.ours.measurement.machine();
        let machine = changes.iter().fold(gpu, |text, change| format!("{text} --set {change}"));
        let size = self.ours.measurement.size.map_or(String::new(), |size| format!(", size {size}"));
        let mut text = format!("{}: {} scale{size}, on {machine}\n", spec.subject.name(), spec.scale.name());
        match self.original {
            Some(original) => text += &format!("original: {}, {}\n", original.suite, original.input),
            None => text += &format!("original: not measured on {}\n", spec.gpu),
        }
        text += &format!(
            "  {:<20} {:>13} {:>13} {:>12} {:>10}\n",
            "column", "original", "ours", "difference", "allowed"
        );
        for difference in self.differences() {
            text += &row(&difference);
        }
        text += "  DRAM traffic compresses:";
        for ratio in &self.ours.ratios {
            text += &format!(" {} {:.2}", ratio.codec, ratio.raw_ratio);
        }
        text + "\n" + &self.kernels()
    }

    /// Launches and thread instructions by kernel.
    fn kernels(&self) -> String {
        let mut kernels: Vec<(&str, u64, u64)> = Vec::new();
        for launch in &self.ours.launches {
            match kernels.iter_mut().find(|(name, ..)| *name == launch.kernel) {
                Some((_, launches, instructions)) => {
                    *launches += 1;
                    *instructions += launch.thread_instructions;
                }
                None => kernels.push((&launch.kernel, 1, launch.thread_instructions)),
            }
        }
        let mut text = format!("  {:<28} {:>9} {:>16}\n", "kernel", "launches", "thread_insn");
        for (name, launches, instructions) in kernels {
            text += &format!("  {name:<28} {launches:>9} {instructions:>16}\n");
        }
        text
    }
}

fn row(difference: &Difference) -> String {
    let cell = |value: Option<f64>| value.map_or("–".to_owned(), show);
    let (apart, allowed) = match difference.allowance {
        Some(Allowance::Points(limit)) => {
            (difference.value().map(|points| format!("{points:+.1} pt")), format!("{limit:.0} pt"))
        }
        other => {
            let allowed = match other {
                Some(Allowance::Share(limit)) => format!("{:.0} %", 100.0 * limit),
                _ => String::new(),
            };
            (difference.value().map(|share| format!("{:+.1} %", 100.0 * share)), allowed)
        }
    };
    let mark = if difference.is_within() == Some(false) { "  outside" } else { "" };
    let line = format!(
        "  {:<20} {:>13} {:>13} {:>12} {:>10}{mark}",
        difference.column,
        cell(difference.original),
        cell(difference.ours),
        apart.unwrap_or_default(),
        allowed,
    );
    line.trim_end().to_owned() + "\n"
}

/// Counts whole, everything else with two decimals.
fn show(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
