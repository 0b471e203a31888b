//! Training: value counts of a sample, offline (all of it) or online (a prefix), become the codes.

use super::layout::E2mc;
use super::most_frequent::Mfv16;
use super::positions::Positions;
use crate::block::BlockBytes;
use crate::codec::{BlockCodec, Trainer};
use crate::error::TableError;
use crate::huffman::frequent::{FrequentValues, TRAINING_CAPACITY};
use crate::huffman::table_bytes::TableReader;
use crate::huffman::value_code::{ValueCode, ValueCodeSpec};
use crate::huffman::value_decoder::LONGEST_BITS;
use crate::huffman::word_code::WordCode;
use crate::registry::{Loaded, Params};

/// Starts training E2MC over symbols of `BITS` bits.
pub fn trainer<const BITS: u32>(params: &Params) -> Box<dyn Trainer> {
    let spec = E2mcSpec::new(BITS, params);
    let counts = match BITS {
        4 => Counts::Positions4(vec![0; Positions::<4>::TABLES * Positions::<4>::VALUES]),
        8 => Counts::Positions8(vec![0; Positions::<8>::TABLES * Positions::<8>::VALUES]),
        16 => Counts::Values16(vec![0; 1 << 16]),
        _ => Counts::Values32(FrequentValues::with_capacity(TRAINING_CAPACITY)),
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

/// Counts by position × values + symbol, by value, or bounded.
enum Counts {
    Positions4(Vec<u64>),
    Positions8(Vec<u64>),
    Values16(Vec<u64>),
    Values32(FrequentValues),
}

impl Trainer for E2mcTrainer {
    fn observe(&mut self, blocks: &[u8]) {
        let (words, _) = blocks.as_chunks::<4>();
        let words = words.iter().map(|word| u32::from_le_bytes(*word));
        match &mut self.counts {
            Counts::Positions4(counts) => words.for_each(|word| count_positions::<4>(word, counts)),
            Counts::Positions8(counts) => words.for_each(|word| count_positions::<8>(word, counts)),
            Counts::Values16(counts) => words.for_each(|word| {
                counts[(word & 0xffff) as usize] += 1;
                counts[(word >> 16) as usize] += 1;
            }),
            Counts::Values32(sample) => sample.add_words(blocks.as_chunks().0),
        }
    }

    fn finish(self: Box<Self>) -> Box<dyn BlockCodec> {
        let spec = self.spec;
        match self.counts {
            Counts::Positions4(counts) => {
                Box::new(E2mc::new(spec.block, spec.ways, Positions::<4>::train(&counts)))
            }
            Counts::Positions8(counts) => {
                Box::new(E2mc::new(spec.block, spec.ways, Positions::<8>::train(&counts)))
            }
            Counts::Values16(counts) => spec.value_codec(train_16(spec.value_code(), &counts)),
            Counts::Values32(sample) => spec.value_codec(ValueCode::train(spec.value_code(), &sample)),
        }
    }
}

fn count_positions<const BITS: u32>(word: u32, counts: &mut [u64]) {
    let values = Positions::<BITS>::VALUES;
    for position in 0..Positions::<BITS>::TABLES {
        let symbol = (word >> (position as u32 * BITS)) as usize % values;
        counts[position * values + symbol] += 1;
    }
}

fn train_16(spec: ValueCodeSpec, counts: &[u64]) -> ValueCode {
    let seen = (0u32..).zip(counts.iter().copied()).filter(|&(_, count)| count > 0);
    let mut frequent: Vec<(u32, u64)> = seen.collect();
    frequent.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
    ValueCode::from_frequent(spec, frequent, counts.iter().sum())
}
