//! A workload with approximated loads: what its results are worth, beside those of the exact program.

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_launchfile::Finding;
use shrinkwarp_workloads::{Failure, Output, Setup, Workload};

/// Runs the workload on the device with approximated loads and compares each result with that of an exact run
/// without time. Gives the metric and the error of each.
pub fn execute_approximated(
    workload: &'static Workload,
    device: &mut dyn Device,
    setup: Setup<'_>,
) -> Result<Vec<Finding>, Failure> {
    let setup = Setup { keeps_outputs: true, ..setup };
    let approximated = workload.execute_with(device, setup)?;
    let exact = workload.execute_with(&mut Functional::new(), Setup { approximate_bits: 0, ..setup })?;
    let metric = workload.metric();
    let error = |(got, exact): (&Output, &Output)| {
        let error = metric.error(&got.got, &exact.got);
        let approximation_error = Some((metric.name().to_owned(), error));
        Finding { buffer: got.name.to_string(), approximation_error, ..Finding::default() }
    };
    Ok(approximated.outputs.iter().zip(&exact.outputs).map(error).collect())
}
