//! What was measured of the original programs, and what our workloads must be given to match.

use std::sync::LazyLock;

use super::columns::{COLUMNS, Columns};

/// The measurements; `reference/README.md` explains them.
const CSV: &str = include_str!("../../../../reference/originals.csv");

/// The machines of the file whose presets have changed since: name there, preset, changes that give the old machine.
const MACHINES: [(&str, &str, &[&str]); 3] = [
    ("gtx480", "gtx480", &[]),
    ("e2mc-gtx580", "e2mc-gtx580", &[]),
    ("e2mc-gtx580@icnt1644", "e2mc-gtx580", &["clocks.interconnect_mhz=1644"]),
];

/// One row of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Original {
    /// Our workload.
    pub workload: String,
    /// The suite that the original is from.
    pub suite: String,
    /// The input that it was given.
    pub input: String,
    /// The machine.
    pub machine: String,
    /// What was measured.
    pub columns: Columns,
}

/// Every row.
pub fn originals() -> &'static [Original] {
    static ROWS: LazyLock<Vec<Original>> = LazyLock::new(|| parse(CSV));
    &ROWS
}

/// The original of a workload on a machine.
pub fn original_of(workload: &str, machine: &str) -> Option<&'static Original> {
    originals().iter().find(|row| row.workload == workload && row.machine == machine)
}

/// The preset and the changes that a machine of the file stands for; any other name is a preset or a file itself.
pub fn machine(name: &str) -> (String, Vec<String>) {
    let known = MACHINES.iter().find(|(known, ..)| *known == name);
    known.map_or((name.to_owned(), Vec::new()), |(_, gpu, changes)| {
        ((*gpu).to_owned(), changes.iter().map(|&change| change.to_owned()).collect())
    })
}

fn parse(csv: &str) -> Vec<Original> {
    let mut lines = csv.lines().map(fields);
    let header = lines.next().unwrap_or_default();
    let index = |name: &str| header.iter().position(|column| column == name);
    lines
        .map(|row| {
            let text = |name: &str| index(name).and_then(|at| row.get(at)).cloned().unwrap_or_default();
            let number = |&column: &&'static str| Some((column, text(column).parse::<f64>().ok()?));
            // "bfs-worklist (E2MC BFS2)": the workload, then which of the papers' programs it is.
            let workload = text("workload").split(' ').next().unwrap_or_default().to_owned();
            Original {
                workload,
                suite: text("original"),
                input: text("input"),
                machine: text("gpu"),
                columns: COLUMNS.iter().filter_map(number).collect(),
            }
        })
        .collect()
}

/// The fields of a line; commas inside double quotes belong to a field.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().map_or((), |field| field.push(character)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_workload_and_has_every_column_but_the_speedups() {
        assert_eq!(originals().len(), 37);
        for row in originals() {
            assert!(shrinkwarp_workloads::find(&row.workload).is_some(), "{row:?}");
            let measured = COLUMNS.iter().filter(|column| row.columns.contains_key(*column)).count();
            assert!(measured >= COLUMNS.len() - 2, "{row:?}");
            assert!(MACHINES.iter().any(|(name, ..)| *name == row.machine), "{row:?}");
        }
    }

    #[test]
    fn a_comma_in_quotes_does_not_end_a_field() {
        assert_eq!(fields(r#"bc,Pannotia,"a, b",7"#), ["bc", "Pannotia", "a, b", "7"]);
        assert_eq!(original_of("bc", "gtx480").unwrap().columns["launches"], 29.0);
    }
}
