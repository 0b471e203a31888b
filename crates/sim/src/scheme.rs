//! A scheme with its codecs made: what a machine is built with.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BlockBytes, BlockCodec};

use crate::base::codec_costs::CodecCosts;
use crate::base::own_codec::{OWN_PREFIX, OwnCodecs, own_name};
use crate::base::{CodecUnitSpec, Point, PointSpec};
use crate::compute::l1::{L1Compression, L1Policy, L1Scheme, SharedByL1s};
use crate::config::codecs::published_costs;
use crate::config::scheme::{Latency, NO_CODEC, PointCodec, SchemeSpec, load_scheme};

/// Tables of trained codecs, by [`CodecSpec::table_name`].
pub type Tables = BTreeMap<String, Vec<u8>>;

/// What every station needs to know of the scheme.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// As configured.
    pub spec: SchemeSpec,
    /// The codecs of the L1 data caches.
    pub l1: Option<L1Compression>,
    /// The codecs of the other points; with online tables one that is yet to be trained.
    units: Vec<(Point, CodecUnitSpec)>,
}

/// Why a scheme cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeError(pub String);

impl fmt::Display for SchemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SchemeError {}

impl Scheme {
    /// Makes the codecs of a scheme. Trained ones take their tables from `tables`; [`SchemeSpec::profiled_codecs`] says
    /// which are needed. With `verifies`, every block that passes a codec is decompressed and compared.
    pub fn build(spec: SchemeSpec, tables: &Tables, verifies: bool) -> Result<Self, SchemeError> {
        Self::build_with(spec, tables, &OwnCodecs::new(), verifies)
    }

    /// The same with codecs of the caller's own, which the scheme names `own:NAME`.
    pub fn build_with(
        spec: SchemeSpec,
        tables: &Tables,
        own: &OwnCodecs,
        verifies: bool,
    ) -> Result<Self, SchemeError> {
        let maker = Maker { scheme: &spec.name, tables, own, verifies };
        let mut units = Vec::new();
        for PointCodec { point, codec, cycles, is_trained_online } in spec.codecs() {
            units.extend(maker.unit(point, codec, cycles, is_trained_online)?.map(|unit| (point, unit)));
        }
        Ok(Self { l1: maker.l1(&spec.l1)?, units, spec })
    }

    /// The codec of a point other than the L1, if there is one.
    pub fn unit(&self, point: Point) -> Option<&CodecUnitSpec> {
        self.units.iter().find(|(at, _)| *at == point).map(|(_, unit)| unit)
    }

    /// What such a point is built from, its keys being `keys`; `None` if it has no codec.
    pub fn point<'a, K>(&'a self, point: Point, keys: &'a K) -> Option<PointSpec<'a, K>> {
        self.unit(point).map(|codec| PointSpec { keys, codec })
    }

    /// No compression anywhere.
    pub fn none() -> Self {
        #[expect(clippy::expect_used, reason = "the preset is part of the program and a test loads it")]
        let spec = load_scheme(NO_CODEC, &[]).expect("the preset `none` is well-formed");
        Self { spec, l1: None, units: Vec::new() }
    }
}

/// What all points' codecs are made with.
struct Maker<'a> {
    scheme: &'a str,
    tables: &'a Tables,
    own: &'a OwnCodecs,
    verifies: bool,
}

impl Maker<'_> {
    /// The codecs of the L1's modes; trained ones learn while the program runs.
    fn l1(&self, scheme: &L1Scheme) -> Result<Option<L1Compression>, SchemeError> {
        if scheme.policy == L1Policy::None {
            return Ok(None);
        }
        let latencies = [scheme.compress_cycles, scheme.decompress_cycles];
        let mut codecs = Vec::new();
        for codec in &scheme.modes {
            codecs.extend(self.unit(Point::L1, codec, latencies, true)?);
        }
        Ok(Some(L1Compression { scheme: scheme.clone(), codecs, shared: SharedByL1s::default() }))
    }

    /// The codec of a point; `is_untrained` asks for one that has seen no sample.
    fn unit(
        &self,
        point: Point,
        codec: &str,
        latencies: [Latency; 2],
        is_untrained: bool,
    ) -> Result<Option<CodecUnitSpec>, SchemeError> {
        if codec == NO_CODEC {
            return Ok(None);
        }
        let error =
            |message: String| SchemeError(format!("scheme {}, {}: {message}", self.scheme, point.name()));
        if let Some(name) = own_name(codec) {
            return self.own_unit(name, latencies).map(Some).map_err(error);
        }
        let spec = CodecSpec::parse(codec, BlockBytes::B128).map_err(|fault| error(fault.to_string()))?;
        let name = spec.text();
        let made = if !spec.is_trained() || is_untrained {
            spec.build(&[])
        } else {
            let code = spec.table_name();
            let tables = self.tables.get(&code).ok_or_else(|| {
                error(format!("codec {name} needs tables from a profiling run, and none were given"))
            })?;
            spec.load(tables).map_err(|fault| error(fault.to_string()))?
        };
        let published = published_costs(spec.entry.name, ways_of(&spec), point).map_err(error)?;
        let costs = settled(published, latencies);
        let sector_codec =
            if point == Point::Packets { self.sector_codec(codec).map_err(error)? } else { None };
        let codec = Arc::from(made);
        Ok(Some(CodecUnitSpec { name, codec, sector_codec, costs, verifies: self.verifies }))
    }

    /// The codec for sectors; trained ones have the tables of the block's. `None` if it has none for so few bytes.
    fn sector_codec(&self, codec: &str) -> Result<Option<Arc<dyn BlockCodec>>, String> {
        let Ok(spec) = CodecSpec::parse(codec, BlockBytes::B32) else { return Ok(None) };
        let made = match self.tables.get(&spec.table_name()).filter(|_| spec.is_trained()) {
            Some(tables) => spec.load(tables).map_err(|fault| fault.to_string())?,
            None => spec.build(&[]),
        };
        Ok(Some(Arc::from(made)))
    }

    /// A codec that the caller brought along.
    fn own_unit(&self, name: &str, latencies: [Latency; 2]) -> Result<CodecUnitSpec, String> {
        let own = self.own.get(name).ok_or_else(|| {
            format!(
                "codec {OWN_PREFIX}{name} is not part of this program; the Python package runs codecs of your own"
            )
        })?;
        Ok(CodecUnitSpec {
            name: format!("{OWN_PREFIX}{name}"),
            codec: Arc::clone(&own.codec),
            sector_codec: None,
            costs: settled(own.costs, latencies),
            verifies: self.verifies,
        })
    }
}

