//! What an analysis found: plain data that every output format reads.

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::analysis::dbx::DbxReport;

use super::tally::Tally;
use crate::input::Dtype;

/// Savings at 32 B accesses below which compression is called not worth it.
pub const WORTHWHILE_SAVING: f64 = 0.05;

/// Everything.
pub struct Report {
    /// The block size.
    pub block: BlockBytes,
    /// Each file, in order.
    pub inputs: Vec<InputReport>,
}

/// One file.
pub struct InputReport {
    /// Its path.
    pub name: String,
    /// Its tensors.
    pub tensors: Vec<TensorReport>,
}

/// One tensor.
pub struct TensorReport {
    /// Its name; empty where the file is the tensor.
    pub name: String,
    /// Its element type.
    pub dtype: Dtype,
    /// Its extents.
    pub shape: Vec<u64>,
    /// Its bytes.
    pub bytes: u64,
    /// One result per codec, in the registry's order.
    pub results: Vec<CodecResult>,
    /// The statistics behind the heat map, where they were asked for.
    pub planes: Option<DbxReport>,
}

/// One codec on some data.
#[derive(Clone, Debug)]
pub struct CodecResult {
    /// The codec with its parameters.
    pub spec: String,
    /// The codec's name, under which totals are summed.
    pub name: &'static str,
    /// What it costs.
    pub tally: Tally,
}

impl CodecResult {
    /// Whether the codec saves enough memory traffic to be worth its hardware.
    pub fn is_worthwhile(&self) -> bool {
        1.0 - 1.0 / self.tally.mag32_ratio() >= WORTHWHILE_SAVING
    }
}

impl Report {
    /// All tensors of all inputs.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorReport> {
        self.inputs.iter().flat_map(|input| &input.tensors)
    }
}

/// The result that fetches the least; among equals the one that stores the least.
pub fn best(results: &[CodecResult]) -> Option<&CodecResult> {
    results.iter().min_by_key(|result| (result.tally.stored_mag_bytes, result.tally.stored_bits))
}

/// The results of each codec summed over tensors. A codec that did not look at a tensor leaves it raw.
pub fn totals<'a>(
    tensors: impl Iterator<Item = &'a TensorReport> + Clone,
    block: BlockBytes,
) -> Vec<CodecResult> {
    let mut totals: Vec<CodecResult> = Vec::new();
    for result in tensors.clone().flat_map(|tensor| &tensor.results) {
        if !totals.iter().any(|total| total.name == result.name) {
            let (spec, name) = (result.name.to_owned(), result.name);
            totals.push(CodecResult { spec, name, tally: Tally::default() });
        }
    }
    for tensor in tensors {
        for total in &mut totals {
            match tensor.results.iter().find(|result| result.name == total.name) {
                Some(result) => total.tally.add(&result.tally),
                None => total.tally.add(&Tally::of_raw(tensor.bytes, block)),
            }
        }
    }
    totals
}
