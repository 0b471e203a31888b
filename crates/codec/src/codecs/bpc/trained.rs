//! `bpc-trained`: BPC with a code map made for a sample of the data.
//!
//! The symbols are those of `symbol.rs`: zero runs of every length apart, the five patterns and the five classes
//! of the base word. Their codewords are canonical Huffman codes of at most [`LIMIT_BITS`] bits (the paper's section
//! V-A.1 tests such a map and gains less than 1 %). Payloads are unchanged.
//!
//! Our interpretation where the paper is silent: the sample's counts start from what the published map believes
//! (2^-length of 128 symbols), so that every symbol has a codeword and an empty sample gives the published lengths.

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::code_map::{CodeMap, Codeword};
use super::symbol::{PlaneSymbol, base_class, base_classes, plane_symbols};
use super::transform::{Kernel, Portable};
use super::word::Word;
use super::{Bpc32, Engine};
use crate::block::BlockBytes;
use crate::codec::{BlockCodec, Trainer};
use crate::error::TableError;
use crate::huffman::CanonicalCode;
use crate::registry::{Entry, Make};

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "bpc-trained",
    summary: "bpc with a code map made for the data",
    make: Make::Trained {
        trainer: |params| Box::new(BpcTrainer::new(params.block)),
        load: |params, tables| load(params.block, tables),
    },
    params: &[],
    ..super::BPC
};

/// The longest codeword of a plane symbol, in bits.
const LIMIT_BITS: u32 = 10;

/// The longest codeword of a base class, in bits: what five classes can need.
const BASE_LIMIT_BITS: u32 = 4;

const PLANE_SYMBOLS: usize = plane_symbols(u32::PLANES);
const BASE_CLASSES: usize = base_classes(u32::BITS);

/// The published map's weight in the counts: as many symbols.
const PRIOR_SYMBOLS: u64 = 128;

/// Counts symbols over a sample.
#[derive(Clone, Debug)]
pub(super) struct BpcTrainer {
    block: BlockBytes,
    engine: Engine,
    planes: Vec<u64>,
    base: Vec<u64>,
}

impl BpcTrainer {
    /// A trainer that has seen nothing.
    fn new(block: BlockBytes) -> Self {
        let prior = |code: &[Codeword]| code.iter().map(|word| PRIOR_SYMBOLS >> word.length_bits).collect();
        let published = CodeMap::published(u32::BITS);
        let (planes, base) = (prior(&published.planes), prior(&published.base));
        Self { block, engine: Engine::detect(), planes, base }
    }

    #[inline(always)]
    pub(super) fn observe_with(&mut self, kernel: impl Kernel<u32>, blocks: &[u8]) {
        let full_plane = (1 << (self.block.bytes() / 4 - 1)) - 1;
        for block in blocks.chunks_exact(self.block.bytes()) {
            self.base[base_class(u32::load(block, 0))] += 1;
            let classes = kernel.tally(block).classes(full_plane);
            let mut add = |symbol: PlaneSymbol, count: u32| self.planes[symbol as usize] += u64::from(count);
            add(PlaneSymbol::Raw, classes.raw().count_ones());
            add(PlaneSymbol::AllOnes, classes.all_ones.count_ones());
            add(PlaneSymbol::DbpZero, classes.dbp_zero.count_ones());
            add(PlaneSymbol::TwoOnes, classes.two_ones.count_ones());
            add(PlaneSymbol::SingleOne, classes.single_one.count_ones());
            classes.for_each_symbol(classes.run_starts(), |symbol| self.planes[symbol] += 1);
        }
    }
}

impl Trainer for BpcTrainer {
    fn observe(&mut self, blocks: &[u8]) {
        match self.engine {
            Engine::Portable => self.observe_with(Portable, blocks),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(kernel) => avx2::observe(kernel, self, blocks),
        }
    }

    fn finish(self: Box<Self>) -> Box<dyn BlockCodec> {
        let planes = CanonicalCode::from_weights(&self.planes, LIMIT_BITS);
        let base = CanonicalCode::from_weights(&self.base, BASE_LIMIT_BITS);
        Box::new(codec(self.block, &planes, &base))
    }
}

/// The codec from its tables: one byte for each codeword length, plane symbols first, then base classes.
fn load(block: BlockBytes, tables: &[u8]) -> Result<Box<dyn BlockCodec>, TableError> {
    let error = |what| TableError { at_byte: tables.len(), what };
    if tables.len() != PLANE_SYMBOLS + BASE_CLASSES {
        return Err(error("a code map of bpc-trained has 38 plane and 5 base codeword lengths"));
    }
    let (planes, base) = tables.split_at(PLANE_SYMBOLS);
    let planes = CanonicalCode::from_lengths(planes, LIMIT_BITS)?;
    let base = CanonicalCode::from_lengths(base, BASE_LIMIT_BITS)
        .map_err(|error| TableError { at_byte: PLANE_SYMBOLS + error.at_byte, ..error })?;
    Ok(Box::new(codec(block, &planes, &base)))
}

fn codec(block: BlockBytes, planes: &CanonicalCode, base: &CanonicalCode) -> Bpc32 {
    let codewords = |code: &CanonicalCode| {
        let codeword =
            |symbol| Codeword { bits: code.codeword(symbol), length_bits: code.length_bits(symbol) };
        (0..code.symbols()).map(codeword).collect()
    };
    let map = CodeMap { planes: codewords(planes), base: codewords(base) };
    Bpc32::with_map(block, &map, [planes.lengths(), base.lengths()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published_lengths() -> Vec<u8> {
        let CodeMap { planes, base } = CodeMap::published(u32::BITS);
        planes.iter().chain(&base).map(|word| word.length_bits as u8).collect()
    }

    #[test]
    fn an_empty_sample_gives_the_published_lengths() {
        let codec = Box::new(BpcTrainer::new(BlockBytes::B128)).finish();
        assert_eq!(codec.tables(), published_lengths());
    }

    #[test]
    fn a_frequent_symbol_gets_the_shortest_codeword() {
        let mut trainer = Box::new(BpcTrainer::new(BlockBytes::B128));
        trainer.observe(&vec![0; 128 * 1000]);
        let tables = trainer.finish().tables();
        assert_eq!(tables[PLANE_SYMBOLS - 1], 1, "a run of 33 zero planes");
        assert_eq!(tables[PLANE_SYMBOLS], 1, "a base word of zero");
    }

    #[test]
    fn tables_load_back() {
        let mut trainer = Box::new(BpcTrainer::new(BlockBytes::B64));
        trainer.observe(&(0..=255).collect::<Vec<u8>>());
        let codec = trainer.finish();
        assert_eq!(load(BlockBytes::B64, &codec.tables()).unwrap().tables(), codec.tables());
    }

    #[test]
    fn hostile_tables_are_errors_that_name_the_byte() {
        let error_at = |tables: &[u8]| load(BlockBytes::B128, tables).err().unwrap().at_byte;
        let good = published_lengths();
        assert_eq!(error_at(&[]), 0);
        assert_eq!(error_at(&good[1..]), good.len() - 1);
        let with = |at: usize, length: u8| {
            let mut tables = good.clone();
            tables[at] = length;
            tables
        };
        assert_eq!(error_at(&with(3, 11)), 3, "longer than the limit");
        assert_eq!(error_at(&with(0, 2)), PLANE_SYMBOLS, "gaps");
        assert_eq!(error_at(&with(PLANE_SYMBOLS, 0)), PLANE_SYMBOLS + 1, "overlaps");
        assert_eq!(error_at(&with(0, 0)), 1, "overlaps");
    }
}