/// The costs with the latencies that the scheme asks for.
fn settled(mut costs: CodecCosts, [compress, decompress]: [Latency; 2]) -> CodecCosts {
    costs.cycles.compress = compress.or_published(costs.cycles.compress);
    costs.cycles.decompress = decompress.or_published(costs.cycles.decompress);
    costs
}

/// The parallel decoding ways of a codec that has such a parameter.
fn ways_of(spec: &CodecSpec) -> u32 {
    let ways = spec.entry.params.iter().position(|param| param.key == "ways");
    ways.map_or(1, |index| spec.params.values[index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::codec_costs::Cycles;
    use crate::base::own_codec::OwnCodec;

    fn scheme(overrides: &[&str]) -> SchemeSpec {
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        load_scheme("none", &overrides).unwrap()
    }

    #[test]
    fn the_baseline_has_no_codec_anywhere() {
        let none = Scheme::none();
        assert!(Point::ALL.into_iter().all(|point| none.unit(point).is_none()));
    }

    #[test]
    fn a_codec_comes_with_its_published_latency_unless_told_otherwise() {
        let built = Scheme::build(scheme(&["packets.codec=bpc"]), &Tables::new(), false).unwrap();
        assert_eq!(built.unit(Point::Packets).unwrap().costs.cycles.compress, 11);
        let told = scheme(&["packets.codec=bpc", "packets.compress_cycles=0"]);
        let built = Scheme::build(told, &Tables::new(), false).unwrap();
        let cycles = built.unit(Point::Packets).unwrap().costs.cycles;
        assert_eq!((cycles.compress, cycles.decompress), (0, 11));
    }

    #[test]
    fn a_trained_codec_without_tables_is_refused_by_name() {
        let error =
            Scheme::build(scheme(&["memory.codec=e2mc16:ways=4"]), &Tables::new(), false).unwrap_err();
        assert!(error.to_string().contains("memory: codec e2mc16:ways=4 needs tables"), "{error}");
        assert_eq!(scheme(&["memory.codec=e2mc16:ways=4"]).profiled_codecs(), ["e2mc16"]);
    }

    #[test]
    fn a_codec_of_ones_own_is_at_its_point_with_its_own_costs() {
        let spec = scheme(&["memory.codec=own:mine", "memory.compress_cycles=7"]);
        let error = Scheme::build(spec.clone(), &Tables::new(), false).unwrap_err();
        assert!(error.to_string().contains("memory: codec own:mine is not part of this program"), "{error}");
        let codec: Arc<dyn BlockCodec> =
            Arc::from(CodecSpec::parse("zero", BlockBytes::B128).unwrap().build(&[]));
        let cycles = Cycles { compress: 1, decompress: 2 };
        let costs = CodecCosts { cycles, compress_pj: 3, decompress_pj: 4 };
        let own = OwnCodecs::from([("mine".to_owned(), OwnCodec { codec, costs })]);
        let built = Scheme::build_with(spec, &Tables::new(), &own, false).unwrap();
        let unit = built.unit(Point::Memory).unwrap();
        assert_eq!((&*unit.name, unit.costs.cycles), ("own:mine", Cycles { compress: 7, decompress: 2 }));
        assert_eq!(unit.costs.compress_pj, 3);
        assert!(load_scheme("none", &["memory.codec=own:".to_owned()]).is_err());
    }

    #[test]
    fn an_unknown_codec_is_refused_with_the_nearest_name() {
        let error = load_scheme("none", &["packets.codec=bpcc".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("did you mean \"bpc\"?"), "{error}");
    }
}
