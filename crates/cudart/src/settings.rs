//! What the environment asks for.
//!
//! | variable                   | value                                                                             |
//! |----------------------------|------------------------------------------------------------------------------------|
//! | `SHRINKWARP_GPU`           | GPU to simulate: a preset or a path to a `.toml` file; `gtx480` without it          |
//! | `SHRINKWARP_SCHEME`        | which codec is where: a scheme or a path to a `.toml` file; `none` without it     |
//! | `SHRINKWARP_SET`           | fields of the GPU or the scheme to change, `key=value`, separated by `;`            |
//! | `SHRINKWARP_TABLES`        | tables of trained codecs, as `shrinkwarp profile` writes them                       |
//! | `SHRINKWARP_VERIFY`        | `1`: decompress every compressed block and compare                                  |
//! | `SHRINKWARP_ENERGY`        | energy figures: a set or a path to a `.toml` file; that of the GPU's class without it |
//! | `SHRINKWARP_NO_TIMING`     | `1`: results only, without cycles                                                   |
//! | `SHRINKWARP_RESULT`        | file for what happened, as JSON; `%p` in it becomes the number of the process       |
//! | `SHRINKWARP_PROFILE`       | file for a sample of the blocks that cross the DRAM link; `%p` as above             |
//! | `SHRINKWARP_SAMPLE_CYCLES` | core cycles between two samples of the time series in the result                    |
//! | `SHRINKWARP_PROGRESS`      | `1`: show on a terminal how far a kernel is                                         |
//! | `SHRINKWARP_APPROXIMABLE`  | allocations that may be approximated, `number:format:bits`, separated by `,`        |
//! | `SHRINKWARP_STRAY_READS`   | where no memory is kernels read zeros within a page (`page`), always (`zero`), or stop (`fault`) |
//! | `SHRINKWARP_STRAY_WRITES`  | the same for writes, which go nowhere: `page`, `drop`, `fault`                      |
//! | `SHRINKWARP_SPACING`       | `pages`: allocations lie as CUDA's driver places them; `packed` without it          |
//! | `SHRINKWARP_THREADS`       | threads of the simulation; the results are the same with any number of them         |
//! | `SHRINKWARP_MAX_INSTRUCTIONS` | thread instructions after which a launch is stopped                              |
//!
//! Allocations are counted from 0 in the order of the program's device allocations; `2:f32:8` lets loads see the third
//! one's 32-bit floats without their 8 low bits.

use std::path::{Path, PathBuf};

use shrinkwarp_codec::transform::FloatFormat;
use shrinkwarp_emu::memory::{Spacing, Stray};
use shrinkwarp_machine::configuration::{ENERGY_OF_GPU, energy_set_for, gpu_with, scheme_with};
use shrinkwarp_machine::tables;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::energy::EnergySet;
use shrinkwarp_sim::scheme::Scheme;
use shrinkwarp_sim::threads::Threads;

/// GPU without a wish.
pub const DEFAULT_GPU: &str = "gtx480";
/// Scheme without a wish.
pub const DEFAULT_SCHEME: &str = "none";

/// What was requested, checked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// GPU to simulate.
    pub gpu: GpuSpec,
    /// Which codec is where.
    pub scheme: Scheme,
    /// Fields of both that were changed.
    pub overrides: Vec<String>,
    /// Energy figures.
    pub energy: EnergySet,
    /// Compute only.
    pub is_without_timing: bool,
    /// Where the result goes.
    pub result: Option<PathBuf>,
    /// Where a sample of the traffic to and from DRAM goes.
    pub profile: Option<PathBuf>,
    /// Core cycles between two samples of the time series.
    pub sample_cycles: Option<u64>,
    /// Show progress.
    pub shows_progress: bool,
    /// Allocations that may be approximated.
    pub approximable: Vec<Approximable>,
    /// What kernels may do where no memory is.
    pub stray: StrayAccesses,
    /// How allocations follow each other.
    pub spacing: Spacing,
    /// Thread instructions that a launch may take.
    pub max_thread_instructions: Option<u64>,
    /// Threads of the simulation.
    pub threads: Threads,
}

