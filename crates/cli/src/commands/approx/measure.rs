//! `shrinkwarp approx measure`: errors of a workload's results over many inputs.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shrinkwarp_approx::measure::{Measurement, measure_plan};
use shrinkwarp_approx::plan::Plan;
use shrinkwarp_approx::{BITS, table};
use shrinkwarp_lab::approximation;
use shrinkwarp_lab::run::{RunSpec, SubjectSpec, find_workload, is_launch_file};
use shrinkwarp_workloads::Factors;

use super::store::Store;

use crate::arguments::{ProgramArgs, ScaleArgs};
use crate::failure::Failure;
use crate::files;
use crate::progress::Progress;

/// Run a workload with 0 to 20 approximated bits over many inputs and store the errors as a table
///
/// The emulator without timing runs each input six times, on all cores. Errors are against the exact program; the column
/// error_0 has the exact program against a CPU reference in double precision. A launch file is measured on its own input, and so
/// is a program of your own (after --), with --approximable and --error-metric.
#[derive(Args, Debug)]
pub struct Measure {
    /// atax, bicg, conv2d, gaussian, hybridsort, kmeans, lud, scalar-prod or srad, or a launch file
    #[arg(value_name = "WORKLOAD|FILE.toml")]
    what: Option<String>,
    #[command(flatten)]
    size: ScaleArgs,
    /// Number of inputs, each with its own seed
    #[arg(long, default_value_t = 48, value_name = "N", value_parser = at_least_one)]
    data_sets: usize,
    /// Sizes of the inputs, used in turn: rows of a matrix or picture, points, numbers
    #[arg(long, value_delimiter = ',', value_name = "N", value_parser = at_least_one)]
    sizes: Vec<usize>,
    /// Condition numbers of the inputs, used in turn, as in 10,1e4 (matrices only)
    #[arg(long, value_delimiter = ',', value_name = "C", value_parser = condition)]
    conditions: Vec<f64>,
    /// Make these matrices symmetric and positive definite: elimination without pivoting is stable on them
    #[arg(long)]
    symmetric: bool,
    /// Cluster counts of the inputs, used in turn (kmeans only)
    #[arg(long, value_delimiter = ',', value_name = "N", value_parser = at_least_one)]
    clusters: Vec<usize>,
    /// Table to write [default: approx-WORKLOAD.csv]
    #[arg(short, long, value_name = "FILE.csv")]
    output: Option<PathBuf>,
    /// Print JSON instead of a summary
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: Store,
    #[command(flatten)]
    program: ProgramArgs,
}

impl Measure {
    pub fn run(&self) -> Result<(), Failure> {
        let subject = self.program.or_named(self.what.as_deref())?;
        let is_own = is_launch_file(subject.name()) || matches!(subject, SubjectSpec::Program(_));
        let (rows, stem) = if is_own {
            let run = RunSpec::new(subject, self.size.scale).resolve()?;
            let name = run.subject.name();
            let stem = Path::new(name.split(' ').next().unwrap_or_default()).file_stem();
            let stem = stem.map_or("program".into(), |stem| stem.to_string_lossy().into_owned());
            (vec![approximation::measure(&run)?], stem)
        } else {
            (self.measure_workload(subject.name())?, subject.name().to_owned())
        };
        let path = self.output.clone().unwrap_or_else(|| PathBuf::from(format!("approx-{stem}.csv")));
        files::replace(&path, |file| file.write_all(table::format(&rows).as_bytes()))?;
        if self.json {
            let list: Vec<_> = rows.iter().map(describe).collect();
            return files::print(&format!("{:#}\n", json!({"table": path, "measurements": list})));
        }
        files::print(&(summary(&rows) + &format!("table: {}\n", path.display())))
    }

    fn measure_workload(&self, name: &str) -> Result<Vec<Measurement>, Failure> {
        let plan = self.plan(name)?;
        let progress = Progress::steps(plan.data_sets as u64, "inputs");
        measure_plan(&plan, self.store.cache().as_deref(), &|| progress.advance(1)).map_err(Failure::Work)
    }

    fn plan(&self, name: &str) -> Result<Plan, Failure> {
        let workload = find_workload(name)?;
        let mut plan = Plan::usual(workload, self.size.scale, self.data_sets).map_err(Failure::Usage)?;
        plan.factors = factors(self.symmetric);
        if !self.sizes.is_empty() {
            plan.sizes.clone_from(&self.sizes);
        }
        if !self.conditions.is_empty() {
            if !matches!(workload.name, "atax" | "bicg" | "gaussian" | "lud") {
                let message = format!("--conditions: the input of {} is not a matrix", workload.name);
                return Err(Failure::Usage(message));
            }
            plan.conditions_log10 = self.conditions.iter().map(|condition| condition.log10()).collect();
        }
        if !self.clusters.is_empty() {
            if plan.clusters.is_empty() {
                return Err(Failure::Usage(format!(
                    "--clusters: {} does not search for clusters",
                    workload.name
                )));
            }
            plan.clusters.clone_from(&self.clusters);
        }
        Ok(plan)
    }
}

fn describe(row: &Measurement) -> serde_json::Value {
    let errors: serde_json::Map<_, _> =
        BITS.iter().zip(row.errors).map(|(bits, error)| (bits.to_string(), json!(error))).collect();
    json!({
        "workload": row.workload,
        "scale": row.scale,
        "seed": row.seed,
        "size": row.size,
        "condition_log10": row.condition_log10,
        "clusters": row.clusters,
        "input_elements": row.input_elements,
        "metric": row.metric.name(),
        "exact_error": row.exact_error,
        "errors": errors,
    })
}

/// Median and range of the errors for each number of bits.
fn summary(rows: &[Measurement]) -> String {
    let mut text = String::new();
    let mut metrics: Vec<_> = rows.iter().map(|row| row.metric).collect();
    metrics.sort();
    metrics.dedup();
    for metric in metrics {
        let of_metric: Vec<_> = rows.iter().filter(|row| row.metric == metric).collect();
        let count = of_metric.len();
        text += &format!("{}, {} error over {count} inputs\n", rows[0].workload, metric.name());
        text += &format!("{:>6} {:>10} {:>10} {:>10}\n", "bits", "lowest", "median", "highest");
        for (level, bits) in BITS.iter().enumerate() {
            let mut errors: Vec<f64> = of_metric.iter().map(|row| row.errors[level]).collect();
            errors.sort_by(f64::total_cmp);
            let [lowest, median, highest] = [0, count / 2, count - 1].map(|index| errors[index]);
            text += &format!("{bits:>6} {lowest:>10.2e} {median:>10.2e} {highest:>10.2e}\n");
        }
    }
    text
}

pub fn factors(symmetric: bool) -> Factors {
    if symmetric { Factors::Equal } else { Factors::Independent }
}

pub fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| "a whole number from 1".to_owned())
}

pub fn condition(text: &str) -> Result<f64, String> {
    let is_condition = |condition: &f64| condition.is_finite() && *condition >= 1.0;
    text.parse().ok().filter(is_condition).ok_or_else(|| "a condition number is at least 1".to_owned())
}
