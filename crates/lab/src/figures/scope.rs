//! What figures are drawn for: a scale, and all workloads of a paper or some of them.

use shrinkwarp_report::suggestion::suggestion;
use shrinkwarp_workloads::{Scale, WORKLOADS, Workload};

use crate::LabError;

/// What a figure is drawn for.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Size of the workloads' inputs.
    pub scale: Scale,
    /// A bit for each workload of the suite that figures may use.
    chosen: u64,
}

impl Scope {
    /// All workloads at a scale.
    pub const fn all(scale: Scale) -> Self {
        Self { scale, chosen: u64::MAX }
    }

    /// The same figures with some of their workloads, by name: means are over these.
    pub fn only(self, names: &[String]) -> Result<Self, LabError> {
        let mut chosen = 0;
        for name in names {
            let place = WORKLOADS.iter().position(|workload| workload.name == name).ok_or_else(|| {
                let known: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
                LabError::Usage(format!("--workloads: no workload {name:?}; {}", suggestion(name, &known)))
            })?;
            chosen |= 1 << place;
        }
        Ok(Self { chosen, ..self })
    }

    /// Whether figures may use all workloads.
    pub fn is_whole(self) -> bool {
        self.chosen == u64::MAX
    }

    /// Whether figures may use a workload of the suite.
    pub fn has(self, workload: &Workload) -> bool {
        let place = WORKLOADS.iter().position(|other| other.name == workload.name);
        place.is_some_and(|place| self.chosen & (1 << place) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_is_enough_for_every_workload() {
        assert!(WORKLOADS.len() < u64::BITS as usize);
        assert!(WORKLOADS.iter().all(|workload| Scope::all(Scale::Tiny).has(workload)));
    }

    #[test]
    fn only_the_named_workloads_are_chosen() {
        let scope = Scope::all(Scale::Tiny).only(&["bfs".to_owned(), "scan".to_owned()]).unwrap();
        let chosen: Vec<&str> =
            WORKLOADS.iter().filter(|workload| scope.has(workload)).map(|workload| workload.name).collect();
        assert_eq!(chosen, ["bfs", "scan"]);
        assert!(!scope.is_whole());
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_one() {
        let error = Scope::all(Scale::Tiny).only(&["bsf".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("\"bsf\"") && error.contains("bfs"), "{error}");
    }
}
