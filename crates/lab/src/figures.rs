//! Every figure of the four papers, one file each: the runs it needs, how they become series, and what was published.
//!
//! A [`FigureSpec`] is a row of a paper's list. `needs` says what must be measured; [`Measured`] holds it; `draw` makes the
//! [`Figure`]. Nothing here runs anything: [`crate::reproduce`] does, and two figures that need the same run share it.
//! Adding a figure is one file and one row.

pub mod bpc;
pub mod combined;
mod common;
pub mod dsm;
pub mod e2mc;
pub mod latte;
mod measured;
mod reasons;
mod scope;
mod switches;

pub use common::{Member, members};
pub use measured::{Measured, Need};
pub use reasons::reason;
pub use scope::Scope;

use crate::LabError;
use shrinkwarp_report::figure::{Figure, Paper};
use shrinkwarp_report::suggestion::suggestion;

/// A figure that can be drawn.
#[derive(Clone, Copy)]
pub struct FigureSpec {
    /// The paper.
    pub paper: Paper,
    /// Its number there.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What must be measured for it.
    pub needs: fn(Scope) -> Vec<Need>,
    /// Draws it from that.
    pub draw: fn(Scope, &Measured) -> Result<Figure, LabError>,
}

impl FigureSpec {
    /// The empty figure.
    fn begin(&self) -> Figure {
        Figure::new(self.paper, self.id, self.title)
    }
}

/// All figures of a paper, in its order; [`experiments`] are not among them.
pub fn of_paper(paper: Paper) -> &'static [FigureSpec] {
    match paper {
        Paper::Bpc => bpc::FIGURES,
        Paper::E2mc => e2mc::FIGURES,
        Paper::Dsm => dsm::FIGURES,
        Paper::Latte => latte::FIGURES,
        Paper::Combined => combined::FIGURES,
    }
}

/// Figures about a paper that are drawn only when they are named: they need many runs, and no claim of the paper is theirs.
pub fn experiments(paper: Paper) -> &'static [FigureSpec] {
    match paper {
        Paper::Bpc => bpc::EXPERIMENTS,
        Paper::E2mc => e2mc::EXPERIMENTS,
        Paper::Dsm => dsm::EXPERIMENTS,
        Paper::Latte => latte::EXPERIMENTS,
        Paper::Combined => &[],
    }
}

/// Everything that can be named: the figures of a paper, then the experiments.
pub fn all_of_paper(paper: Paper) -> impl Iterator<Item = &'static FigureSpec> {
    of_paper(paper).iter().chain(experiments(paper))
}

