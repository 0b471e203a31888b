//! Training: one count of frequent values per field.

use super::{FIELDS, FieldCode, FloatFormat, FpH};
use crate::block::BlockBytes;
use crate::codec::{BlockCodec, Trainer};
use crate::error::TableError;
use crate::huffman::FrequentValues;
use crate::huffman::frequent::TRAINING_CAPACITY;
use crate::huffman::table_bytes::TableReader;
use crate::registry::{Loaded, Params};

/// Starts training.
pub fn trainer(params: &Params) -> Box<dyn Trainer> {
    Box::new(FpHTrainer { block: params.block, counts: FieldCounts::new(format(params)) })
}

/// Loads the three codebooks, exponent first.
pub fn load(params: &Params, tables: &[u8]) -> Loaded {
    let mut reader = TableReader::new(tables);
    let codec = FpH::read(params.block, format(params), &mut reader)?;
    reader.finish()?;
    Ok(Box::new(codec))
}

fn format(params: &Params) -> FloatFormat {
    match params.values.first() {
        Some(4) => FloatFormat::F32,
        _ => FloatFormat::F64,
    }
}

impl FpH {
    /// Reads the codebooks.
    pub(crate) fn read(
        block: BlockBytes,
        format: FloatFormat,
        tables: &mut TableReader<'_>,
    ) -> Result<Self, TableError> {
        let [exponent, high, low] = format.field_bits.map(|bits| FieldCode::read(bits, tables));
        Ok(Self::new(block, format, [exponent?, high?, low?]))
    }
}

/// The counts of each field's values.
pub(crate) struct FieldCounts {
    format: FloatFormat,
    samples: [FrequentValues; FIELDS],
}

impl FieldCounts {
    pub(crate) fn new(format: FloatFormat) -> Self {
        Self { format, samples: [(); FIELDS].map(|()| FrequentValues::with_capacity(TRAINING_CAPACITY)) }
    }

    pub(crate) fn observe(&mut self, blocks: &[u8]) {
        for element in self.format.elements(blocks) {
            for (field, sample) in self.samples.iter_mut().enumerate() {
                sample.add(self.format.field(element, field), 1);
            }
        }
    }

    pub(crate) fn finish(&self, block: BlockBytes) -> FpH {
        let [exponent, high, low] = &self.samples;
        let [exponent_bits, high_bits, low_bits] = self.format.field_bits;
        let fields = [
            FieldCode::train(exponent_bits, exponent),
            FieldCode::train(high_bits, high),
            FieldCode::train(low_bits, low),
        ];
        FpH::new(block, self.format, fields)
    }
}

struct FpHTrainer {
    block: BlockBytes,
    counts: FieldCounts,
}

impl Trainer for FpHTrainer {
    fn observe(&mut self, blocks: &[u8]) {
        self.counts.observe(blocks);
    }

    fn finish(self: Box<Self>) -> Box<dyn BlockCodec> {
        Box::new(self.counts.finish(self.block))
    }
}
