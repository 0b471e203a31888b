//! The report as JSON: per input and tensor an array with one object per codec.

use serde_json::{Value, json};

use shrinkwarp_codec::analysis::shannon::ShannonBound;
use shrinkwarp_codec::transform::ApproximationError;

use super::report::{
    CodecResult, Place, Report, TensorReport, best, best_approximated, best_at, total_error, totals,
};

/// The whole report.
pub fn to_json(report: &Report) -> String {
    let inputs: Vec<Value> = report
        .inputs
        .iter()
        .map(|input| {
            let tensors: Vec<Value> = input.tensors.iter().map(tensor).collect();
            json!({
                "input": input.name,
                "tensors": tensors,
                "shannon_bounds": bounds(&input.bounds),
                "total": results(&totals(input.tensors.iter(), report.block), total_error(input.tensors.iter())),
            })
        })
        .collect();
    let all = totals(report.inputs.iter().flat_map(|input| &input.tensors), report.block);
    let document = json!({
        "block_bytes": report.block.bytes(),
        "inputs": inputs,
        "total": results(&all, total_error(report.tensors())),
        "best": best(&all).map(verdict),
        "best_approximated": best_approximated(&all).map(verdict),
        "best_at": at_places(&all),
    });
    format!("{document:#}\n")
}

fn tensor(tensor: &TensorReport) -> Value {
    json!({
        "tensor": tensor.name,
        "dtype": tensor.dtype.name(),
        "shape": tensor.shape,
        "bytes": tensor.bytes,
        "blocks": tensor.results.first().map_or(0, |result| result.tally.blocks),
        "codecs": results(&tensor.results, tensor.error),
        "shannon_bounds": bounds(&tensor.bounds),
        "best": best(&tensor.results).map(verdict),
        "best_approximated": best_approximated(&tensor.results).map(verdict),
        "best_at": at_places(&tensor.results),
    })
}

/// One object per codec; results after approximation carry its bits and the error of the values.
fn results(results: &[CodecResult], error: Option<ApproximationError>) -> Vec<Value> {
    results
        .iter()
        .map(|result| {
            let mut object = json!({
                "codec": result.spec,
                "raw_ratio": result.tally.raw_ratio(),
                "mag32_ratio": result.tally.mag32_ratio(),
                "flits_saved": result.tally.flits_saved(),
                "raw_blocks": result.tally.raw_share(),
                "bits": result.tally.stored_bits,
                "table_bytes": result.table_bytes(),
            });
            if let (Some(bits), Some(error)) = (result.approx_bits, error) {
                object["approx_bits"] = bits.into();
                object["error"] = json!({
                    "max_absolute": error.max_absolute,
                    "max_relative": error.max_relative,
                    "mean_relative": error.mean_relative,
                    "nrmse": error.nrmse,
                });
            }
            object
        })
        .collect()
}

/// A ratio without a limit (data of one symbol) is null.
fn bounds(bounds: &[ShannonBound]) -> Vec<Value> {
    bounds
        .iter()
        .map(|bound| {
            json!({
                "symbol_bits": bound.symbol_bits,
                "tables": bound.tables,
                "ratio": bound.best_ratio(),
                "exact": bound.is_exact,
            })
        })
        .collect()
}

/// The best codec at each place where compression can pay.
fn at_places(results: &[CodecResult]) -> Value {
    let of_place = |place: Place| {
        let best = best_at(results, place).map(|result| {
            let is_worthwhile = result.is_worthwhile_at(place);
            json!({"codec": result.spec, "saving": result.saving_at(place), "worthwhile": is_worthwhile})
        });
        (place.name().to_owned(), best.unwrap_or(Value::Null))
    };
    Value::Object(Place::ALL.into_iter().map(of_place).collect())
}

fn verdict(result: &CodecResult) -> Value {
    json!({"codec": result.spec, "worthwhile": result.is_worthwhile_at(Place::Bursts)})
}
