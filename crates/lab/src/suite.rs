//! Workloads by name, and groups of them.

use std::collections::BTreeMap;

use shrinkwarp_workloads::{Class, Paper, WORKLOADS, Workload};

use crate::LabError;
use crate::program::ProgramSpec;
use crate::run::{SubjectSpec, is_launch_file};
use shrinkwarp_report::suggestion::suggestion;

/// A word that means several workloads, and which.
type Group = (&'static str, fn(&Workload) -> bool);

const GROUPS: [Group; 9] = [
    ("all", |_| true),
    ("integer", |workload| workload.class == Class::Integer),
    ("float", |workload| workload.class == Class::Float),
    ("mixed", |workload| workload.class == Class::Mixed),
    ("bpc", |workload| is_of(workload, Paper::Bpc)),
    ("e2mc", |workload| is_of(workload, Paper::E2mc)),
    ("dsm", |workload| is_of(workload, Paper::Dsm)),
    ("latte", |workload| is_of(workload, Paper::Latte)),
    ("cache-sensitive", |workload| workload.is_cache_sensitive),
];

fn is_of(workload: &Workload, paper: Paper) -> bool {
    workload.papers.iter().any(|(known, _)| *known == paper)
}

/// The workloads that names and groups mean, each once, in the order requested.
pub fn expand<S: AsRef<str>>(names: &[S]) -> Result<Vec<&'static Workload>, LabError> {
    let mut chosen: Vec<&'static Workload> = Vec::new();
    for name in names {
        for workload in members(name.as_ref())? {
            if !chosen.iter().any(|known| known.name == workload.name) {
                chosen.push(workload);
            }
        }
    }
    Ok(chosen)
}

/// What names, groups and paths of launch files mean, each once, in the order requested. `programs` have names of their
/// own.
pub fn subjects<S: AsRef<str>>(
    names: &[S],
    programs: &BTreeMap<String, ProgramSpec>,
) -> Result<Vec<SubjectSpec>, LabError> {
    let mut chosen: Vec<SubjectSpec> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let found = match programs.get(name) {
            Some(program) => {
                let program = ProgramSpec { name: Some(name.to_owned()), ..program.clone() };
                vec![SubjectSpec::from(program)]
            }
            None if is_launch_file(name) => vec![name.into()],
            None => members(name)?.iter().map(|workload| workload.name.into()).collect(),
        };
        for subject in found {
            if !chosen.contains(&subject) {
                chosen.push(subject);
            }
        }
    }
    Ok(chosen)
}

fn members(name: &str) -> Result<Vec<&'static Workload>, LabError> {
    if let Some((_, is_member)) = GROUPS.iter().find(|(group, _)| *group == name) {
        return Ok(WORKLOADS.iter().copied().filter(|workload| is_member(workload)).collect());
    }
    if let Some(workload) = shrinkwarp_workloads::find(name) {
        return Ok(vec![workload]);
    }
    let groups = GROUPS.iter().map(|(group, _)| *group);
    let known: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).chain(groups).collect();
    Err(LabError::Usage(format!("unknown workload {name:?}; {}", suggestion(name, &known))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_names_give_each_workload_once() {
        let chosen = expand(&["spmv", "all"]).unwrap();
        assert_eq!((chosen.len(), chosen[0].name), (WORKLOADS.len(), "spmv"));
        let classes = expand(&["mixed", "float", "integer"]).unwrap();
        assert_eq!(classes.len(), WORKLOADS.len());
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let error = expand(&["interger"]).unwrap_err().to_string();
        assert!(error.contains("did you mean \"integer\"?"), "{error}");
    }
}
