//! The error of a workload's results for each number of approximated bits, on the emulator without time.
//!
//! The exact program runs once and each number of bits once; every result is compared with the exact program's, and
//! where there are several results, the worst counts. Column 0 is the exact program against the CPU reference in
//! double precision: what single precision alone costs on this data set.

use rayon::prelude::*;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_workloads::{Metric, Output, Paper, Setup};

use crate::BITS;
use crate::cache::{self, Cache};
use crate::plan::{Plan, PlannedInput};

/// The errors of one data set under one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Name of the workload.
    pub workload: String,
    /// Scale of what the data set does not say.
    pub scale: String,
    /// Seed.
    pub seed: u64,
    /// Size in the workload's own measure.
    pub size: usize,
    /// log10 of the condition number, where the input is a matrix to solve.
    pub condition_log10: Option<f64>,
    /// Clusters, where something is clustered.
    pub clusters: Option<usize>,
    /// Elements of the input.
    pub input_elements: u64,
    /// Error metric.
    pub metric: Metric,
    /// The exact program against the CPU reference.
    pub exact_error: f64,
    /// The errors for each of [`BITS`].
    pub errors: [f64; BITS.len()],
}

impl Measurement {
    /// The most bits whose error the user accepts; 0 where even the fewest are too many.
    pub fn best_bits(&self, accepted_error: f64) -> u32 {
        let accepted = BITS.iter().zip(&self.errors).filter(|(_, error)| **error <= accepted_error);
        accepted.map(|(bits, _)| *bits).max().unwrap_or(0)
    }

    /// The error with `bits` approximated bits; none with 0.
    pub fn error_of(&self, bits: u32) -> f64 {
        BITS.iter().position(|&known| known == bits).map_or(0.0, |index| self.errors[index])
    }
}

/// Measures all data sets of a plan on all cores, in the order of the plan. `on_done` is told of each.
pub fn measure_plan(
    plan: &Plan,
    cache: Option<&dyn Cache>,
    on_done: &(dyn Fn() + Sync),
) -> Result<Vec<Measurement>, String> {
    let measured: Vec<Vec<Measurement>> = plan
        .data_sets()
        .par_iter()
        .map(|planned| {
            let rows = match cache {
                Some(cache) => cache::load_or(cache, planned, measure)?,
                None => measure(planned)?,
            };
            on_done();
            Ok(rows)
        })
        .collect::<Result<_, String>>()?;
    Ok(measured.into_iter().flatten().collect())
}

/// Measures one data set; one row for each of the workload's metrics.
pub fn measure(planned: &PlannedInput) -> Result<Vec<Measurement>, String> {
    let (exact, input_elements) = run(planned, 0)?;
    let mut approximated = Vec::new();
    for bits in BITS {
        approximated.push(run(planned, bits)?.0);
    }
    let metrics = planned.workload.quality().map_or(&[Metric::Nrmse][..], |quality| quality.metrics);
    let row = |&metric: &Metric| {
        let worst = |errors: &mut dyn Iterator<Item = f64>| errors.fold(0.0, f64::max);
        let against_exact = |outputs: &Vec<Output>| {
            worst(&mut outputs.iter().zip(&exact).map(|(got, exact)| metric.error(&got.got, &exact.got)))
        };
        let mut errors = [0.0; BITS.len()];
        for (error, outputs) in errors.iter_mut().zip(&approximated) {
            *error = against_exact(outputs);
        }
        Measurement {
            workload: planned.workload.name.to_owned(),
            scale: planned.scale.name().to_owned(),
            seed: planned.seed,
            size: planned.properties.size.unwrap_or(0),
            condition_log10: planned.properties.condition_log10,
            clusters: planned.properties.clusters,
            input_elements,
            metric,
            exact_error: worst(&mut exact.iter().map(|output| metric.error(&output.got, &output.expected))),
            errors,
        }
    };
    Ok(metrics.iter().map(row).collect())
}

/// The results with `bits` approximated bits, and the elements of the input.
fn run(planned: &PlannedInput, bits: u32) -> Result<(Vec<Output>, u64), String> {
    let setup = Setup {
        data: Some(planned.workload.data_set_of(Paper::Dsm).name),
        properties: Some(planned.properties),
        approximate_bits: bits,
        keeps_outputs: true,
        ..Setup::usual(planned.scale, planned.seed)
    };
    let outcome = planned
        .workload
        .execute_with(&mut Functional::on_one_core(), setup)
        .map_err(|failure| format!("{} with {bits} bits: {failure}", planned.workload.name))?;
    // The first buffer of a workload is its input.
    let input = outcome.buffers.first().map_or(0, |buffer| buffer.bytes / buffer.info.element.bytes() as u64);
    Ok((outcome.outputs, input))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shrinkwarp_workloads::Scale;

    #[test]
    fn measuring_twice_gives_the_same_rows_and_more_bits_more_error() {
        let plan = Plan::usual(shrinkwarp_workloads::find("lud").unwrap(), Scale::Tiny, 2).unwrap();
        let rows = measure_plan(&plan, None, &|| {}).unwrap();
        assert_eq!(rows, measure_plan(&plan, None, &|| {}).unwrap());
        // Two data sets under two metrics.
        assert_eq!(rows.len(), 4);
        assert_eq!((rows[0].metric, rows[1].metric), (Metric::MeanRelative, Metric::Nrmse));
        assert_eq!(rows[0].input_elements, 32 * 32);
        for row in &rows {
            assert!(row.errors[0] > row.exact_error && row.errors[4] > row.errors[0], "{row:?}");
        }
    }

    #[test]
    fn the_best_bits_are_the_most_that_are_accepted() {
        let plan = Plan::usual(shrinkwarp_workloads::find("atax").unwrap(), Scale::Tiny, 1).unwrap();
        let mut row = measure_plan(&plan, None, &|| {}).unwrap().remove(0);
        row.errors = [0.001, 0.01, 0.1, 0.5, 1.0];
        assert_eq!(row.best_bits(0.01), 8);
        assert_eq!(row.best_bits(0.0005), 0);
        assert_eq!(row.best_bits(1.0), 20);
        assert_eq!((row.error_of(0), row.error_of(12)), (0.0, 0.1));
    }
}