/// What kernels may do beside their allocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrayAccesses {
    /// Where reads give zeros.
    pub reads: Stray,
    /// Where writes go nowhere.
    pub writes: Stray,
}

/// An allocation that may be approximated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approximable {
    /// Which allocation, from 0.
    pub number: u64,
    /// What its elements are.
    pub element: FloatFormat,
    /// Low bits that loads do not see.
    pub bits: u32,
}

impl Settings {
    /// Reads variables with `lookup`; a mistake names the variable.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let value = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let is_set = |name: &str| value(name).is_some_and(|value| value != "0");
        let split = |name: &str, separator: char| -> Vec<String> {
            let value = value(name).unwrap_or_default();
            value.split(separator).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let named = |name: &str, default: &str| value(name).unwrap_or_else(|| default.into());
        let number = |name: &str| -> Result<Option<u64>, String> {
            let parse = |text: String| {
                let parsed = text.parse().ok().filter(|&number| number > 0);
                parsed.ok_or_else(|| format!("{name}: {text:?} is not a number from 1"))
            };
            value(name).map(parse).transpose()
        };
        let overrides = split("SHRINKWARP_SET", ';');
        let tables = value("SHRINKWARP_TABLES")
            .map(|path| tables::read(Path::new(&path)))
            .transpose()
            .map_err(|error| format!("SHRINKWARP_TABLES: {error}"))?
            .unwrap_or_default();
        let scheme = scheme_with(&named("SHRINKWARP_SCHEME", DEFAULT_SCHEME), &overrides)
            .map_err(|error| format!("SHRINKWARP_SCHEME: {error}"))?;
        let approximable: Result<Vec<_>, String> =
            split("SHRINKWARP_APPROXIMABLE", ',').iter().map(|text| Approximable::parse(text)).collect();
        let gpu = gpu_with(&named("SHRINKWARP_GPU", DEFAULT_GPU), &overrides)
            .map_err(|error| format!("SHRINKWARP_GPU: {error}"))?;
        let energy = energy_set_for(&named("SHRINKWARP_ENERGY", ENERGY_OF_GPU), &gpu)
            .map_err(|error| format!("SHRINKWARP_ENERGY: {error}"))?;
        Ok(Self {
            gpu,
            scheme: Scheme::build(scheme, &tables, is_set("SHRINKWARP_VERIFY"))
                .map_err(|error| format!("SHRINKWARP_SCHEME: {error}; give them with SHRINKWARP_TABLES"))?,
            overrides,
            energy,
            is_without_timing: is_set("SHRINKWARP_NO_TIMING"),
            result: value("SHRINKWARP_RESULT").map(|path| result_path(&path)),
            profile: value("SHRINKWARP_PROFILE").map(|path| result_path(&path)),
            sample_cycles: number("SHRINKWARP_SAMPLE_CYCLES")?,
            shows_progress: is_set("SHRINKWARP_PROGRESS"),
            approximable: approximable?,
            stray: StrayAccesses {
                reads: stray("SHRINKWARP_STRAY_READS", &named("SHRINKWARP_STRAY_READS", "page"), "zero")?,
                writes: stray("SHRINKWARP_STRAY_WRITES", &named("SHRINKWARP_STRAY_WRITES", "page"), "drop")?,
            },
            spacing: match named("SHRINKWARP_SPACING", "packed").as_str() {
                "pages" => Spacing::Pages,
                "packed" => Spacing::Packed,
                other => return Err(format!("SHRINKWARP_SPACING: {other:?} is neither packed nor pages")),
            },
            max_thread_instructions: number("SHRINKWARP_MAX_INSTRUCTIONS")?,
            threads: match value("SHRINKWARP_THREADS") {
                None => Threads::default(),
                Some(text) => match text.parse::<usize>() {
                    Ok(count @ 1..=256) => Threads::new(count),
                    _ => return Err(format!("SHRINKWARP_THREADS: {text:?} is not a number from 1 to 256")),
                },
            },
        })
    }
}

