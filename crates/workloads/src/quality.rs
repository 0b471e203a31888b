//! How the quality of approximated results is judged, workload by workload.
//!
//! Devpura, "Packet Compression in GPU Architectures" (2017): metrics from table 6.3, the properties that the error
//! depends on from section 6.5. Which buffers may be approximated is said with each workload's buffers.
//!
//! | our name in table 6.3                    | what decides the error besides the bits              |
//! |------------------------------------------|------------------------------------------------------|
//! | R-KM                                     | number of points, number of clusters                 |
//! | R-GE                                     | condition number                                     |
//! | R-LUD                                    | matrix size; with matrices of ours also the condition number |
//! | the others                               | nothing                                              |

use crate::metric::Metric;
use crate::workload::Workload;

/// How a workload's results are judged.
#[derive(Debug, PartialEq, Eq)]
pub struct Quality {
    /// The workload.
    pub workload: &'static str,
    /// Its error metrics; the first decides.
    pub metrics: &'static [Metric],
    /// What the error depends on.
    pub constraints: &'static [Constraint],
}

/// A property of the input, or of what is requested, that the error depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Elements of the input.
    Size,
    /// Condition number of the matrix.
    ConditionNumber,
    /// Clusters to find.
    Clusters,
}

impl Constraint {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::ConditionNumber => "condition number",
            Self::Clusters => "clusters",
        }
    }
}

use Constraint::{Clusters, ConditionNumber, Size};
use Metric::{LInfinity, MeanRelative, Nrmse, PrecisionRecall};

/// The floating-point workloads of the thesis.
pub const QUALITIES: &[Quality] = &[
    row("atax", &[MeanRelative], &[]),
    row("bicg", &[MeanRelative], &[]),
    row("conv2d", &[MeanRelative], &[]),
    row("gaussian", &[LInfinity], &[ConditionNumber]),
    row("hybridsort", &[Nrmse], &[]),
    row("kmeans", &[PrecisionRecall], &[Size, Clusters]),
    row("lud", &[MeanRelative, Nrmse], &[Size, ConditionNumber]),
    row("scalar-prod", &[Nrmse], &[]),
    row("srad", &[Nrmse], &[]),
];

const fn row(
    workload: &'static str,
    metrics: &'static [Metric],
    constraints: &'static [Constraint],
) -> Quality {
    Quality { workload, metrics, constraints }
}

impl Quality {
    /// Whether the error depends on this.
    pub fn depends_on(&self, constraint: Constraint) -> bool {
        self.constraints.contains(&constraint)
    }

    /// The metric that decides.
    pub fn metric(&self) -> Metric {
        self.metrics.first().copied().unwrap_or(Metric::Nrmse)
    }
}

impl Workload {
    /// How its approximated results are judged; `None` for those that the thesis leaves out.
    pub fn quality(&self) -> Option<&'static Quality> {
        QUALITIES.iter().find(|quality| quality.workload == self.name)
    }

    /// The metric for its results: the thesis's, or NRMSE.
    pub fn metric(&self) -> Metric {
        self.quality().map_or(Metric::Nrmse, Quality::metric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_workload_of_the_thesis_with_something_to_approximate() {
        for quality in QUALITIES {
            let workload = crate::find(quality.workload).unwrap();
            assert!(workload.papers.iter().any(|(paper, _)| *paper == crate::Paper::Dsm), "{quality:?}");
            assert!(workload.buffers.iter().any(|buffer| buffer.is_approximable), "{quality:?}");
            assert!(!quality.metrics.is_empty(), "{quality:?}");
        }
    }

    #[test]
    fn integers_are_never_approximable_and_eight_regions_suffice() {
        for workload in crate::WORKLOADS {
            let approximable: Vec<_> =
                workload.buffers.iter().filter(|buffer| buffer.is_approximable).collect();
            assert!(approximable.len() <= 8, "{}", workload.name);
            for buffer in approximable {
                assert!(buffer.element.float_format().is_some(), "{}: {buffer:?}", workload.name);
            }
        }
    }
}
