//! The codecs of one input, each built once, trained where it needs that, and shared by the input's tensors.

use rayon::prelude::*;
use shrinkwarp_codec::registry::Spec;
use shrinkwarp_codec::{BlockCodec, Trainer};

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
    pub spec: Spec,
    /// The codec.
    pub codec: &'a dyn BlockCodec,
    /// The tensor's share of the trained tables, by its size.
    pub table_bytes: u64,
}

struct InTraining {
    spec: Spec,
    text: String,
    trainer: Box<dyn Trainer>,
    shared_by_bytes: u64,
}

impl InTraining {
    fn finish(self) -> Built {
        let codec = self.trainer.finish();
        let table_bytes = codec.tables().len() as u64;
        Built { text: self.text, codec, table_bytes, shared_by_bytes: self.shared_by_bytes }
    }
}

impl Codecs {
    /// Builds the codecs of every tensor, as seen with `approx_bits` bits cleared.
    pub(super) fn prepare(
        input: &Input,
        plan: &Plan,
        approx_bits: Option<u32>,
        watch: Watch<'_>,
    ) -> Result<Self, AnalyzeError> {
        let mut in_training: Vec<InTraining> = Vec::new();
        for tensor in &input.tensors {
            let Some(view) = View::of(tensor, approx_bits) else { continue };
            let specs = plan.choice.specs(tensor.dtype, plan.block)?;
            for spec in &specs {
                let text = spec.text();
                match in_training.iter_mut().find(|known| known.text == text) {
                    Some(known) => known.shared_by_bytes += tensor.bytes.len(),
                    None => in_training.push(InTraining {
                        spec: spec.clone(),
                        text,
                        trainer: spec.trainer(),
                        shared_by_bytes: tensor.bytes.len(),
                    }),
                }
            }
            train(&mut in_training, &specs, tensor, view, plan, watch)
                .map_err(|error| AnalyzeError::read(input, error))?;
        }
        Ok(Self { built: in_training.into_par_iter().map(InTraining::finish).collect() })
    }

    /// The codecs for a tensor, in the registry's order.
    pub(super) fn of(&self, tensor: &Tensor, plan: &Plan) -> Result<Vec<Chosen<'_>>, AnalyzeError> {
        let specs = plan.choice.specs(tensor.dtype, plan.block)?;
        let find = |spec: Spec| {
            let text = spec.text();
            let built = self.built.iter().find(|known| known.text == text)?;
            let share = tensor.bytes.len() as f64 / built.shared_by_bytes.max(1) as f64;
            let table_bytes = (built.table_bytes as f64 * share).round() as u64;
            Some(Chosen { spec, codec: &*built.codec, table_bytes })
        };
        Ok(specs.into_iter().filter_map(find).collect())
    }
}

/// Shows a tensor's sample to those codecs that will look at it.
fn train(
    in_training: &mut [InTraining],
    specs: &[Spec],
    tensor: &Tensor,
    view: View,
    plan: &Plan,
    watch: Watch<'_>,
) -> std::io::Result<()> {
    let wanted: Vec<String> = specs.iter().filter(|spec| spec.is_trained()).map(Spec::text).collect();
    let sample_bytes = plan.train.bytes_of(tensor.bytes.len(), plan.block.bytes());
    if wanted.is_empty() {
        return watch.advance(sample_bytes);
    }
    for window in tensor.bytes.windows(sample_bytes) {
        let window = window?;
        let seen = view.seen(&window);
        in_training
            .par_iter_mut()
            .filter(|codec| codec.spec.is_trained() && wanted.contains(&codec.text))
            .for_each(|codec| codec.trainer.observe(&seen));
        watch.advance(window.len() as u64)?;
    }
    Ok(())
}
