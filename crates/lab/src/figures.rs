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

pub use common::{Member, members};
pub use measured::{Measured, Need};
pub use reasons::reason;

use shrinkwarp_workloads::Scale;

use crate::LabError;
use shrinkwarp_report::figure::{Figure, Paper};
use shrinkwarp_report::suggestion::suggestion;

/// What a figure is drawn for.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Size of the workloads' inputs.
    pub scale: Scale,
}

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

/// All figures of a paper, in its order.
pub fn of_paper(paper: Paper) -> &'static [FigureSpec] {
    match paper {
        Paper::Bpc => bpc::FIGURES,
        Paper::E2mc => e2mc::FIGURES,
        Paper::Dsm => dsm::FIGURES,
        Paper::Latte => latte::FIGURES,
        Paper::Combined => combined::FIGURES,
    }
}

/// The figures of a paper with these numbers; all of them if none is named.
pub fn choose(paper: Paper, ids: &[String]) -> Result<Vec<&'static FigureSpec>, LabError> {
    let all = of_paper(paper);
    if ids.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |id: &String| {
        all.iter().find(|figure| figure.id == id).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|figure| figure.id).collect();
            let message = format!("{} has no figure {id:?}; {}", paper.name(), suggestion(id, &known));
            LabError::Usage(message)
        })
    };
    ids.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shrinkwarp_machine::counter_names;

    use super::*;
    use crate::run::RunResult;

    #[test]
    fn no_two_figures_of_a_paper_have_one_number() {
        for paper in Paper::ALL {
            let mut ids: Vec<&str> = of_paper(paper).iter().map(|figure| figure.id).collect();
            ids.sort_unstable();
            let count = ids.len();
            ids.dedup();
            assert_eq!(ids.len(), count, "{}", paper.name());
            assert!(of_paper(paper).iter().all(|figure| figure.paper == paper));
        }
    }

    #[test]
    fn every_run_that_a_figure_needs_can_be_resolved() {
        for paper in Paper::ALL {
            for figure in of_paper(paper) {
                for need in (figure.needs)(Scope { scale: Scale::Tiny }) {
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
        let scope = Scope { scale: Scale::Tiny };
        let mut drawn = 0;
        for figure in Paper::ALL.into_iter().flat_map(of_paper) {
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

    #[test]
    fn an_unknown_figure_gets_the_nearest_number() {
        let error = choose(Paper::Bpc, &["3d".to_owned()]).err().unwrap().to_string();
        assert!(error.contains("bpc has no figure \"3d\""), "{error}");
    }
}
