//! The GPUs that are part of the program.

use super::catalogue::{Catalogue, Preset};
use super::{ConfigError, GpuSpec, check};

/// All of them, the baseline first.
pub const PRESETS: [Preset; 5] = [
    Preset { name: "gtx480", text: include_str!("../../../../configs/gpus/gtx480.toml") },
    Preset { name: "e2mc-gtx580", text: include_str!("../../../../configs/gpus/e2mc-gtx580.toml") },
    Preset { name: "dsm-fermi", text: include_str!("../../../../configs/gpus/dsm-fermi.toml") },
    Preset { name: "latte-fermi", text: include_str!("../../../../configs/gpus/latte-fermi.toml") },
    Preset { name: "bpc-gtx480", text: include_str!("../../../../configs/gpus/bpc-gtx480.toml") },
];

const CATALOGUE: Catalogue<GpuSpec> =
    Catalogue { what: "GPU", flag: "--gpu", presets: &PRESETS, check: check::check };

/// The preset called `name` with `overrides` of the form `section.key=value`.
pub fn load(name: &str, overrides: &[String]) -> Result<GpuSpec, ConfigError> {
    CATALOGUE.load(name, overrides)
}

/// The GPU that the text of `file` describes, with `overrides` of the form `section.key=value`.
pub fn load_text(file: &str, text: &str, overrides: &[String]) -> Result<GpuSpec, ConfigError> {
    CATALOGUE.load_text(file, text, overrides)
}

#[cfg(test)]
mod tests;
