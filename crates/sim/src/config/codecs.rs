//! What codecs cost, from `configs/codecs.toml`, which is part of the program.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::base::Point;
use crate::base::codec_costs::{CodecCosts, Cycles};

const FILE_NAME: &str = "configs/codecs.toml";

/// The file, or what is wrong with it; a test reads it.
static FILE: LazyLock<Result<CostsFile, String>> =
    LazyLock::new(|| CostsFile::read(include_str!("../../configs/codecs.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CostsFile {
    /// Where numbers come from, by the names that rows use.
    sources: BTreeMap<String, String>,
    codecs: BTreeMap<String, CodecRows>,
}

/// One codec: cycles by point, and picojoules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodecRows {
    l1: Option<Row>,
    packets: Option<Row>,
    memory: Option<Row>,
    energy: Row,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    compress: u32,
    decompress: u32,
    source: String,
}

impl CostsFile {
    fn read(text: &str) -> Result<Self, String> {
        let file: Self = toml::from_str(text).map_err(|error| format!("{FILE_NAME}: {error}"))?;
        for (codec, rows) in &file.codecs {
            let cycles = [&rows.l1, &rows.packets, &rows.memory].into_iter().flatten();
            if cycles.clone().next().is_none() {
                return Err(format!(
                    "{FILE_NAME}: codec {codec} has no cycles; add a row memory, packets or l1"
                ));
            }
            for Row { source, .. } in cycles.chain([&rows.energy]) {
                if !file.sources.contains_key(source) {
                    return Err(format!(
                        "{FILE_NAME}: codec {codec} names the source {source:?}, which is not in [sources]"
                    ));
                }
            }
        }
        Ok(file)
    }

    fn costs(&self, codec: &str, ways: u32, point: Point) -> Option<CodecCosts> {
        let rows = self.codecs.get(codec)?;
        let (l1, packets, memory) = (rows.l1.as_ref(), rows.packets.as_ref(), rows.memory.as_ref());
        let published = match point.published_as() {
            Point::L1 => l1,
            Point::Packets => packets,
            _ => memory,
        };
        // Where nothing was published, a codec takes as long as elsewhere.
        let cycles = published.or(memory).or(packets).or(l1)?;
        Some(CodecCosts {
            cycles: Cycles { compress: cycles.compress, decompress: cycles.decompress.div_ceil(ways.max(1)) },
            compress_pj: rows.energy.compress,
            decompress_pj: rows.energy.decompress,
        })
    }
}

/// The published costs of a codec at a point; `ways` is its number of parallel decoders.
pub fn published_costs(codec: &str, ways: u32, point: Point) -> Result<CodecCosts, String> {
    let file = FILE.as_ref().map_err(Clone::clone)?;
    file.costs(codec, ways, point).ok_or_else(|| {
        let known: Vec<&str> = file.codecs.keys().map(String::as_str).collect();
        format!("{FILE_NAME} has no costs of codec {codec:?} (it has {})", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use shrinkwarp_codec::registry::ENTRIES;

    use super::*;

    fn cycles(codec: &str, ways: u32, point: Point) -> (u32, u32) {
        let Cycles { compress, decompress } = published_costs(codec, ways, point).unwrap().cycles;
        (compress, decompress)
    }

    #[test]
    fn every_codec_of_the_registry_has_costs_and_no_other() {
        let file = FILE.as_ref().unwrap();
        let mut registered: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        registered.sort_unstable();
        assert_eq!(file.codecs.keys().collect::<Vec<_>>(), registered);
    }

    #[test]
    fn a_codec_without_costs_is_an_error_that_lists_those_with() {
        let error = published_costs("lz4", 1, Point::L1).unwrap_err();
        assert!(error.contains("no costs of codec \"lz4\" (it has bdi, "), "{error}");
    }

    #[test]
    fn four_ways_decode_e2mc16_in_a_quarter_of_the_time() {
        assert_eq!(cycles("e2mc16", 1, Point::Memory), (46, 82));
        assert_eq!(cycles("e2mc16", 4, Point::Memory), (46, 21));
    }

    #[test]
    fn each_point_has_its_own_latency_where_one_was_published() {
        assert_eq!(
            [Point::L1, Point::Packets, Point::Memory].map(|point| cycles("bdi", 1, point)),
            [(2, 2), (2, 1), (1, 1)]
        );
        assert_eq!(
            [Point::L1, Point::Packets, Point::Link].map(|point| cycles("sc", 1, point)),
            [(6, 14); 3]
        );
    }

    #[test]
    fn a_row_without_a_known_source_is_refused() {
        let text =
            "[sources]\na = \"A\"\n[codecs.x]\nenergy = { compress = 1, decompress = 1, source = \"a\" }\n";
        assert!(CostsFile::read(text).unwrap_err().contains("x has no cycles"));
        let text = format!("{text}l1 = {{ compress = 1, decompress = 1, source = \"b\" }}\n");
        assert!(CostsFile::read(&text).unwrap_err().contains("source \"b\""));
    }
}
