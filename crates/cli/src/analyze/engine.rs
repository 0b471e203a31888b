//! The passes over the data: training, then sizes. One window of a tensor is mapped at a time; its pieces and the
//! codecs spread over all cores.

use std::io;

use memmap2::Mmap;
use rayon::prelude::*;
use shrinkwarp_codec::analysis::dbx::{DbxReport, DbxStatistics};
use shrinkwarp_codec::registry::Spec;
use shrinkwarp_codec::{BlockBytes, BlockCodec, SpecError, Trainer};

use super::choose::Choice;
use super::report::{CodecResult, InputReport, TensorReport};
use super::tally::Tally;
use crate::commands::training::TrainingShare;
use crate::failure::Failure;
use crate::input::{Input, Tensor};

/// What one task handles: large enough to hide its start, small enough to spread.
const PIECE_BYTES: usize = 256 << 10;

/// What to do with every input.
pub struct Plan {
    /// The block size.
    pub block: BlockBytes,
    /// The codecs.
    pub choice: Choice,
    /// How much of each tensor trains.
    pub train: TrainingShare,
    /// Whether to collect the statistics for the heat map.
    pub with_planes: bool,
}

/// Analyses one input. `progress` hears of bytes done: each byte once, and the training sample before.
pub fn analyze(input: &Input, plan: &Plan, progress: &(dyn Fn(u64) + Sync)) -> Result<InputReport, Failure> {
    let codecs = Codecs::prepare(input, plan, progress)?;
    let failure = |error: io::Error| Failure::Work(format!("{}: {error}", input.name));
    let mut tensors = Vec::new();
    for tensor in &input.tensors {
        let chosen = codecs.of(tensor, plan)?;
        let results = sizes(tensor, plan.block, &chosen, progress).map_err(failure)?;
        let planes = if plan.with_planes { Some(planes(tensor, plan.block).map_err(failure)?) } else { None };
        tensors.push(TensorReport {
            name: tensor.name.clone(),
            dtype: tensor.dtype,
            shape: tensor.shape.clone(),
            bytes: tensor.bytes.len(),
            results,
            planes,
        });
    }
    Ok(InputReport { name: input.name.clone(), tensors })
}

/// The codecs of one input, each built once and shared by its tensors.
struct Codecs {
    built: Vec<(String, Box<dyn BlockCodec>)>,
}

struct InTraining {
    spec: Spec,
    text: String,
    trainer: Box<dyn Trainer>,
}

impl Codecs {
    fn prepare(input: &Input, plan: &Plan, progress: &(dyn Fn(u64) + Sync)) -> Result<Self, Failure> {
        let mut in_training: Vec<InTraining> = Vec::new();
        for tensor in &input.tensors {
            let specs = plan.choice.specs(tensor.dtype, plan.block).map_err(|error| usage(&error))?;
            for spec in &specs {
                let text = spec.text();
                if !in_training.iter().any(|known| known.text == text) {
                    let trainer = spec.trainer();
                    in_training.push(InTraining { spec: spec.clone(), text, trainer });
                }
            }
            let wanted: Vec<String> = specs.iter().filter(|spec| spec.is_trained()).map(Spec::text).collect();
            let sample = plan.train.bytes_of(tensor.bytes.len(), plan.block.bytes());
            if wanted.is_empty() {
                continue;
            }
            for window in tensor.bytes.windows(sample) {
                let window = window.map_err(|error| Failure::Work(format!("{}: {error}", input.name)))?;
                let learning = in_training.par_iter_mut();
                learning
                    .filter(|codec| codec.spec.is_trained() && wanted.contains(&codec.text))
                    .for_each(|codec| codec.trainer.observe(&window));
                progress(window.len() as u64);
            }
        }
        let built = in_training.into_par_iter().map(|codec| (codec.text, codec.trainer.finish()));
        Ok(Self { built: built.collect() })
    }

    /// The codecs for a tensor, in the registry's order.
    fn of(&self, tensor: &Tensor, plan: &Plan) -> Result<Vec<(Spec, &dyn BlockCodec)>, Failure> {
        let specs = plan.choice.specs(tensor.dtype, plan.block).map_err(|error| usage(&error))?;
        let find = |spec: Spec| {
            let text = spec.text();
            let (_, codec) = self.built.iter().find(|(known, _)| *known == text)?;
            Some((spec, &**codec))
        };
        Ok(specs.into_iter().filter_map(find).collect())
    }
}

fn usage(error: &SpecError) -> Failure {
    Failure::Usage(format!("--codec: {error}"))
}

fn sizes(
    tensor: &Tensor,
    block: BlockBytes,
    codecs: &[(Spec, &dyn BlockCodec)],
    progress: &(dyn Fn(u64) + Sync),
) -> io::Result<Vec<CodecResult>> {
    let tail_bytes = tensor.bytes.len() % block.bytes() as u64;
    let mut results: Vec<CodecResult> = codecs
        .iter()
        .map(|(spec, _)| CodecResult {
            spec: spec.text(),
            name: spec.entry.name,
            tally: Tally::of_raw(tail_bytes, block),
        })
        .collect();
    for window in tensor.bytes.windows(tensor.bytes.len()) {
        let window = window?;
        let blocks = whole_blocks(&window, block);
        let tallies: Vec<Tally> = codecs.par_iter().map(|(_, codec)| size_window(*codec, blocks)).collect();
        for (result, tally) in results.iter_mut().zip(&tallies) {
            result.tally.add(tally);
        }
        progress(window.len() as u64);
    }
    Ok(results)
}

fn size_window(codec: &dyn BlockCodec, blocks: &[u8]) -> Tally {
    let sum = |mut total: Tally, part: Tally| {
        total.add(&part);
        total
    };
    blocks
        .par_chunks(PIECE_BYTES)
        .map_init(Vec::new, |sizes, piece| Tally::of_blocks(codec, piece, sizes))
        .reduce(Tally::default, sum)
}

fn planes(tensor: &Tensor, block: BlockBytes) -> io::Result<DbxReport> {
    let total_blocks = tensor.bytes.len() / block.bytes() as u64;
    let mut statistics = DbxStatistics::new(block, total_blocks);
    let mut first_block = 0;
    for window in tensor.bytes.windows(tensor.bytes.len()) {
        let window = window?;
        let blocks = whole_blocks(&window, block);
        let piece_blocks = (PIECE_BYTES / block.bytes()) as u64;
        let parts: Vec<DbxStatistics> = blocks
            .par_chunks(PIECE_BYTES)
            .enumerate()
            .map(|(index, piece)| {
                let mut part = DbxStatistics::new(block, total_blocks);
                part.observe(first_block + index as u64 * piece_blocks, piece);
                part
            })
            .collect();
        for part in parts {
            statistics.merge(part);
        }
        first_block += (blocks.len() / block.bytes()) as u64;
    }
    Ok(statistics.report())
}

/// A window starts at a block's first byte; only a tensor's last one can end inside a block.
fn whole_blocks(window: &Mmap, block: BlockBytes) -> &[u8] {
    &window[..window.len() / block.bytes() * block.bytes()]
}
