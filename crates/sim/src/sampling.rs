//! Online training of the codec in the memory controllers: the requests of a run's beginning are its sample.
//!
//! The hardware counts values in a value frequency table that all controllers feed. Here the codec's own trainer does,
//! which counts every value exactly.

use std::fmt;
use std::sync::Arc;

use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BlockBytes, BlockCodec, Trainer};

use crate::scheme::Scheme;

/// Collects the sample.
pub struct Sampler {
    trainer: Box<dyn Trainer>,
    /// Thread instructions after which the sample is complete.
    pub instructions: u64,
    /// Blocks seen.
    pub blocks: u64,
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sampler that has seen {} blocks", self.blocks)
    }
}

impl Sampler {
    /// A sampler that has seen nothing, if the scheme asks for one.
    pub fn of(scheme: &Scheme) -> Option<Self> {
        let memory = &scheme.spec.memory;
        let spec =
            memory.is_sampled().then(|| CodecSpec::parse(&memory.codec, BlockBytes::B128).ok()).flatten()?;
        Some(Self { trainer: spec.trainer(), instructions: memory.sample_instructions, blocks: 0 })
    }

    /// Adds a block that is read or written.
    pub fn observe(&mut self, block: &[u8]) {
        self.trainer.observe(block);
        self.blocks += 1;
    }

    /// The codec for what was seen.
    pub fn finish(self) -> Arc<dyn BlockCodec> {
        Arc::from(self.trainer.finish())
    }
}