impl Approximable {
    fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let parsed = (|| {
            let number = parts.next()?.parse().ok()?;
            let name = parts.next()?;
            let element = FloatFormat::ALL.into_iter().find(|format| format.name() == name)?;
            let bits = parts.next()?.parse().ok()?;
            Some(Self { number, element, bits })
        })();
        match (parsed, parts.next()) {
            (Some(found), None) => Ok(found),
            _ => Err(format!("SHRINKWARP_APPROXIMABLE: {text:?} is not number:format:bits, as in 2:f32:8")),
        }
    }
}

/// Programs may start programs: each has a result of its own.
fn result_path(path: &str) -> PathBuf {
    path.replace("%p", &std::process::id().to_string()).into()
}

/// Where accesses beside all allocations are allowed; `anywhere` is the word for all of them.
fn stray(variable: &str, value: &str, anywhere: &str) -> Result<Stray, String> {
    match value {
        "page" => Ok(Stray::InPages),
        "fault" => Ok(Stray::Nowhere),
        _ if value == anywhere => Ok(Stray::Anywhere),
        _ => Err(format!("{variable}: {value:?} is none of page, {anywhere}, fault")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::read(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn without_variables_it_is_a_gtx_480_with_time() {
        let settings = with(&[]).unwrap();
        assert_eq!(settings.gpu.name, "gtx480");
        assert!(!settings.is_without_timing && settings.result.is_none());
    }

    #[test]
    fn fields_and_allocations_come_as_lists() {
        let settings = with(&[
            ("SHRINKWARP_SET", "sm.count=3; l1.size_kib=48"),
            ("SHRINKWARP_APPROXIMABLE", "0:f32:8,2:f64:16"),
        ])
        .unwrap();
        assert_eq!((settings.gpu.sm.count, settings.gpu.l1.size_kib), (3, 48));
        assert_eq!(settings.approximable[1], Approximable { number: 2, element: FloatFormat::F64, bits: 16 });
    }

    #[test]
    fn a_mistake_names_the_variable() {
        let message = with(&[("SHRINKWARP_GPU", "gtx481")]).unwrap_err();
        assert!(message.starts_with("SHRINKWARP_GPU: ") && message.contains("gtx480"), "{message}");
        let message = with(&[("SHRINKWARP_APPROXIMABLE", "2:f33:8")]).unwrap_err();
        assert!(message.contains("2:f32:8"), "{message}");
    }

    #[test]
    fn stray_accesses_and_spacing_have_few_values() {
        let settings = with(&[("SHRINKWARP_STRAY_READS", "zero"), ("SHRINKWARP_SPACING", "pages")]).unwrap();
        assert_eq!(settings.stray, StrayAccesses { reads: Stray::Anywhere, writes: Stray::InPages });
        assert_eq!(settings.spacing, Spacing::Pages);
        let writes =
            |value| with(&[("SHRINKWARP_STRAY_WRITES", value)]).map(|settings| settings.stray.writes);
        assert_eq!(writes("drop").unwrap(), Stray::Anywhere);
        assert_eq!(writes("fault").unwrap(), Stray::Nowhere);
        assert!(writes("zero").unwrap_err().contains("none of page, drop, fault"));
        assert!(
            with(&[("SHRINKWARP_STRAY_READS", "one")]).unwrap_err().contains("none of page, zero, fault")
        );
        assert!(with(&[("SHRINKWARP_SPACING", "far")]).unwrap_err().contains("neither packed nor pages"));
    }

    #[test]
    fn every_process_has_a_result_of_its_own() {
        let path = with(&[("SHRINKWARP_RESULT", "/x/%p.json")]).unwrap().result.unwrap();
        assert_eq!(path, PathBuf::from(format!("/x/{}.json", std::process::id())));
    }
}
