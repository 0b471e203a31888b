//! The GPUs that are part of the program.

use super::catalogue::Catalogue;
use super::{ConfigError, GPUS, GpuSpec, check};

const CATALOGUE: Catalogue<GpuSpec> =
    Catalogue { what: "GPU", flag: "--gpu", presets: GPUS, check: check::check };

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
