//! How a run is run, and how a machine's numbers become a result.

use std::sync::atomic::AtomicBool;

use shrinkwarp_emu::device::Device;
use shrinkwarp_machine::result::{Executed, result_of};
use shrinkwarp_sim::energy::EnergySet;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_workloads::{Failure, Setup};

use super::approximated::execute_approximated;
use super::device::{RecordedGpu, Watcher};
use super::spec::Run;
use crate::LabError;

/// Who looks on, and who may stop the run.
pub struct Watching<'w> {
    /// Set it to end the run early.
    pub interrupt: Option<&'w AtomicBool>,
    /// Is told how far the run is.
    pub watcher: &'w mut dyn Watcher,
}

/// Runs a run whose trained codecs have these tables. A run that was interrupted is no failure: what happened until then
/// is its result.
pub fn execute(run: &Run, tables: &Tables, watching: &mut Watching<'_>) -> Result<Executed, LabError> {
    let scheme = Scheme::build_with(run.scheme.clone(), tables, &run.own_codecs, run.verifies)
        .map_err(|error| LabError::Work(error.to_string()))?;
    let gpu = Gpu::with_scheme(run.gpu.clone(), scheme);
    let mut device = RecordedGpu::new(gpu, run.sample_cycles, watching.interrupt, watching.watcher);
    device.set_region_entries(run.region_entries);
    let outcome = execute_on(run, &mut device);
    let errors = if device.is_interrupted() {
        Vec::new()
    } else {
        outcome.map_err(|failure| describe(run, &failure))?
    };
    let mut executed = measure(device, &run.energy)?;
    for (name, error) in errors {
        executed.result.counters.set(&name, error);
    }
    Ok(executed)
}

/// Runs the workload, which checks its result or tells its error.
fn execute_on(run: &Run, device: &mut dyn Device) -> Result<Vec<(String, f64)>, Failure> {
    let input = run.input.as_ref().map(|input| &*input.bytes);
    let approximate_bits = run.scheme.approximation.bits;
    let data = Some(run.data.name);
    let setup = Setup { input, data, approximate_bits, ..Setup::usual(run.scale, run.seed) };
    if run.reports_error {
        return execute_approximated(run.workload, device, setup);
    }
    run.workload.execute_with(device, setup).map(|_| Vec::new())
}

/// What a recorded machine counted, as a result.
pub fn measure(mut device: RecordedGpu<'_>, energy: &EnergySet) -> Result<Executed, LabError> {
    let (gpu, machine, phases) =
        (device.spec().clone(), device.machine_counters(), device.l1_record().cloned());
    Ok(result_of(&gpu, machine, device.into_launches(), phases.as_ref(), energy)?)
}

fn describe(run: &Run, failure: &Failure) -> LabError {
    match (&run.input, failure) {
        (Some(input), Failure::Input(error)) => LabError::file(&input.path, error),
        _ => LabError::Work(format!("workload {}: {failure}", run.workload.name)),
    }
}
