//! What approximation costs a launch file or a program of the user's own: the error of its results for each number of bits,
//! without time. Workloads of the suite are measured by `shrinkwarp_approx` over many inputs.

use rayon::prelude::*;
use shrinkwarp_approx::BITS;
use shrinkwarp_approx::measure::Measurement;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_launchfile::{Choices, LaunchError};
use shrinkwarp_workloads::Metric;

use crate::LabError;
use crate::program;
use crate::run::{LaunchFileSubject, Run, Subject};

/// Measures a run of the user's own; the numbers of bits are [`BITS`].
pub fn measure(run: &Run) -> Result<Measurement, LabError> {
    let (metric, errors) = match &run.subject {
        Subject::LaunchFile(file) => (Metric::Nrmse, errors_of(file)?),
        Subject::Program(program) if !program.has_approximable() => {
            let message = "--approximable is missing: it names what may be approximated, as in 0:f32";
            return Err(LabError::Usage(message.to_owned()));
        }
        Subject::Program(program) => {
            (program.metric().unwrap_or(Metric::Nrmse), program::errors(run, program, &BITS)?)
        }
        Subject::Workload(of) => {
            let message = format!("{}: a workload is measured over many inputs", of.workload.name);
            return Err(LabError::Usage(message));
        }
    };
    let mut measurement = Measurement {
        workload: run.subject.name().to_owned(),
        scale: run.subject.scale().to_owned(),
        seed: 0,
        size: 0,
        condition_log10: None,
        clusters: None,
        input_elements: 0,
        metric,
        exact_error: 0.0,
        errors: [0.0; BITS.len()],
    };
    for (place, error) in measurement.errors.iter_mut().zip(errors) {
        *place = error;
    }
    Ok(measurement)
}

/// The worst error of a launch file's results for each number of bits.
fn errors_of(file: &LaunchFileSubject) -> Result<Vec<f64>, LabError> {
    let session = &file.session;
    if !session.is_approximated() {
        let message =
            format!("{}: no [[buffer]] has approximate_bits, so nothing is approximated", file.name);
        return Err(LabError::Usage(message));
    }
    let values = |bits: u32| {
        let choices = Choices { writes_files: false, approximate_bits: Some(bits), keeps_values: true };
        let report = session.run_with(&mut Functional::on_one_core(), choices, &mut |_| Ok(()));
        report.map(|report| report.values).map_err(|error: LaunchError| LabError::Work(error.text(false)))
    };
    let exact = values(0)?;
    if exact.is_empty() {
        let message = format!("{}: has no [[result]], so there is nothing to compare", file.name);
        return Err(LabError::Usage(message));
    }
    let worst = |bits: &u32| {
        let errors = values(*bits)?
            .iter()
            .zip(&exact)
            .map(|(got, exact)| Metric::Nrmse.error(got, exact))
            .collect::<Vec<_>>();
        Ok(errors.into_iter().fold(0.0, f64::max))
    };
    BITS.par_iter().map(worst).collect()
}
