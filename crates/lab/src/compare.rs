//! Schemes against a baseline, workload by workload (or launch file, or program): the table behind `shrinkwarp compare`.
//!
//! | file      | question it answers                                         |
//! |-----------|-------------------------------------------------------------|
//! | `metrics` | what is said about one run, and what relative to another?   |
//! | `text`    | how does the table look on a terminal?                      |
//! | `page`    | how does it look in a browser?                              |

mod metrics;
mod page;
mod text;

pub use metrics::{Metrics, Relative};
pub use page::page;
pub use text::text;

use serde_json::{Value, json};

use crate::LabError;
use crate::run::{POINTS, Record, Run, RunSpec, Subject, SubjectSpec};
use crate::store::Store;
use shrinkwarp_report::chart::geometric_mean;

/// The schemes that are compared unless others are requested: none, the four systems, and three of them together.
pub const SYSTEMS: &str = "none,latte,dsm,e2mc16,bpc-link-packed,latte+dsm+e2mc";

/// What is compared.
#[derive(Clone, Debug)]
pub struct Question {
    /// Everything but what is run, and the scheme.
    pub base: RunSpec,
    /// Workloads, launch files and programs.
    pub subjects: Vec<SubjectSpec>,
    /// Schemes, the baseline first.
    pub schemes: Vec<String>,
}

impl Question {
    /// The runs that answer it: all schemes of a workload, then the next workload. What is run is read once.
    pub fn runs(&self) -> Result<Vec<Run>, LabError> {
        let mut runs = Vec::new();
        for subject in &self.subjects {
            let mut read: Option<Subject> = None;
            for scheme in &self.schemes {
                let spec = RunSpec { subject: subject.clone(), scheme: scheme.clone(), ..self.base.clone() };
                let run = match read.take() {
                    Some(subject) => spec.resolve_for(subject)?,
                    None => spec.resolve()?,
                };
                read = Some(run.subject.clone());
                runs.push(run);
            }
        }
        self.check_names(&runs)?;
        Ok(runs)
    }

    /// Refuses two schemes of one name: their rows could not be told apart.
    fn check_names(&self, runs: &[Run]) -> Result<(), LabError> {
        let names: Vec<&str> =
            runs.iter().take(self.schemes.len()).map(|run| run.scheme.name.as_str()).collect();
        for (index, name) in names.iter().enumerate() {
            let Some(first) = names[..index].iter().position(|other| other == name) else { continue };
            let (first, second) = (&self.schemes[first], &self.schemes[index]);
            return Err(LabError::Usage(if first == second {
                format!("--schemes: {first:?} twice; name each scheme once")
            } else {
                format!(
                    "--schemes: {first:?} and {second:?} are both called {name:?}; give one of them another name"
                )
            }));
        }
        Ok(())
    }
}

/// The answer: a row for each workload, a cell for each scheme.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The GPU's name.
    pub gpu: String,
    /// Size of the inputs.
    pub scale: String,
    /// Schemes, the baseline first.
    pub schemes: Vec<String>,
    /// What each scheme is, in one line.
    pub descriptions: Vec<String>,
    /// Rows.
    pub rows: Vec<Row>,
}

/// One workload.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub workload: String,
    /// One cell for each scheme: its numbers, or why there are none.
    pub cells: Vec<Result<Metrics, String>>,
}

impl Row {
    /// A cell relative to the row's first; none where one of the two failed.
    pub fn relative(&self, scheme: usize) -> Option<Relative> {
        let baseline = self.cells.first()?.as_ref().ok()?;
        let cell = self.cells.get(scheme)?.as_ref().ok()?;
        Some(cell.relative_to(baseline))
    }
}

impl Comparison {
    /// Reads the answer out of a store that has all its runs.
    pub fn read(question: &Question, runs: &[Run], store: &Store) -> Result<Self, LabError> {
        let records = runs.iter().map(|run| store.get(&run.identity()?)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::of(question, runs, &records))
    }

