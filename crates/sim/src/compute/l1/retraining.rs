//! A codec of the cache that is trained while the program runs, again in every period.
//!
//! SC learns as hardware would, through a [`ValueFrequencies`] table. Any other trained codec keeps the blocks of its sample:
//! a phase has at most as many as it has accesses.

use std::sync::Arc;

use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BlockBytes, BlockCodec};

use super::value_frequencies::ValueFrequencies;
use crate::base::BLOCK_BYTES;

/// A sample of blocks, and the codec that is made of it.
#[derive(Clone, Debug)]
pub struct Retraining {
    /// The codec as its spec is written.
    codec: String,
    sample: TrainingSample,
    /// Blocks in the sample.
    blocks: u64,
}

#[derive(Clone, Debug)]
enum TrainingSample {
    Values(ValueFrequencies),
    Blocks(Vec<u8>),
}

impl Retraining {
    /// For the codec with this spec; `None` if it needs no training.
    pub fn of(codec: &str, vft_entries: usize, vft_counter_bits: u32) -> Option<Self> {
        let spec = CodecSpec::parse(codec, BlockBytes::B128).ok()?;
        let sample = match spec.entry.name {
            "sc" => TrainingSample::Values(ValueFrequencies::new(vft_entries, vft_counter_bits)),
            _ => TrainingSample::Blocks(Vec::new()),
        };
        spec.is_trained().then(|| Self { codec: codec.to_owned(), sample, blocks: 0 })
    }

    /// Adds a block to the sample.
    pub fn observe(&mut self, block: &[u8; BLOCK_BYTES]) {
        self.blocks += 1;
        match &mut self.sample {
            TrainingSample::Values(table) => table.observe(block),
            TrainingSample::Blocks(blocks) => blocks.extend_from_slice(block),
        }
    }

    /// The codec for the sample, which is then forgotten; `None` if nothing was seen.
    pub fn finish(&mut self) -> Option<Arc<dyn BlockCodec>> {
        if std::mem::take(&mut self.blocks) == 0 {
            return None;
        }
        let codec = match &mut self.sample {
            TrainingSample::Values(table) => {
                let codec = table.codec();
                table.clear();
                codec
            }
            TrainingSample::Blocks(blocks) => {
                CodecSpec::parse(&self.codec, BlockBytes::B128).ok()?.build(&std::mem::take(blocks))
            }
        };
        Some(Arc::from(codec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_trained_codec_learns_from_its_sample() {
        for codec in ["sc", "e2mc32", "fp-h"] {
            let mut retraining = Retraining::of(codec, 1024, 12).expect(codec);
            assert!(retraining.finish().is_none(), "{codec}: nothing seen");
            let block = [0x41; BLOCK_BYTES];
            retraining.observe(&block);
            let size_bits = retraining.finish().expect(codec).size_bits(&block);
            assert!(size_bits < 512, "{codec}: {size_bits}");
            assert!(retraining.finish().is_none(), "{codec}: forgotten");
        }
    }

    #[test]
    fn a_codec_without_tables_is_never_retrained() {
        assert!(Retraining::of("bdi", 1024, 12).is_none());
    }
}
