//! What an analysis found: plain data that every output format reads.

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::analysis::plane_ones::PlaneOnes;
use shrinkwarp_codec::analysis::shannon::ShannonBound;
use shrinkwarp_codec::transform::ApproximationError;

use super::tally::{FLIT_BYTES, Tally};
use shrinkwarp_formats::Dtype;

/// The share of a place's cost below which compression is called not worth it there.
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
    pub planes: Option<PlaneOnes>,
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
    /// The bytes of its trained tables, or the tensor's share of them, not rounded so that shares add up. Ratios leave
    /// them out; the ranking does not.
    pub table_share: f64,
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

    /// The bytes of its trained tables, or the tensor's share of them.
    pub fn table_bytes(&self) -> u64 {
        self.table_share.round() as u64
    }

    fn is_same_row(&self, name: &str, approx_bits: Option<u32>) -> bool {
        self.name == name && self.approx_bits == approx_bits
    }

    /// Whether the codec saves enough at a place to be worth its hardware.
    pub fn is_worthwhile_at(&self, place: Place) -> bool {
        self.saving_at(place) >= WORTHWHILE_SAVING
    }

    /// The bytes fetched to see all the data once: bursts of 32 B, and the tables.
    fn fetched_bytes(&self) -> f64 {
        self.tally.stored_mag_bytes as f64 + self.table_share
    }

    /// The share of a place's cost that the codec saves, its tables fetched, sent or stored once; 0 of nothing.
    pub fn saving_at(&self, place: Place) -> f64 {
        let tally = &self.tally;
        let (data, stored, tables) = match place {
            Place::Bursts => (tally.data_mag_bytes, tally.stored_mag_bytes, self.table_share),
            Place::Flits => (tally.data_flits, tally.stored_flits, self.table_share / f64::from(FLIT_BYTES)),
            Place::Capacity => (tally.data_bits, tally.stored_bits, 8.0 * self.table_share),
        };
        if data == 0 { 0.0 } else { 1.0 - (stored as f64 + tables) / data as f64 }
    }
}

/// Where compression can pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Bursts of 32 B from memory.
    Bursts,
    /// Flits of packets on the interconnect.
    Flits,
    /// Room in a cache or in memory, bit by bit.
    Capacity,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bursts, Self::Flits, Self::Capacity];

    /// What is saved there.
    pub fn what(self) -> &'static str {
        match self {
            Self::Bursts => "bytes fetched from memory",
            Self::Flits => "flits on the interconnect",
            Self::Capacity => "room in caches and memory",
        }
    }

    /// One word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bursts => "bursts",
            Self::Flits => "flits",
            Self::Capacity => "capacity",
        }
    }
}

/// The lossless result that saves the most at a place; among equals the one that fetches the least.
pub fn best_at(results: &[CodecResult], place: Place) -> Option<&CodecResult> {
    let exact = ranked(results).into_iter().filter(|result| result.approx_bits.is_none());
    // The last of equals wins, and the ranking starts with the best.
    exact.rev().max_by(|a, b| a.saving_at(place).total_cmp(&b.saving_at(place)))
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
    ranked.sort_by(|a, b| {
        let by_fetched = a.fetched_bytes().total_cmp(&b.fetched_bytes());
        by_fetched.then(a.tally.stored_bits.cmp(&b.tally.stored_bits))
    });
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
            totals.push(CodecResult { spec, tally: Tally::default(), table_share: 0.0, ..*result });
        }
    }
    for tensor in tensors {
        for total in &mut totals {
            let find = |bits| tensor.results.iter().find(|result| result.is_same_row(total.name, bits));
            match find(total.approx_bits).or_else(|| find(None)) {
                Some(result) => {
                    total.tally.add(&result.tally);
                    total.table_share += result.table_share;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &'static str, stored_mag_bytes: u64, stored_flits: u64, table_share: f64) -> CodecResult {
        let tally = Tally {
            blocks: 10,
            data_bits: 10_240,
            stored_bits: 8 * stored_mag_bytes,
            data_mag_bytes: 1280,
            stored_mag_bytes,
            data_flits: 50,
            stored_flits,
            ..Tally::default()
        };
        CodecResult { spec: name.to_owned(), name, approx_bits: None, table_share, tally }
    }

    #[test]
    fn each_place_has_its_own_best_codec() {
        let results = [result("a", 1280, 40, 0.0), result("b", 640, 50, 0.0)];
        let best = |place| best_at(&results, place).unwrap();
        assert_eq!((best(Place::Flits).name, best(Place::Flits).tally.stored_flits), ("a", 40));
        assert_eq!((best(Place::Bursts).name, best(Place::Capacity).name), ("b", "b"));
        assert!(!results[0].is_worthwhile_at(Place::Bursts), "flits are not bursts");
        assert!(results[0].is_worthwhile_at(Place::Flits));
    }

    #[test]
    fn shares_of_tables_add_up_to_the_tables() {
        let tensor = |share| TensorReport {
            name: String::new(),
            dtype: Dtype::F32,
            shape: vec![320],
            bytes: 1280,
            error: None,
            results: vec![result("sc", 1280, 50, share)],
            bounds: Vec::new(),
            planes: None,
        };
        let tensors: Vec<TensorReport> = (0..100).map(|_| tensor(0.43)).collect();
        assert_eq!(totals(tensors.iter(), BlockBytes::B128)[0].table_bytes(), 43);
    }
}
