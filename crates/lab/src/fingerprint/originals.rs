//! What was measured of the original programs, and what our workloads must be given to match.

use std::sync::LazyLock;

use super::columns::{COLUMNS, Columns};

/// The measurements; `reference/README.md` explains them.
const CSV: &str = include_str!("../../reference/originals.csv");

/// The machines of the file whose presets have changed since: name there, preset, changes that give the old machine.
const MACHINES: [(&str, &str, &[&str]); 3] = [
    ("gtx480", "gtx480", &["l1.set_index=linear", LIVE_WORDS]),
    ("e2mc-gtx580", "e2mc-gtx580-192", &old_e2mc("clocks.interconnect_mhz=822")),
    ("e2mc-gtx580@icnt1644", "e2mc-gtx580-192", &old_e2mc("clocks.interconnect_mhz=1644")),
];

/// The originals had a register for each word that their PTX has live at once.
const LIVE_WORDS: &str = "sm.register_counts=live_words";

/// What `e2mc-gtx580` was before it had the network and the L2 of GPGPU-Sim 3.2.1.
const fn old_e2mc(interconnect: &'static str) -> [&'static str; 8] {
    [
        interconnect,
        LIVE_WORDS,
        "interconnect.vc_allocation_cycles=1",
        "l2.ways=8",
        "l2.port_bytes=32",
        "dram.return_queue_packets=116",
        "dram.admission=credits",
        "dram.address_map=RRRRRRRRRRRR.BBBCCCCB.CCCSSSSS",
    ]
}

/// What our workloads are given to have the inputs of the originals, at paper scale where no size is given: data set, size
/// in the workload's own measure, launches after which the original was cut off.
const INPUTS: [(&str, SameInput); 44] = [
    ("atax", SameInput::of(512)),
    ("backprop", SameInput::of(65_536)),
    ("bc", SameInput::of(1024).cut_after(29)),
    ("bfs", SameInput::of(65_536)),
    ("bfs-worklist", SameInput::of(1 << 17).from("lonestar")),
    ("bicg", SameInput::of(512)),
    ("binomial", SameInput::of(128)),
    ("coloring", SameInput::of(400)),
    ("conv-separable", SameInput::of(768)),
    ("conv2d", SameInput::of(1024)),
    ("cutcp", SameInput::of(4)),
    ("dijkstra-ell", SameInput::of(256).cut_after(34)),
    ("dwt2d", SameInput::of(384)),
    ("floyd-warshall", SameInput::of(256).cut_after(23)),
    ("fwt", SameInput::of(18)),
    ("gaussian", SameInput::of(208)),
    ("histogram", SameInput::PAPER),
    ("hotspot", SameInput::of(512)),
    ("hybridsort", SameInput::of(65_536)),
    ("kmeans", SameInput::of(20_000).cut_after(3)),
    ("lavamd", SameInput::PAPER),
    ("lbm", SameInput::PAPER),
    ("libor", SameInput::of(10)),
    ("lud", SameInput::of(256)),
    ("matmul", SameInput::of(256)),
    ("mis", SameInput::of(400)),
    ("mri-q", SameInput::of(512)),
    ("mummer", SameInput::of(50_000)),
    ("needleman-wunsch", SameInput::of(1024)),
    ("pagerank", SameInput::of(60_000).cut_after(8)),
    ("pageview-count", SameInput::of(1 << 17).cut_after(17)),
    ("pageview-rank", SameInput::of(100_000).cut_after(23)),
    ("particle-filter", SameInput::of(1000)),
    ("pathfinder", SameInput::PAPER),
    ("reduction", SameInput::of(1 << 20)),
    ("sad", SameInput::PAPER),
    ("scalar-prod", SameInput::PAPER),
    ("scan", SameInput::of(1 << 20)),
    ("similarity-score", SameInput::of(256).cut_after(11)),
    ("spmv", SameInput::of(16_384).from("csr-scalar")),
    ("srad", SameInput { data: Some("v1"), size: None, launches: None }),
    ("streamcluster", SameInput::PAPER),
    ("transpose", SameInput::of(512)),
    ("wordcount", SameInput::of(86_000)),
];

/// The input of an original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameInput {
    /// Data set of our workload; its default if none is named.
    pub data: Option<&'static str>,
    /// Size in the workload's own measure.
    pub size: Option<usize>,
    /// Launches that were measured.
    pub launches: Option<u64>,
}

impl SameInput {
    /// The default data set at paper scale.
    const PAPER: Self = Self { data: None, size: None, launches: None };

    const fn of(size: usize) -> Self {
        Self { data: None, size: Some(size), launches: None }
    }

    const fn from(self, data: &'static str) -> Self {
        Self { data: Some(data), ..self }
    }

    const fn cut_after(self, launches: u64) -> Self {
        Self { launches: Some(launches), ..self }
    }
}

/// The input that a workload's original was measured with, where our workload can have it.
pub fn same_input(workload: &str) -> Option<SameInput> {
    INPUTS.iter().find(|(name, _)| *name == workload).map(|(_, input)| *input)
}

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

/// The preset and the changes that a machine of the file means; any other name is a preset or a file itself.
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
        assert_eq!(originals().len(), 58);
        for row in originals() {
            assert!(shrinkwarp_workloads::find(&row.workload).is_some(), "{row:?}");
            let measured = COLUMNS.iter().filter(|column| row.columns.contains_key(*column)).count();
            assert!(measured >= COLUMNS.len() - 2, "{row:?}");
            assert!(MACHINES.iter().any(|(name, ..)| *name == row.machine), "{row:?}");
        }
    }

    #[test]
    fn every_input_is_of_an_original_and_names_a_data_set() {
        assert!(INPUTS.is_sorted_by_key(|(name, _)| *name));
        for (name, input) in INPUTS {
            assert!(original_of(name, "gtx480").is_some(), "{name}");
            let workload = shrinkwarp_workloads::find(name).unwrap();
            assert!(input.data.is_none_or(|data| workload.data_set(data).is_some()), "{name}: {input:?}");
        }
    }

    #[test]
    fn a_comma_in_quotes_does_not_end_a_field() {
        assert_eq!(fields(r#"bc,Pannotia,"a, b",7"#), ["bc", "Pannotia", "a, b", "7"]);
        assert_eq!(original_of("bc", "gtx480").unwrap().columns["launches"], 29.0);
    }
}