    /// The answer that these records of the runs give; none where a run was not run.
    pub fn of(question: &Question, runs: &[Run], records: &[Option<Record>]) -> Self {
        let cells: Vec<Result<Metrics, String>> = records
            .iter()
            .map(|record| record.as_ref().map_or(Err("was not run".to_owned()), cell))
            .collect();
        let columns = question.schemes.len();
        let subjects: Vec<&Subject> = runs.iter().step_by(columns.max(1)).map(|run| &run.subject).collect();
        let rows = subjects.iter().zip(cells.chunks(columns.max(1)));
        Self {
            gpu: runs.first().map(|run| run.gpu.name.clone()).unwrap_or_default(),
            scale: scale_of(&subjects),
            schemes: runs.iter().take(columns).map(|run| run.scheme.name.clone()).collect(),
            descriptions: runs.iter().take(columns).map(|run| run.scheme.description.clone()).collect(),
            rows: rows
                .map(|(subject, cells)| Row { workload: subject.name().to_owned(), cells: cells.to_vec() })
                .collect(),
        }
    }

    /// The rows in which every scheme that has any result has one: means of schemes are over the same workloads.
    pub fn complete_rows(&self) -> Vec<&Row> {
        let has_any =
            |scheme: &usize| self.rows.iter().any(|row| row.cells.get(*scheme).is_some_and(Result::is_ok));
        let schemes: Vec<usize> = (0..self.schemes.len()).filter(has_any).collect();
        let is_complete = |row: &&Row| schemes.iter().all(|scheme| row.cells[*scheme].is_ok());
        self.rows.iter().filter(is_complete).collect()
    }

    /// Geometric means of a scheme over the complete rows.
    pub fn mean(&self, scheme: usize) -> Option<Relative> {
        let all: Vec<Relative> =
            self.complete_rows().into_iter().filter_map(|row| row.relative(scheme)).collect();
        let mean = |of: fn(&Relative) -> f64| geometric_mean(&all.iter().map(of).collect::<Vec<_>>());
        let ratios = std::array::from_fn(|point| {
            geometric_mean(&all.iter().filter_map(|relative| relative.ratios[point]).collect::<Vec<_>>())
        });
        Some(Relative {
            speedup: mean(|relative| relative.speedup)?,
            memory_bytes: mean(|relative| relative.memory_bytes).unwrap_or(1.0),
            flits: mean(|relative| relative.flits).unwrap_or(1.0),
            energy: mean(|relative| relative.energy)?,
            energy_delay: mean(|relative| relative.energy_delay)?,
            ratios,
        })
    }

    /// The points at which some scheme has a codec, as indices of [`POINTS`].
    pub fn points(&self) -> Vec<usize> {
        let cells = || self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        (0..POINTS.len()).filter(|&point| cells().any(|cell| cell.ratios[point].is_some())).collect()
    }

    /// The answer for programs.
    pub fn json(&self) -> Value {
        let cell = |row: &Row, scheme: usize| match &row.cells[scheme] {
            Err(error) => json!({"scheme": self.schemes[scheme], "error": error}),
            Ok(metrics) => json!({
                "scheme": self.schemes[scheme],
                "metrics": metrics,
                "relative": row.relative(scheme),
            }),
        };
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let schemes: Vec<Value> = (0..self.schemes.len()).map(|scheme| cell(row, scheme)).collect();
                json!({"workload": row.workload, "schemes": schemes})
            })
            .collect();
        let means: Vec<Value> = self
            .schemes
            .iter()
            .enumerate()
            .map(|(index, scheme)| json!({"scheme": scheme, "relative": self.mean(index)}))
            .collect();
        json!({
            "gpu": self.gpu,
            "scale": self.scale,
            "baseline": self.schemes.first(),
            "workloads": rows,
            "geometric_means": means,
            "geometric_means_over": self.complete_rows().iter().map(|row| &row.workload).collect::<Vec<_>>(),
        })
    }
}

/// The size of the inputs of those that have one.
fn scale_of(subjects: &[&Subject]) -> String {
    let workload = subjects.iter().find(|subject| subject.workload().is_some());
    workload.or(subjects.first()).map_or(String::new(), |subject| subject.scale().to_owned())
}

fn cell(record: &Record) -> Result<Metrics, String> {
    match (record.result(), record.error()) {
        (Some(result), _) => Ok(Metrics::of(result)),
        (None, error) => Err(error.unwrap_or("has no result").to_owned()),
    }
}

#[cfg(test)]
mod tests;
