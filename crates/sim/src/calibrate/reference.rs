//! The machines that the reference simulator was configured as, and what it measured on each.
//!
//! | machine | first set        | one change at a time         | second set  |
//! |---------|------------------|------------------------------|-------------|
//! | hashed  | `hashed.csv`     | `hashed-sensitivity.csv`     | `paths.csv` |
//! | linear  | `results.csv`    | `sensitivity.csv`            | two cases   |
//! | volta   | `volta.csv`      | `volta-sensitivity.csv`      |             |
//!
//! The files are in `reference/`; its `README.md` explains the columns.

use crate::config::{self, ConfigError, GpuSpec};

/// The GPUs whose files describe the reference's configurations.
const FERMI: &str = "gtx480";
const VOLTA: &str = "v100";

const HASHED_CSV: &str = include_str!("../../reference/hashed.csv");
const HASHED_SENSITIVITY_CSV: &str = include_str!("../../reference/hashed-sensitivity.csv");
const LINEAR_CSV: &str = include_str!("../../reference/results.csv");
const LINEAR_SENSITIVITY_CSV: &str = include_str!("../../reference/sensitivity.csv");
const VOLTA_CSV: &str = include_str!("../../reference/volta.csv");
const VOLTA_SENSITIVITY_CSV: &str = include_str!("../../reference/volta-sensitivity.csv");
/// Its first column is the machine.
const PATHS_CSV: &str = include_str!("../../reference/paths.csv");

/// A configuration of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// The L1D's set index as in the public tree of GPGPU-Sim 3.2.2 since July 2014.
    Hashed,
    /// The L1D's set index as in 3.2.2's release of October 2013.
    Linear,
    /// GPGPU-Sim 4.2's Volta, with cold caches and without launch latency.
    Volta,
}

impl Machine {
    /// Those of Fermi.
    pub const FERMI: [Self; 2] = [Self::Hashed, Self::Linear];

    /// The machines of the GPU called `name`; none if the reference measured nothing on it.
    pub fn of_gpu(name: &str) -> &'static [Self] {
        match name {
            FERMI => &Self::FERMI,
            VOLTA => &[Self::Volta],
            _ => &[],
        }
    }

    /// Its name in `paths.csv` and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hashed => "hashed",
            Self::Linear => "linear",
            Self::Volta => VOLTA,
        }
    }

    /// What a table of its cases is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::Hashed => "L1D with hashed set index",
            Self::Linear => "L1D with linear set index",
            Self::Volta => "Volta (v100), cold caches",
        }
    }

    /// The GPU with further `changes`, written `section.key=value`.
    pub fn spec(self, changes: &[&str]) -> Result<GpuSpec, ConfigError> {
        let (gpu, index) = match self {
            Self::Hashed | Self::Linear => (FERMI, Some(format!("l1.set_index={}", self.name()))),
            Self::Volta => (VOLTA, None),
        };
        let overrides: Vec<String> =
            index.into_iter().chain(changes.iter().map(ToString::to_string)).collect();
        config::load(gpu, &overrides)
    }

    /// A column of the reference's tables for one case, if it was measured.
    pub fn measured(self, case: &str, column: &str) -> Option<&'static str> {
        let table = match self {
            Self::Hashed => HASHED_CSV,
            Self::Linear => LINEAR_CSV,
            Self::Volta => VOLTA_CSV,
        };
        field(table, &[case], column).or_else(|| field(PATHS_CSV, &[self.name(), case], column))
    }

    /// What the reference measured with one change at a time: rows of variant, case, cycles, speedup.
    pub(super) fn sensitivity_csv(self) -> &'static str {
        match self {
            Self::Hashed => HASHED_SENSITIVITY_CSV,
            Self::Linear => LINEAR_SENSITIVITY_CSV,
            Self::Volta => VOLTA_SENSITIVITY_CSV,
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
