//! The machines that the reference simulator was configured as, and what it measured on each.
//!
//! | machine | first set        | one change at a time         | second set  |
//! |---------|------------------|------------------------------|-------------|
//! | hashed  | `hashed.csv`     | `hashed-sensitivity.csv`     | `paths.csv` |
//! | linear  | `results.csv`    | `sensitivity.csv`            | two cases   |
//!
//! The files are in `reference/`; its `README.md` explains the columns.

use crate::config::{self, ConfigError, GpuSpec};

/// The GPU whose file describes the reference's configuration.
const GPU: &str = "gtx480";

const HASHED_CSV: &str = include_str!("../../reference/hashed.csv");
const HASHED_SENSITIVITY_CSV: &str = include_str!("../../reference/hashed-sensitivity.csv");
const LINEAR_CSV: &str = include_str!("../../reference/results.csv");
const LINEAR_SENSITIVITY_CSV: &str = include_str!("../../reference/sensitivity.csv");
/// Its first column is the machine.
const PATHS_CSV: &str = include_str!("../../reference/paths.csv");

/// A configuration of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// The L1D's set index as in the public tree of GPGPU-Sim 3.2.2 since July 2014.
    Hashed,
    /// The L1D's set index as in 3.2.2's release of October 2013.
    Linear,
}

impl Machine {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Hashed, Self::Linear];

    /// Its name in `paths.csv` and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hashed => "hashed",
            Self::Linear => "linear",
        }
    }

    /// The GPU with this set index and further `changes`, written `section.key=value`.
    pub fn spec(self, changes: &[&str]) -> Result<GpuSpec, ConfigError> {
        let index = format!("l1.set_index={}", self.name());
        let overrides: Vec<String> =
            std::iter::once(index).chain(changes.iter().map(ToString::to_string)).collect();
        config::load(GPU, &overrides)
    }

    /// A column of the reference's tables for one case, if it was measured.
    pub fn measured(self, case: &str, column: &str) -> Option<&'static str> {
        let table = match self {
            Self::Hashed => HASHED_CSV,
            Self::Linear => LINEAR_CSV,
        };
        field(table, &[case], column).or_else(|| field(PATHS_CSV, &[self.name(), case], column))
    }

    /// What the reference measured with one change at a time: rows of variant, case, cycles, speedup.
    pub(super) fn sensitivity_csv(self) -> &'static str {
        match self {
            Self::Hashed => HASHED_SENSITIVITY_CSV,
            Self::Linear => LINEAR_SENSITIVITY_CSV,
        }
    }
}

/// A field of the row that starts with `key`.
fn field(table: &'static str, key: &[&str], column: &str) -> Option<&'static str> {
    let mut lines = table.lines();
    let index = lines.next()?.split(',').position(|name| name == column)?;
    let row = lines.find(|line| line.split(',').take(key.len()).eq(key.iter().copied()))?;
    row.split(',').nth(index)
}