/// The figures and experiments of a paper with these numbers; all figures if none is named.
pub fn choose(paper: Paper, ids: &[String]) -> Result<Vec<&'static FigureSpec>, LabError> {
    if ids.is_empty() {
        return Ok(of_paper(paper).iter().collect());
    }
    let all: Vec<&'static FigureSpec> = all_of_paper(paper).collect();
    let find = |id: &String| {
        all.iter().find(|figure| figure.id == id).copied().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|figure| figure.id).collect();
            let message = format!("{} has no figure {id:?}; {}", paper.name(), suggestion(id, &known));
            LabError::Usage(message)
        })
    };
    ids.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use shrinkwarp_machine::counter_names;
    use shrinkwarp_report::chart::Format;
    use shrinkwarp_report::figure::{Value, Verdict};
    use shrinkwarp_workloads::Scale;

    use super::*;
    use crate::profile::Profile;
    use crate::run::{RunResult, RunSpec, Series};

    #[test]
    fn no_two_figures_of_a_paper_have_one_number() {
        for paper in Paper::ALL {
            let mut ids: Vec<&str> = all_of_paper(paper).map(|figure| figure.id).collect();
            ids.sort_unstable();
            let count = ids.len();
            ids.dedup();
            assert_eq!(ids.len(), count, "{}", paper.name());
            assert!(all_of_paper(paper).all(|figure| figure.paper == paper));
        }
    }

    #[test]
    fn every_run_that_a_figure_needs_can_be_resolved() {
        for paper in Paper::ALL {
            for figure in all_of_paper(paper) {
                for need in (figure.needs)(Scope::all(Scale::Tiny)) {
                    if let Err(error) = need.spec().resolve() {
                        panic!("{} {}: {error}", paper.name(), figure.id);
                    }
                }
            }
        }
    }

    #[test]
    fn every_figure_is_drawn_from_the_runs_that_it_asks_for() {
        // Every counter is one, so that no figure divides by zero.
        let counters = counter_names().map(|name| (name.to_owned(), 1.0)).collect();
        let result =
            Arc::new(RunResult { cycles: 1, thread_instructions: 1, counters, ..RunResult::default() });
        let scope = Scope::all(Scale::Tiny);
        let mut drawn = 0;
        for figure in Paper::ALL.into_iter().flat_map(all_of_paper) {
            let needs = (figure.needs)(scope);
            let mut measured = Measured::default();
            for need in &needs {
                measured.add_result(need.spec(), Arc::clone(&result));
            }
            let is_of_runs = !needs.is_empty() && needs.iter().all(|need| matches!(need, Need::Run(_)));
            if is_of_runs {
                let csv = (figure.draw)(scope, &measured).unwrap().csv();
                assert!(!csv.contains("NaN"), "{} {}: {csv}", figure.paper.name(), figure.id);
                drawn += 1;
            }
        }
        assert!(drawn >= 20, "only {drawn} figures are drawn from runs");
    }

    /// What is made up of a run: by how much its cycles and its counters differ from those of the plain run.
    type World = (&'static str, fn(&RunSpec, usize) -> (f64, f64));

    const WORLDS: [World; 6] = [
        ("nothing changes anything", |_, _| (1.0, 1.0)),
        ("every change is a loss", |spec, _| if is_plain(spec) { (1.0, 1.0) } else { (10.0, 10.0) }),
        ("every change is a gain", |spec, _| if is_plain(spec) { (1.0, 1.0) } else { (0.1, 0.1) }),
        (
            "gains in time, losses in all else",
            |spec, _| if is_plain(spec) { (1.0, 1.0) } else { (0.1, 10.0) },
        ),
        ("what adapts is a loss", |spec, _| {
            let adapts = spec.overrides.iter().any(|change| change == "scheme.l1.policy=latte");
            if adapts { (10.0, 10.0) } else { (1.0, 1.0) }
        }),
        // Neighbouring runs go opposite ways.
        ("chance", |_, place| if place.is_multiple_of(2) { (1.0, 0.2) } else { (3.0, 7.0) }),
    ];

    /// The figures that are drawn from runs and profiles; others measure while they draw.
    fn measured_figures() -> impl Iterator<Item = &'static FigureSpec> {
        let scope = Scope::all(Scale::Tiny);
        Paper::ALL.into_iter().flat_map(of_paper).filter(move |figure| !(figure.needs)(scope).is_empty())
    }

    fn is_plain(spec: &RunSpec) -> bool {
        spec.overrides.is_empty() && spec.scheme == "none"
    }

    fn claims_in(figure: &FigureSpec, (_, effect): World) -> Option<Vec<(String, Verdict)>> {
        let scope = Scope::all(Scale::Tiny);
        let mut measured = Measured::default();
        for (place, need) in (figure.needs)(scope).iter().enumerate() {
            let (cycles, counts) = effect(need.spec(), place);
            // Data are zeros or without any pattern, as changed runs of the world gain or lose.
            let changed = RunSpec { overrides: vec!["changed".to_owned()], ..need.spec().clone() };
            let is_random = effect(&changed, place).1 > 1.0;
            let mut state = 1_u64;
            let byte = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if is_random { (state >> 56) as u8 } else { 0 }
            };
            let profile = Profile::of_blocks((0..64 * 128).map(byte).collect());
            measured.add_profile(need.spec(), Arc::new(profile));
            let counters = counter_names().map(|name| (name.to_owned(), 100.0 * counts)).collect();
            // Nothing varies over time.
            let constant = |name: &str, value: f64| (name.to_owned(), vec![Some(value); 3]);
            let columns = [constant("l1.cycle", 1.0), constant("l1.tolerance_cycles", 5.0)].into();
            let series = Series { columns };
            let result =
                RunResult { cycles: (1e6 * cycles) as u64, counters, series, ..RunResult::default() };
            measured.add_result(need.spec(), Arc::new(result));
        }
        let drawn = (figure.draw)(scope, &measured).ok()?;
        Some(drawn.claims.into_iter().map(|claim| (claim.what, claim.verdict)).collect())
    }

    #[test]
    fn every_verdict_can_be_not() {
        let mut cannot_fail = Vec::new();
        for figure in measured_figures() {
            let worlds: Vec<_> = WORLDS.iter().filter_map(|world| claims_in(figure, *world)).collect();
            if worlds.is_empty() {
                cannot_fail.push(format!("{} {} was never drawn", figure.paper.name(), figure.id));
            }
            let all: BTreeSet<&String> = worlds.iter().flatten().map(|(what, _)| what).collect();
            for what in all {
                let mut verdicts = worlds.iter().flatten().filter(|(other, _)| other == what);
                if verdicts.clone().all(|(_, verdict)| *verdict == Verdict::New) {
                    continue;
                }
                if !verdicts.any(|(_, verdict)| *verdict == Verdict::Not) {
                    cannot_fail.push(format!("{} {}: {what}", figure.paper.name(), figure.id));
                }
            }
        }
        assert_eq!(cannot_fail, Vec::<String>::new());
    }

    #[test]
    fn a_world_without_effects_reproduces_none() {
        for figure in measured_figures() {
            let scope = Scope::all(Scale::Tiny);
            let result = Arc::new(RunResult { cycles: 1000, ..RunResult::default() });
            let mut measured = Measured::default();
            for need in (figure.needs)(scope) {
                measured.add_result(need.spec(), Arc::clone(&result));
            }
            let Ok(drawn) = (figure.draw)(scope, &measured) else { continue };
            for claim in drawn.claims {
                let Value::Number(published, Format::Times) = claim.published else { continue };
                let is_effect = (published - 1.0).abs() > 0.05;
                let is_found = is_effect && claim.verdict == Verdict::Reproduced;
                assert!(!is_found, "{} {}: {}", figure.paper.name(), figure.id, claim.what);
            }
        }
    }

    #[test]
    fn an_unknown_figure_gets_the_nearest_number() {
        let error = choose(Paper::Bpc, &["3d".to_owned()]).err().unwrap().to_string();
        assert!(error.contains("bpc has no figure \"3d\""), "{error}");
    }
}
