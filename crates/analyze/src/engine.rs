//! The passes over the data: training, sizes, and what the report shows beside them. One window of a tensor is mapped
//! at a time; its pieces and the codecs spread over all cores.

mod codecs;
mod passes;
mod view;

use std::io;

use rayon::prelude::*;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::analysis::shannon::ShannonCounts;

use super::choose::Choice;
use super::report::{InputReport, TensorReport};
use crate::AnalyzeError;
use crate::training::TrainingShare;
use crate::watch::Watch;
use codecs::Codecs;
use shrinkwarp_formats::{Input, Tensor};
use view::View;

/// What to do with every input.
pub struct Plan {
    /// The block size.
    pub block: BlockBytes,
    /// The codecs.
    pub choice: Choice,
    /// How much of each tensor trains.
    pub train: TrainingShare,
    /// The low mantissa bits to clear in a second round.
    pub approx_bits: Option<u32>,
    /// Whether to collect the statistics for the heat map.
    pub with_planes: bool,
}

impl Plan {
    /// The bytes that an analysis of an input goes through, training included: what progress counts.
    pub fn work_bytes(&self, input: &Input) -> u64 {
        let of_tensor = |len: u64| len + self.train.bytes_of(len, self.block.bytes());
        let once: u64 = input.tensors.iter().map(|tensor| of_tensor(tensor.bytes.len())).sum();
        once * if self.approx_bits.is_some() { 2 } else { 1 }
    }
}

/// Analyses one input.
pub fn analyze(input: &Input, plan: &Plan, watch: Watch<'_>) -> Result<InputReport, AnalyzeError> {
    let failure = |error| AnalyzeError::read(input, error);
    let mut tensors: Vec<TensorReport> = Vec::new();
    let mut all_counts = ShannonCounts::default();
    // Each core holds the counts of one tensor at a time.
    for group in input.tensors.chunks(rayon::current_num_threads()) {
        let described: Vec<_> = group.par_iter().map(|tensor| describe(tensor, plan)).collect();
        for outcome in described {
            let (report, counts) = outcome.map_err(failure)?;
            tensors.push(report);
            all_counts.merge(counts);
        }
        watch.advance(0).map_err(failure)?;
    }
    let rounds = [None].into_iter().chain(plan.approx_bits.map(Some));
    for approx_bits in rounds {
        let codecs = Codecs::prepare(input, plan, approx_bits, watch)?;
        for (tensor, report) in input.tensors.iter().zip(&mut tensors) {
            let Some(view) = View::of(tensor, approx_bits) else { continue };
            let chosen = codecs.of(tensor, plan)?;
            report.results.extend(passes::sizes(tensor, plan.block, view, &chosen, watch).map_err(failure)?);
        }
    }
    Ok(InputReport { name: input.name.clone(), tensors, bounds: all_counts.report() })
}

/// All about a tensor that needs no codec.
fn describe(tensor: &Tensor, plan: &Plan) -> io::Result<(TensorReport, ShannonCounts)> {
    let view = View::approximated(tensor, plan.approx_bits);
    let mut counts = passes::symbols(tensor)?;
    let report = TensorReport {
        name: tensor.name.clone(),
        dtype: tensor.dtype,
        shape: tensor.shape.clone(),
        bytes: tensor.bytes.len(),
        error: view.and_then(|view| passes::error(tensor, view)).transpose()?,
        results: Vec::new(),
        bounds: counts.report(),
        planes: plan.with_planes.then(|| passes::planes(tensor, plan.block)).transpose()?,
    };
    Ok((report, counts))
}
