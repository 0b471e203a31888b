//! How a run is run, and how a machine's numbers become a result.

use std::sync::atomic::AtomicBool;

use shrinkwarp_emu::device::Device;
use shrinkwarp_sim::compute::l1::L1Record;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::energy::{EnergyReport, EnergySet, Events, report as energy_report};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::launch::RunReport;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_workloads::{Failure, Setup};

use super::approximated::execute_approximated;
use super::counters::Counters;
use super::derived::add_derived;
use super::device::{RecordedGpu, Watcher};
use super::result::{LaunchResult, RunResult, Series};
use super::spec::Run;
use crate::LabError;

/// Who looks on, and who may stop the run.
pub struct Watching<'w> {
    /// Set it to end the run early.
    pub interrupt: Option<&'w AtomicBool>,
    /// Is told how far the run is.
    pub watcher: &'w mut dyn Watcher,
}

impl<'w> Watching<'w> {
    /// Nobody looks on.
    pub fn nobody(nobody: &'w mut ()) -> Self {
        Self { interrupt: None, watcher: nobody }
    }
}

/// A run that has been run: its result, and what only a run that has just been run can tell.
#[derive(Debug)]
pub struct Executed {
    /// Its result.
    pub result: RunResult,
    /// The machine's own counters.
    pub machine: MachineCounters,
    /// The energy by part.
    pub energy: EnergyReport,
    /// The launches, with when each block lived where.
    pub launches: Vec<RunReport>,
    /// Whether it was ended early, so that the result is what happened until then.
    pub is_partial: bool,
}

/// Runs a run whose trained codecs have these tables. A run that was interrupted is no failure: what happened until then
/// is its result.
pub fn execute(run: &Run, tables: &Tables, watching: &mut Watching<'_>) -> Result<Executed, LabError> {
    let scheme = Scheme::build(run.scheme.clone(), tables, run.verifies)
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
    result_of(&gpu, machine, device.into_launches(), phases.as_ref(), energy)
}

/// What a machine counted in these launches, and its L1 decided phase by phase, as a result.
pub fn result_of(
    gpu: &GpuSpec,
    machine: MachineCounters,
    launches: Vec<RunReport>,
    phases: Option<&L1Record>,
    energy: &EnergySet,
) -> Result<Executed, LabError> {
    let mut counters = Counters::default();
    let structure = serde_json::to_value(&machine)
        .map_err(|error| LabError::Work(format!("the counters cannot be written: {error}")))?;
    counters.add("", &structure);
    let events = Events::of(&machine, gpu);
    let energy = energy_report(energy, &events);
    add_energy(&mut counters, &energy);
    add_derived(&mut counters, &machine, &events, gpu);
    let is_partial = launches.last().is_some_and(|launch| launch.is_partial);
    let result = RunResult {
        cycles: launches.iter().map(|launch| launch.cycles).sum(),
        thread_instructions: machine.sm.thread_instructions,
        launches: launches.iter().map(LaunchResult::from).collect(),
        series: Series::of(launches.iter().flat_map(|launch| &launch.samples), phases)?,
        counters,
    };
    Ok(Executed { result, machine, energy, launches, is_partial })
}

fn add_energy(counters: &mut Counters, energy: &EnergyReport) {
    counters.set("energy.total_j", energy.total_j);
    counters.set("energy.average_w", energy.average_w);
    counters.set("energy.energy_delay_js", energy.energy_delay_js);
    for part in &energy.parts {
        let name = part.name.to_lowercase().replace(' ', "_");
        counters.set(&format!("energy.parts.{name}"), part.joules);
    }
}

fn describe(run: &Run, failure: &Failure) -> LabError {
    match (&run.input, failure) {
        (Some(input), Failure::Input(error)) => LabError::file(&input.path, error),
        _ => LabError::Work(format!("workload {}: {failure}", run.workload.name)),
    }
}
