//! A workload with approximated loads: what its results are worth, beside those of the exact program.

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_machine::result::ERROR_PREFIX;
use shrinkwarp_workloads::{Failure, Output, Setup, Workload};

/// Runs the workload on the device with approximated loads and compares each result with that of an exact run
/// without time. Gives the number's name and the error for each.
pub fn execute_approximated(
    workload: &'static Workload,
    device: &mut dyn Device,
    setup: Setup<'_>,
) -> Result<Vec<(String, f64)>, Failure> {
    let setup = Setup { keeps_outputs: true, ..setup };
    let approximated = workload.execute_with(device, setup)?;
    let exact = workload.execute_with(&mut Functional::new(), Setup { approximate_bits: 0, ..setup })?;
    let metric = workload.metric();
    let error = |(got, exact): (&Output, &Output)| {
        (format!("{ERROR_PREFIX}{}.{}", got.name, metric.name()), metric.error(&got.got, &exact.got))
    };
    Ok(approximated.outputs.iter().zip(&exact.outputs).map(error).collect())
}
