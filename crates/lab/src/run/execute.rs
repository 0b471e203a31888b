//! How a run is run, and how a machine's numbers become a result.

use std::sync::atomic::AtomicBool;

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_launchfile::{Choices, Finding, LaunchError, SessionReport};
use shrinkwarp_machine::result::{ERROR_PREFIX, Executed, RunResult, result_of};
use shrinkwarp_sim::energy::EnergySet;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_sim::threads::Threads;
use shrinkwarp_workloads::{Failure, Metric, Setup};

use super::approximated::execute_approximated;
use super::device::{RecordedGpu, Watcher};
use super::spec::Run;
use super::subject::{LaunchFileSubject, Subject, WorkloadInput};
use crate::LabError;
use crate::program;

/// Who looks on, and who may stop the run.
pub struct Watching<'w> {
    /// Set it to end the run early.
    pub interrupt: Option<&'w AtomicBool>,
    /// Is told how far the run is.
    pub watcher: &'w mut dyn Watcher,
    /// Threads of the simulation; no count depends on them.
    pub threads: Threads,
}

impl<'w> Watching<'w> {
    /// A run on one thread that runs to its end.
    pub fn alone(watcher: &'w mut dyn Watcher) -> Self {
        Self { interrupt: None, watcher, threads: Threads::new(1) }
    }
}

/// What came out of a run, of whatever it is a run.
#[derive(Debug)]
pub struct Performed {
    /// The result, or why there is none.
    pub outcome: Result<RunResult, LabError>,
    /// Whether it was interrupted, so that it is not to be kept.
    pub is_partial: bool,
    /// What a program wrote.
    pub output: Option<String>,
}

impl Performed {
    /// A run that could not begin.
    pub(crate) fn failed(error: LabError) -> Self {
        Self { outcome: Err(error), is_partial: false, output: None }
    }
}

/// Runs a run whose trained codecs have these tables: workloads and launch files in this process, a program in its own.
pub fn perform(run: &Run, tables: &Tables, interrupt: Option<&AtomicBool>, threads: Threads) -> Performed {
    if let Subject::Program(program) = &run.subject {
        return program::perform(run, program, tables, interrupt);
    }
    match execute(run, tables, &mut Watching { interrupt, watcher: &mut (), threads }) {
        Ok(executed) => {
            Performed { is_partial: executed.is_partial, outcome: Ok(executed.result), output: None }
        }
        Err(error) => Performed::failed(error),
    }
}

/// Runs a run of a workload or a launch file. A run that was interrupted is no failure: what happened until then is its
/// result. Results that are not what a launch file expects are a failure.
pub fn execute(run: &Run, tables: &Tables, watching: &mut Watching<'_>) -> Result<Executed, LabError> {
    let (executed, findings) = execute_with_findings(run, tables, watching, false)?;
    let wrong: Vec<String> = findings.iter().filter_map(Finding::disagreement).collect();
    if !wrong.is_empty() && !executed.is_partial {
        return Err(LabError::Work(wrong.join("; ")));
    }
    Ok(executed)
}

/// The same with what was found out about each result. A launch file's results are written to its files only if
/// `writes_files`: runs side by side would write the same ones.
pub fn execute_with_findings(
    run: &Run,
    tables: &Tables,
    watching: &mut Watching<'_>,
    writes_files: bool,
) -> Result<(Executed, Vec<Finding>), LabError> {
    let scheme = Scheme::build_with(run.scheme.clone(), tables, &run.own_codecs, run.verifies)
        .map_err(|error| LabError::Work(error.to_string()))?;
    let mut gpu = Gpu::with_scheme(run.gpu.clone(), scheme);
    gpu.set_threads(watching.threads);
    let mut device = RecordedGpu::new(gpu, run.sample_cycles, watching.interrupt, watching.watcher);
    device.set_region_entries(run.region_entries);
    let findings = match &run.subject {
        Subject::Workload(of) => run_workload(run, of, &mut device),
        Subject::LaunchFile(file) => run_launch_file(file, &mut device, writes_files),
        Subject::Program(program) => {
            let message =
                format!("{}: a program runs in a process of its own; use exec or compare", program.name);
            Err(LabError::Usage(message))
        }
    };
    let findings = if device.is_interrupted() { Vec::new() } else { findings? };
    let mut executed = measure(device, &run.energy)?;
    for finding in &findings {
        if let Some((metric, error)) = &finding.approximation_error {
            executed.result.counters.set(&format!("{ERROR_PREFIX}{}.{metric}", finding.buffer), *error);
        }
    }
    Ok((executed, findings))
}

/// Runs a workload, which checks its result or tells its error.
fn run_workload(
    run: &Run,
    of: &WorkloadInput,
    device: &mut RecordedGpu<'_>,
) -> Result<Vec<Finding>, LabError> {
    let approximate_bits = run.scheme.approximation.bits;
    let setup = Setup { approximate_bits, ..of.setup() };
    if run.reports_error {
        return execute_approximated(of.workload, device, setup).map_err(|failure| describe(of, &failure));
    }
    of.workload.execute_with(device, setup).map(|_| Vec::new()).map_err(|failure| describe(of, &failure))
}

/// Runs a launch file. Where it approximates buffers, its results are compared with those of an exact run.
fn run_launch_file(
    file: &LaunchFileSubject,
    device: &mut RecordedGpu<'_>,
    writes_files: bool,
) -> Result<Vec<Finding>, LabError> {
    let failed = |error: LaunchError| LabError::Work(error.text(false));
    let session = &file.session;
    let choices = Choices { writes_files, keeps_values: session.is_approximated(), ..Choices::default() };
    let mut outcome = session.run_with(device, choices, &mut |_| Ok(())).map_err(failed)?;
    if session.is_approximated() {
        let choices = Choices { writes_files: false, approximate_bits: Some(0), keeps_values: true };
        let exact = session.run_with(&mut Functional::new(), choices, &mut |_| Ok(())).map_err(failed)?;
        tell_errors(&mut outcome, &exact);
    }
    Ok(outcome.findings)
}

fn tell_errors(outcome: &mut SessionReport, exact: &SessionReport) {
    let metric = Metric::Nrmse;
    for ((finding, got), exact) in outcome.findings.iter_mut().zip(&outcome.values).zip(&exact.values) {
        finding.approximation_error = Some((metric.name().to_owned(), metric.error(got, exact)));
    }
}

/// What a recorded machine counted, as a result.
pub fn measure(mut device: RecordedGpu<'_>, energy: &EnergySet) -> Result<Executed, LabError> {
    let (gpu, machine, phases) =
        (device.spec().clone(), device.machine_counters(), device.l1_record().cloned());
    Ok(result_of(&gpu, machine, device.into_launches(), phases.as_ref(), energy)?)
}

fn describe(of: &WorkloadInput, failure: &Failure) -> LabError {
    match (&of.input, failure) {
        (Some(input), Failure::Input(error)) => LabError::file(&input.path, error),
        _ => LabError::Work(format!("workload {}: {failure}", of.workload.name)),
    }
}
