//! Which codec is at which point of the data path: one TOML file for each scheme.
//!
//! `configs/schemes/none.toml` has every key and explains it; other schemes are `based_on = "none"` and say what differs.
//! A point whose codec is `none` does not exist: the data path is the plain one.

pub use crate::compute::l1::{L1Policy, L1Scheme};
pub use crate::fabric::scheme::PacketScheme;
pub use crate::partition::controller::scheme::{MemoryScheme, TableSource};
pub use crate::partition::l2::L2Scheme;
pub use crate::partition::link::scheme::{LinkKind, LinkScheme};

use serde::{Deserialize, Serialize};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;

use super::ConfigError;
use super::catalogue::Catalogue;
pub use super::presets::SCHEMES;
use crate::base::Point;
use crate::base::setting::{Impossible, check_codec};
pub use crate::base::setting::{Latency, NO_CODEC, Published};

const CATALOGUE: Catalogue<SchemeSpec> =
    Catalogue { what: "scheme", flag: "--scheme", presets: SCHEMES, check };

/// The preset called `name` with `overrides` of the form `section.key=value`.
pub fn load_scheme(name: &str, overrides: &[String]) -> Result<SchemeSpec, ConfigError> {
    CATALOGUE.load(name, overrides)
}

/// The scheme that the text of `file` describes, with `overrides` of the form `section.key=value`.
pub fn load_scheme_text(file: &str, text: &str, overrides: &[String]) -> Result<SchemeSpec, ConfigError> {
    CATALOGUE.load_text(file, text, overrides)
}

/// A whole scheme, as its file describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemeSpec {
    /// What commands and reports call it.
    pub name: String,
    /// What it is, in one line.
    pub description: String,
    /// What may be lost.
    pub approximation: ApproximationScheme,
    /// Lines of the L1 data caches.
    pub l1: L1Scheme,
    /// Read replies between slices and SMs.
    pub packets: PacketScheme,
    /// Lines of the L2 slices.
    pub l2: L2Scheme,
    /// Blocks in memory, compressed by the controller.
    pub memory: MemoryScheme,
    /// Blocks on the link between controller and memory.
    pub link: LinkScheme,
}

/// Lossy regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApproximationScheme {
    /// Least significant bits that the elements of a workload's approximable buffers lose on their way to a warp.
    pub bits: u32,
}

/// The codec of a point that has at most one.
#[derive(Clone, Copy, Debug)]
pub struct PointCodec<'a> {
    /// The point.
    pub point: Point,
    /// Its codec, or `none`.
    pub codec: &'a str,
    /// Cycles to compress and to decompress a block.
    pub cycles: [Latency; 2],
    /// Whether a trained codec gets its tables from the run itself, not from a profiling run.
    pub is_trained_online: bool,
}

impl SchemeSpec {
    /// The codecs of all points but the L1, which may have several.
    pub fn codecs(&self) -> Vec<PointCodec<'_>> {
        let (packets, l2, memory, link) = (&self.packets, &self.l2, &self.memory, &self.link);
        let at = |point, codec, cycles| PointCodec { point, codec, cycles, is_trained_online: false };
        vec![
            at(Point::Packets, &packets.codec, [packets.compress_cycles, packets.decompress_cycles]),
            at(Point::L2, &l2.codec, [l2.compress_cycles, l2.decompress_cycles]),
            PointCodec {
                is_trained_online: memory.tables == TableSource::Online,
                ..at(Point::Memory, &memory.codec, [memory.compress_cycles, memory.decompress_cycles])
            },
            at(Point::Link, &link.codec, [link.compress_cycles, link.decompress_cycles]),
        ]
    }

    /// The trained codecs whose tables must come from a profiling run, by the names of their tables, each once.
    pub fn profiled_codecs(&self) -> Vec<String> {
        let mut specs: Vec<String> = self
            .codecs()
            .into_iter()
            .filter(|at| !at.is_trained_online && at.codec != NO_CODEC)
            .filter_map(|at| CodecSpec::parse(at.codec, BlockBytes::B128).ok())
            .filter(CodecSpec::is_trained)
            .map(|spec| spec.table_name())
            .collect();
        specs.sort();
        specs.dedup();
        specs
    }
}

/// Finds the first codec that does not exist, then what the sections find.
fn check(scheme: &SchemeSpec) -> Result<(), Impossible> {
    for PointCodec { point, codec, .. } in scheme.codecs() {
        check_codec(&format!("{}.codec", point.name()), codec)?;
    }
    scheme.l1.check()?;
    scheme.packets.check()?;
    scheme.l2.check()?;
    scheme.memory.check()?;
    scheme.link.check()?;
    one_codec_for_memory(scheme)
}

/// A block in memory has one encoding: the controller's, or the link's.
fn one_codec_for_memory(scheme: &SchemeSpec) -> Result<(), Impossible> {
    if scheme.memory.codec == NO_CODEC || !scheme.link.is_packetised() {
        return Ok(());
    }
    Err(Impossible {
        key: "memory.codec".to_owned(),
        message: format!("{} in the controllers of a packetised link", scheme.memory.codec),
        help: "blocks behind such a link are stored as link.codec has made them; link.kind = \"gddr5\" keeps the bus"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_well_formed_and_bears_its_name() {
        for preset in SCHEMES {
            let scheme = load_scheme(preset.name, &[]).unwrap();
            assert_eq!(scheme.name, preset.name);
        }
    }

    #[test]
    fn the_baseline_is_first_then_schemes_by_point_then_combinations() {
        let position = |name: &str| SCHEMES.iter().position(|preset| preset.name == name).unwrap();
        let order = ["none", "latte", "static-bdi", "dsm", "bdi-memory", "hmc-link", "latte+dsm"];
        assert_eq!(position("none"), 0);
        assert!(order.map(position).is_sorted(), "{:?}", order.map(position));
    }

    #[test]
    fn a_block_in_memory_has_one_encoding() {
        let error = load_scheme("bpc-link-packed", &["memory.codec=bdi".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("bdi in the controllers of a packetised link"), "{error}");
    }

    #[test]
    fn a_link_needs_bandwidth_and_queues() {
        for (key, message) in [
            ("link.gib_per_second=0", "0 GiB/s"),
            ("link.bandwidth_divider=0", "1 to 1000"),
            ("link.queue_packets=0", "at least 1"),
        ] {
            let error = load_scheme("hmc-link", &[key.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_bus_has_no_codec_of_its_own() {
        let error = load_scheme("none", &["link.codec=bpc".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("bpc on a GDDR5 bus"), "{error}");
    }

    #[test]
    fn a_file_without_a_name_is_called_what_the_file_is() {
        let scheme = load_scheme_text("studies/mine.toml", "based_on = \"latte\"\n", &[]).unwrap();
        assert_eq!(scheme.name, "mine");
    }

    #[test]
    fn a_name_that_means_something_else_is_refused() {
        for (file, text, words) in [
            ("a.toml", "based_on = \"latte\"\nname = \"none\"\n", "a.toml:2: name: \"none\" is a preset"),
            ("a.toml", "based_on = \"latte\"\nname = \"\"\n", "name: is empty"),
            ("a.toml", "based_on = \"latte\"\nname = \"\\u001b[31mred\"\n", "name: has control characters"),
            ("dsm.toml", "based_on = \"none\"\n", "name: \"dsm\" is a preset"),
        ] {
            let error = load_scheme_text(file, text, &[]).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
