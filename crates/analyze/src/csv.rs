//! The report as CSV: one line per tensor and codec, a header first.

use shrinkwarp_codec::transform::ApproximationError;

use super::report::Report;
use shrinkwarp_report::text::quoted;

/// The whole report.
pub fn to_csv(report: &Report) -> String {
    let mut text = "input,tensor,dtype,shape,bytes,codec,raw_ratio,mag32_ratio,flits_saved,raw_blocks,bits,\
         approx_bits,max_absolute,max_relative,mean_relative,nrmse\n"
        .to_owned();
    for input in &report.inputs {
        for tensor in &input.tensors {
            let shape: Vec<String> = tensor.shape.iter().map(u64::to_string).collect();
            for result in &tensor.results {
                let tally = &result.tally;
                text += &format!(
                    "{},{},{},{},{},{},{:.6},{:.6},{:.6},{:.6},{},{}\n",
                    quoted(&input.name),
                    quoted(&tensor.name),
                    tensor.dtype,
                    shape.join("x"),
                    tensor.bytes,
                    quoted(&result.spec),
                    tally.raw_ratio(),
                    tally.mag32_ratio(),
                    tally.flits_saved(),
                    tally.raw_share(),
                    tally.stored_bits,
                    approximation(result.approx_bits, tensor.error),
                );
            }
        }
    }
    text
}

/// The five columns about approximation, empty for exact results.
fn approximation(approx_bits: Option<u32>, error: Option<ApproximationError>) -> String {
    match (approx_bits, error) {
        (Some(bits), Some(error)) => format!(
            "{bits},{:e},{:e},{:e},{:e}",
            error.max_absolute, error.max_relative, error.mean_relative, error.nrmse
        ),
        _ => ",,,,".to_owned(),
    }
}
