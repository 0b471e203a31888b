//! The codecs of one input, each built once, trained where it needs that, and shared by the input's tensors.

use std::io;

use rayon::prelude::*;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BlockCodec, LearnsFrom, Trainer, WordCounts};

use super::Plan;
use super::view::View;
use crate::AnalyzeError;
use crate::watch::Watch;
use shrinkwarp_formats::{Input, Tensor};

/// Codecs by their spec.
pub(super) struct Codecs {
    built: Vec<Built>,
}

struct Built {
    text: String,
    codec: Box<dyn BlockCodec>,
    table_bytes: u64,
    /// The bytes of all tensors that share the codec.
    shared_by_bytes: u64,
}

/// A codec for one tensor.
pub(super) struct Chosen<'a> {
    /// Its name and parameters.
    pub spec: CodecSpec,
    /// The codec.
    pub codec: &'a dyn BlockCodec,
    /// The tensor's share of the trained tables, by its size.
    pub table_share: f64,
}

impl Codecs {
    /// Builds the codecs of every tensor, as seen with `approx_bits` bits cleared.
    pub(super) fn prepare(
        input: &Input,
        plan: &Plan,
        approx_bits: Option<u32>,
        watch: Watch<'_>,
    ) -> Result<Self, AnalyzeError> {
        let mut training = Training::default();
        for tensor in input.tensors.iter().filter(|tensor| View::of(tensor, approx_bits).is_some()) {
            training.add(plan.choice.specs(tensor.dtype, plan.block)?, tensor.bytes.len());
        }
        training.counts = WordCounts::of(training.codecs.iter().map(|codec| codec.trainer.learns_from()));
        for tensor in &input.tensors {
            let Some(view) = View::of(tensor, approx_bits) else { continue };
            let specs = plan.choice.specs(tensor.dtype, plan.block)?;
            training
                .observe(&specs, tensor, view, plan, watch)
                .map_err(|error| AnalyzeError::read(input, error))?;
        }
        Ok(Self { built: training.finish() })
    }

    /// The codecs for a tensor, in the registry's order.
    pub(super) fn of(&self, tensor: &Tensor, plan: &Plan) -> Result<Vec<Chosen<'_>>, AnalyzeError> {
        let specs = plan.choice.specs(tensor.dtype, plan.block)?;
        let find = |spec: CodecSpec| {
            let text = spec.text();
            let built = self.built.iter().find(|known| known.text == text)?;
            let share = tensor.bytes.len() as f64 / built.shared_by_bytes.max(1) as f64;
            Some(Chosen { spec, codec: &*built.codec, table_share: built.table_bytes as f64 * share })
        };
        Ok(specs.into_iter().filter_map(find).collect())
    }
}

/// The codecs of an input while they learn.
struct Training {
    codecs: Vec<InTraining>,
    /// What those learn from that count words. They have no element width, so every tensor is theirs.
    counts: WordCounts,
}

struct InTraining {
    text: String,
    trainer: Box<dyn Trainer>,
    shared_by_bytes: u64,
}

impl Default for Training {
    fn default() -> Self {
        Self { codecs: Vec::new(), counts: WordCounts::of([]) }
    }
}

impl Training {
    /// Adds a tensor's codecs.
    fn add(&mut self, specs: Vec<CodecSpec>, tensor_bytes: u64) {
        for spec in specs {
            let text = spec.text();
            if let Some(known) = self.codecs.iter_mut().find(|known| known.text == text) {
                known.shared_by_bytes += tensor_bytes;
                continue;
            }
            let trainer = spec.trainer();
            self.codecs.push(InTraining { text, trainer, shared_by_bytes: tensor_bytes });
        }
    }

    /// Shows a tensor's sample to those codecs that will look at it.
    fn observe(
        &mut self,
        specs: &[CodecSpec],
        tensor: &Tensor,
        view: View,
        plan: &Plan,
        watch: Watch<'_>,
    ) -> io::Result<()> {
        let wanted: Vec<String> =
            specs.iter().filter(|spec| spec.is_trained()).map(CodecSpec::text).collect();
        let sample_bytes = plan.train.bytes_of(tensor.bytes.len(), plan.block.bytes());
        if wanted.is_empty() {
            return watch.advance(sample_bytes);
        }
        for window in tensor.bytes.windows(sample_bytes) {
            let window = window?;
            let seen = view.seen(&window);
            let of_blocks = self.codecs.par_iter_mut().filter(|codec| {
                codec.trainer.learns_from() == LearnsFrom::Blocks && wanted.contains(&codec.text)
            });
            rayon::join(
                || self.counts.observe(&seen),
                || of_blocks.for_each(|codec| codec.trainer.observe(&seen)),
            );
            watch.advance(window.len() as u64)?;
        }
        Ok(())
    }

    fn finish(self) -> Vec<Built> {
        let finish = |mut codec: InTraining| {
            codec.trainer.observe_counts(&self.counts);
            let built = codec.trainer.finish();
            let table_bytes = built.tables().len() as u64;
            Built { text: codec.text, codec: built, table_bytes, shared_by_bytes: codec.shared_by_bytes }
        };
        self.codecs.into_par_iter().map(finish).collect()
    }
}
