//! GPUs, schemes and energy sets by name or from a file.
//!
//! A change of a single key is `section.key=value` for the GPU and `scheme.section.key=value` for the scheme.

use std::path::Path;

use shrinkwarp_formats::files;
use shrinkwarp_report::toml_words::plain;
use shrinkwarp_sim::config::scheme::{SchemeSpec, load_scheme, load_scheme_text};
use shrinkwarp_sim::config::{self, ConfigError, GpuSpec};
use shrinkwarp_sim::energy::{EnergySet, default_energy, load_energy, load_energy_text};

/// Where the keys of the scheme begin among the changes; all others are the GPU's.
const SCHEME_PREFIX: &str = "scheme.";
/// How an error begins that is about a change.
const CHANGE: &str = "--set ";

/// The GPU called `name` (a preset, or a path to a file), with those of the changes that are the GPU's.
pub fn gpu_with(name: &str, changes: &[String]) -> Result<GpuSpec, ConfigError> {
    let changes = gpu_changes(changes);
    let gpu = match file_text(name)? {
        Some(text) => config::load_text(name, &text, &changes),
        None => config::load(name, &changes),
    };
    gpu.map_err(in_plain_words)
}

/// The scheme called `name` (a preset, or a path to a file), with those of the changes that are the scheme's.
pub fn scheme_with(name: &str, changes: &[String]) -> Result<SchemeSpec, ConfigError> {
    let changes = scheme_changes(changes);
    let scheme = match file_text(name)? {
        Some(text) => load_scheme_text(name, &text, &changes),
        None => load_scheme(name, &changes),
    };
    scheme.map_err(|error| {
        let mut error = in_plain_words(error);
        // The GPU has keys of the same names, so a change is shown as it was given.
        if let Some(change) = error.file.strip_prefix(CHANGE) {
            error.file = format!("{CHANGE}{SCHEME_PREFIX}{change}").into();
        }
        error
    })
}

/// The name of the energy set of the GPU's class.
pub const ENERGY_OF_GPU: &str = "gpu";

/// The energy set called `name`, or of a file, or of the GPU's class if that is what the name says.
pub fn energy_set_for(name: &str, gpu: &GpuSpec) -> Result<EnergySet, ConfigError> {
    if name == ENERGY_OF_GPU {
        return load_energy(default_energy(gpu.compute_capability));
    }
    energy_set(name)
}

/// The energy set called `name`, or of a file.
pub fn energy_set(name: &str) -> Result<EnergySet, ConfigError> {
    let set = match file_text(name)? {
        Some(text) => load_energy_text(name, &text),
        None => load_energy(name),
    };
    set.map_err(in_plain_words)
}

/// What the reader of the file says, without the names of its types.
fn in_plain_words(mut error: ConfigError) -> ConfigError {
    let (message, advice) = plain(&error.message);
    error.message = message.into();
    error.help = advice.map(Into::into).or(error.help);
    error
}

/// The changes among these that are the GPU's.
pub fn gpu_changes(changes: &[String]) -> Vec<String> {
    changes.iter().filter(|text| of_scheme(text).is_none()).cloned().collect()
}

/// The changes among these that are the scheme's, without their prefix.
pub fn scheme_changes(changes: &[String]) -> Vec<String> {
    changes.iter().filter_map(|text| of_scheme(text)).map(str::to_owned).collect()
}

/// A change of the scheme without its prefix.
fn of_scheme(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix(SCHEME_PREFIX)
}

/// The text of a file, if the name is a path rather than the name of a preset.
fn file_text(name: &str) -> Result<Option<String>, ConfigError> {
    let is_path = Path::new(name).extension().is_some() || name.contains('/');
    if !is_path {
        return Ok(None);
    }
    files::read_text(Path::new(name), files::MOST_DESCRIPTION_BYTES)
        .map(Some)
        .map_err(|error| ConfigError::in_file(name, format!("cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_go_to_the_gpu_or_to_the_scheme() {
        let changes = ["l1.size_kib=48".to_owned(), "scheme.packets.codec=\"bpc\"".to_owned()];
        assert_eq!(gpu_with("gtx480", &changes).unwrap().l1.size_kib, 48);
        assert_eq!(scheme_with("none", &changes).unwrap().packets.codec, "bpc");
    }

    #[test]
    fn a_gpu_has_the_energy_set_of_its_class_unless_another_is_named() {
        for (gpu, expected) in [
            ("gtx480", "gpuwattch-gtx480"),
            ("e2mc-gtx580", "gpuwattch-gtx480"),
            ("v100", "volta"),
            ("a100", "volta"),
            ("h100-pcie", "volta"),
            ("rtx-3070", "volta"),
        ] {
            let gpu = gpu_with(gpu, &[]).unwrap();
            assert_eq!(energy_set_for(ENERGY_OF_GPU, &gpu).unwrap().name, expected, "{}", gpu.name);
            assert_eq!(energy_set_for("hbm2", &gpu).unwrap().name, "hbm2");
        }
    }

    #[test]
    fn a_wrong_change_of_the_scheme_is_shown_with_its_prefix() {
        let error = scheme_with("none", &["scheme.packets.kodec=bpc".to_owned()]).unwrap_err().to_string();
        assert!(error.starts_with("--set scheme.packets.kodec=bpc"), "{error}");
    }

    #[test]
    fn a_wrong_value_is_told_in_the_words_of_the_file() {
        let error = gpu_with("gtx480", &["sm.scheduler=fifo".to_owned()]).unwrap_err().to_string();
        let expected =
            "--set sm.scheduler=fifo: sm.scheduler: \"fifo\" is not allowed; allowed: gto, lrr, two_level";
        assert_eq!(error, expected);
        let error = gpu_with("gtx480", &["sm.count=many".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("expected integer, found string \"many\""), "{error}");
    }

    #[test]
    fn an_endless_file_is_refused() {
        let error = gpu_with("/dev/zero", &[]).unwrap_err().to_string();
        assert!(error.contains("is larger than 16 MiB"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = gpu_with("no/such.toml", &[]).unwrap_err().to_string();
        assert!(error.starts_with("no/such.toml: cannot be read"), "{error}");
    }
}
