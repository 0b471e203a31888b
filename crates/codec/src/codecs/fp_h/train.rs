//! Training: one count of frequent values per field.

use super::sample::FieldSample;
use super::{FieldCode, Fields, FpH, FpH16, FpH32, FpH64};
use crate::block::BlockBytes;
use crate::codec::{BlockCodec, Trainer};
use crate::error::TableError;
use crate::huffman::table_bytes::TableReader;
use crate::registry::{Loaded, Params};

/// Starts training.
pub fn trainer(params: &Params) -> Box<dyn Trainer> {
    let block = params.block;
    match params.values.first() {
        Some(2) => Box::new(FpHTrainer { block, counts: FieldCounts::<8, 4, 3>::new() }),
        Some(4) => Box::new(FpHTrainer { block, counts: FieldCounts::<8, 11, 12>::new() }),
        _ => Box::new(FpHTrainer { block, counts: FieldCounts::<11, 26, 26>::new() }),
    }
}

/// Loads the three codebooks, exponent first.
pub fn load(params: &Params, tables: &[u8]) -> Loaded {
    let mut reader = TableReader::new(tables);
    let codec: Box<dyn BlockCodec> = match params.values.first() {
        Some(2) => Box::new(FpH16::read(params.block, &mut reader)?),
        Some(4) => Box::new(FpH32::read(params.block, &mut reader)?),
        _ => Box::new(FpH64::read(params.block, &mut reader)?),
    };
    reader.finish()?;
    Ok(codec)
}

impl<const EXPONENT: u32, const HIGH: u32, const LOW: u32> FpH<EXPONENT, HIGH, LOW> {
    /// Reads the codebooks.
    pub(crate) fn read(block: BlockBytes, tables: &mut TableReader<'_>) -> Result<Self, TableError> {
        let exponents = FieldCode::read(tables)?;
        let highs = FieldCode::read(tables)?;
        let lows = FieldCode::read(tables)?;
        Ok(Self { block, exponents, highs, lows })
    }
}

/// The counts of each field's values.
pub(crate) struct FieldCounts<const EXPONENT: u32, const HIGH: u32, const LOW: u32> {
    exponents: FieldSample<EXPONENT>,
    highs: FieldSample<HIGH>,
    lows: FieldSample<LOW>,
}

impl<const EXPONENT: u32, const HIGH: u32, const LOW: u32> FieldCounts<EXPONENT, HIGH, LOW> {
    pub(crate) fn new() -> Self {
        Self { exponents: FieldSample::new(), highs: FieldSample::new(), lows: FieldSample::new() }
    }

    /// Adds the floats of whole blocks.
    pub(crate) fn observe(&mut self, block: BlockBytes, blocks: &[u8]) {
        for block in blocks.chunks_exact(block.bytes()) {
            let fields = Fields::<EXPONENT, HIGH, LOW>::of(block);
            self.exponents.add(fields.exponents());
            self.highs.add(fields.highs());
            self.lows.add(fields.lows());
        }
    }

    pub(crate) fn finish(&self, block: BlockBytes) -> FpH<EXPONENT, HIGH, LOW> {
        FpH {
            block,
            exponents: FieldCode::train(&self.exponents),
            highs: FieldCode::train(&self.highs),
            lows: FieldCode::train(&self.lows),
        }
    }
}

struct FpHTrainer<const EXPONENT: u32, const HIGH: u32, const LOW: u32> {
    block: BlockBytes,
    counts: FieldCounts<EXPONENT, HIGH, LOW>,
}

impl<const EXPONENT: u32, const HIGH: u32, const LOW: u32> Trainer for FpHTrainer<EXPONENT, HIGH, LOW> {
    fn observe(&mut self, blocks: &[u8]) {
        self.counts.observe(self.block, blocks);
    }

    fn finish(self: Box<Self>) -> Box<dyn BlockCodec> {
        Box::new(self.counts.finish(self.block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitReader, BitWriter};

    #[test]
    fn long_exponents_before_escaped_high_parts_come_back() {
        // Counts that fall by halves: the rarest exponents, and their escape, have codewords of 18 bits. No high part was seen, so that
        // each is an escape of few bits.
        let exponents = (0..2048).map(|value| if value < 20 { 1 << value } else { 0 }).collect();
        let counts = FieldCounts::<11, 26, 26> {
            exponents: FieldSample::All(exponents),
            ..FieldCounts::<11, 26, 26>::new()
        };
        let codec = counts.finish(BlockBytes::B128);
        for last in 0..4u64 {
            let element = |index: u64| {
                (index % (4 + 5 * last)) << 52 | 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(index + 1) >> 12
            };
            let block: Vec<u8> = (0..16).flat_map(|index| element(index).to_le_bytes()).collect();
            let mut out = BitWriter::new();
            codec.compress(&block, &mut out);
            let len_bits = out.len_bits();
            let mut back = vec![0; block.len()];
            codec.decompress(&mut BitReader::new(out.pad_to_bytes(), len_bits), &mut back).unwrap();
            assert_eq!(back, block);
        }
    }
}
