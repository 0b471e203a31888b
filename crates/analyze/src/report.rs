//! What an analysis found: plain data that every output format reads.

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::analysis::dbx::DbxReport;
use shrinkwarp_codec::analysis::shannon::ShannonBound;
use shrinkwarp_codec::transform::ApproximationError;

use super::tally::Tally;
use shrinkwarp_formats::Dtype;

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
    /// The Shannon bounds over all tensors together.
    pub bounds: Vec<ShannonBound>,
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
    /// What clearing low mantissa bits did to the values, where that was requested and the type allows it.
    pub error: Option<ApproximationError>,
    /// One result per codec, in the registry's order; then the same after approximation.
    pub results: Vec<CodecResult>,
    /// The Shannon bounds of its exact bytes.
    pub bounds: Vec<ShannonBound>,
    /// The statistics behind the heat map, where they were requested.
    pub planes: Option<DbxReport>,
}

/// One codec on some data.
#[derive(Clone, Debug)]
pub struct CodecResult {
    /// The codec with its parameters.
    pub spec: String,
    /// The codec's name, under which totals are summed.
    pub name: &'static str,
    /// The low mantissa bits cleared before the codec saw the data.
    pub approx_bits: Option<u32>,
    /// The bytes of its trained tables, or the tensor's share of them. Ratios leave them out; the ranking does not.
    pub table_bytes: u64,
    /// What it costs.
    pub tally: Tally,
}

impl CodecResult {
    /// What a row is called: `bpc`, or `bpc+approx8` after approximation.
    pub fn label(&self) -> String {
        match self.approx_bits {
            None => self.spec.clone(),
            Some(bits) => format!("{}+approx{bits}", self.spec),
        }
    }

    fn is_same_row(&self, name: &str, approx_bits: Option<u32>) -> bool {
        self.name == name && self.approx_bits == approx_bits
    }

    /// Whether the codec saves enough memory traffic to be worth its hardware, its tables fetched once.
    pub fn is_worthwhile(&self) -> bool {
        self.saving() >= WORTHWHILE_SAVING
    }

    /// The share of the bytes fetched that the codec saves.
    pub fn saving(&self) -> f64 {
        if self.tally.data_mag_bytes == 0 {
            return 0.0;
        }
        1.0 - self.fetched_bytes() as f64 / self.tally.data_mag_bytes as f64
    }

    /// The bytes fetched to see all the data once: bursts of 32 B, and the tables.
    pub fn fetched_bytes(&self) -> u64 {
        self.tally.stored_mag_bytes + self.table_bytes
    }
}

impl Report {
    /// All tensors of all inputs.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorReport> {
        self.inputs.iter().flat_map(|input| &input.tensors)
    }
}

/// The lossless result that fetches the least; among equals the one that stores the least.
pub fn best(results: &[CodecResult]) -> Option<&CodecResult> {
    ranked(results).into_iter().find(|result| result.approx_bits.is_none())
}

/// The same among results after approximation.
pub fn best_approximated(results: &[CodecResult]) -> Option<&CodecResult> {
    ranked(results).into_iter().find(|result| result.approx_bits.is_some())
}

/// The result that fetches the least first, tables included; among equals the one that stores the least.
pub fn ranked(results: &[CodecResult]) -> Vec<&CodecResult> {
    let mut ranked: Vec<&CodecResult> = results.iter().collect();
    ranked.sort_by_key(|result| (result.fetched_bytes(), result.tally.stored_bits));
    ranked
}

/// The bound that the E2MC paper draws: symbols of 16 bits, one table.
pub fn bound16(bounds: &[ShannonBound]) -> Option<&ShannonBound> {
    bounds.iter().find(|bound| bound.symbol_bits == 16 && bound.tables == 1)
}

/// The results of each codec summed over tensors. A codec that did not look at a tensor leaves it raw; a tensor that
/// cannot be approximated stays exact.
pub fn totals<'a>(
    tensors: impl Iterator<Item = &'a TensorReport> + Clone,
    block: BlockBytes,
) -> Vec<CodecResult> {
    let mut totals: Vec<CodecResult> = Vec::new();
    for result in tensors.clone().flat_map(|tensor| &tensor.results) {
        if !totals.iter().any(|total| total.is_same_row(result.name, result.approx_bits)) {
            let spec = result.name.to_owned();
            totals.push(CodecResult { spec, tally: Tally::default(), table_bytes: 0, ..*result });
        }
    }
    for tensor in tensors {
        for total in &mut totals {
            let find = |bits| tensor.results.iter().find(|result| result.is_same_row(total.name, bits));
            match find(total.approx_bits).or_else(|| find(None)) {
                Some(result) => {
                    total.tally.add(&result.tally);
                    total.table_bytes += result.table_bytes;
                }
                None => total.tally.add(&Tally::of_raw(tensor.bytes, block)),
            }
        }
    }
    totals.sort_by_key(|total| total.approx_bits);
    totals
}

/// The error over several tensors: means weighted by elements, the worst tensor's maxima and NRMSE. The latter is
/// relative to each tensor's own range, so it has no sum.
pub fn total_error<'a>(tensors: impl Iterator<Item = &'a TensorReport>) -> Option<ApproximationError> {
    tensors.filter_map(|tensor| tensor.error).reduce(|a, b| {
        let elements = a.elements + b.elements;
        let relative_sum = a.mean_relative * a.elements as f64 + b.mean_relative * b.elements as f64;
        ApproximationError {
            elements,
            not_finite: a.not_finite + b.not_finite,
            max_absolute: a.max_absolute.max(b.max_absolute),
            max_relative: a.max_relative.max(b.max_relative),
            mean_relative: if elements == 0 { 0.0 } else { relative_sum / elements as f64 },
            nrmse: a.nrmse.max(b.nrmse),
        }
    })
}
