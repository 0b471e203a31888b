//! Training: value counts of a sample, offline (all of it) or online (a prefix), become the codes.

use super::layout::E2mc;
use super::most_frequent::Mfv16;
use super::positions::Positions;
use crate::block::BlockBytes;
use crate::codec::{BlockCodec, Trainer};
use crate::error::TableError;
use crate::half_counts::HalfCounts;
use crate::huffman::frequent::{FrequentValues, TRAINING_CAPACITY};
use crate::huffman::table_bytes::TableReader;
use crate::huffman::value_code::{ValueCode, ValueCodeSpec};
use crate::huffman::value_decoder::LONGEST_BITS;
use crate::huffman::word_code::WordCode;
use crate::registry::{Loaded, Params};
use crate::word_counts::{LearnsFrom, WordCounts};

/// Starts training E2MC over symbols of `BITS` bits.
pub fn trainer<const BITS: u32>(params: &Params) -> Box<dyn Trainer> {
    let spec = E2mcSpec::new(BITS, params);
    let counts = match BITS {
        32 => Counts::Words(FrequentValues::with_capacity(TRAINING_CAPACITY)),
        _ => Counts::Halves(HalfCounts::default()),
    };
    Box::new(E2mcTrainer { spec, counts })
}

/// Loads the tables of E2MC over symbols of `BITS` bits.
pub fn load<const BITS: u32>(params: &Params, tables: &[u8]) -> Loaded {
    let spec = E2mcSpec::new(BITS, params);
    let mut reader = TableReader::new(tables);
    let codec = spec.read(&mut reader)?;
    reader.finish()?;
    Ok(codec)
}

/// What the parameters say.
#[derive(Clone, Copy)]
struct E2mcSpec {
    symbol_bits: u32,
    block: BlockBytes,
    ways: usize,
    mfv: usize,
}

impl E2mcSpec {
    /// Parameters in registry order: `ways`, and `mfv` for the wide symbols.
    fn new(symbol_bits: u32, params: &Params) -> Self {
        let value = |index: usize| params.values.get(index).map_or(1, |&value| value as usize);
        Self { symbol_bits, block: params.block, ways: value(0), mfv: value(1) }
    }

    fn value_code(self) -> ValueCodeSpec {
        ValueCodeSpec { value_bits: self.symbol_bits, most_values: self.mfv, limit_bits: LONGEST_BITS }
    }

    fn read(self, tables: &mut TableReader<'_>) -> Result<Box<dyn BlockCodec>, TableError> {
        Ok(match self.symbol_bits {
            4 => Box::new(E2mc::new(self.block, self.ways, Positions::<4>::read(tables)?)),
            8 => Box::new(E2mc::new(self.block, self.ways, Positions::<8>::read(tables)?)),
            _ => self.value_codec(ValueCode::read(self.value_code(), tables)?),
        })
    }

    fn value_codec(self, code: ValueCode) -> Box<dyn BlockCodec> {
        match self.symbol_bits {
            16 => Box::new(E2mc::new(self.block, self.ways, Mfv16::new(code))),
            _ => Box::new(E2mc::new(self.block, self.ways, WordCode::new(code))),
        }
    }
}

struct E2mcTrainer {
    spec: E2mcSpec,
    counts: Counts,
}

/// Words, in bounded memory, or their halves, which give the counts of all narrower symbols.
enum Counts {
    Halves(HalfCounts),
    Words(FrequentValues),
}

impl Trainer for E2mcTrainer {
    fn observe(&mut self, blocks: &[u8]) {
        let (words, _) = blocks.as_chunks();
        match &mut self.counts {
            Counts::Halves(counts) => counts.add_words(words),
            Counts::Words(counts) => counts.add_words(words),
        }
    }

    fn learns_from(&self) -> LearnsFrom {
        match self.counts {
            Counts::Halves(_) => LearnsFrom::Halves,
            Counts::Words(_) => LearnsFrom::Words,
        }
    }

    fn observe_counts(&mut self, shared: &WordCounts) {
        match &mut self.counts {
            Counts::Halves(counts) => shared.give_halves(counts),
            Counts::Words(counts) => shared.give_words(counts),
        }
    }

    fn finish(self: Box<Self>) -> Box<dyn BlockCodec> {
        let spec = self.spec;
        let halves = match self.counts {
            Counts::Words(sample) => {
                return spec.value_codec(ValueCode::train(spec.value_code(), &sample));
            }
            Counts::Halves(halves) => halves,
        };
        let by_place = halves.by_place(spec.symbol_bits);
        match spec.symbol_bits {
            4 => Box::new(E2mc::new(spec.block, spec.ways, Positions::<4>::train(&by_place))),
            8 => Box::new(E2mc::new(spec.block, spec.ways, Positions::<8>::train(&by_place))),
            bits => spec.value_codec(train_16(spec.value_code(), &HalfCounts::pooled(&by_place, bits))),
        }
    }
}

fn train_16(spec: ValueCodeSpec, counts: &[u64]) -> ValueCode {
    let seen = (0u32..).zip(counts.iter().copied()).filter(|&(_, count)| count > 0);
    let mut frequent: Vec<(u32, u64)> = seen.collect();
    frequent.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
    ValueCode::from_frequent(spec, frequent, counts.iter().sum())
}
