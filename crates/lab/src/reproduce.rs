//! Redraws figures: collects what they need, measures what the store does not know yet, and draws.
//!
//! Figures share runs, so everything is collected first and each run is run once. A run that fails takes only the
//! figures with it that need it; they say why.

mod text;

pub use text::{DrawnPage, json, text};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use shrinkwarp_workloads::{Paper as UsedBy, Scale};

use crate::LabError;
use crate::batch::{self, Options};
use crate::figures::{FigureSpec, Measured, Member, Need, Scope, members, reason};
use crate::profile::Profile;
use crate::run::{Identity, Record, Run, RunOutcome};
use crate::store::{KeptErrors, Store};
use shrinkwarp_report::figure::{Figure, Paper, Verdict};
use shrinkwarp_report::page::{Page, reproduction};

/// Is told how far the measurements are.
pub trait Watcher: Sync {
    /// This number of runs and profiles will be measured.
    fn begin(&self, _runs: usize, _profiles: usize) {}
    /// One of them is done.
    fn step(&self) {}
}

/// Shows nothing.
impl Watcher for () {}

/// A figure that was requested: drawn, or why not.
pub struct Drawn {
    /// Which.
    pub spec: &'static FigureSpec,
    /// What came of it.
    pub figure: Result<Figure, LabError>,
    /// Which of its workloads it has, if not all.
    pub part: Option<String>,
}

/// What a request for figures gave.
pub struct Drawing {
    /// The figures, in the order in which they were requested.
    pub drawn: Vec<Drawn>,
    /// Runs and profiles that they need.
    pub needed: usize,
    /// Of these: those that were in the store.
    pub known: usize,
}

/// Measures what the figures need and draws them.
pub fn draw(
    store: &mut Store,
    figures: &[&'static FigureSpec],
    scope: Scope,
    options: &Options<'_>,
    watcher: &dyn Watcher,
) -> Result<Drawing, LabError> {
    let needs = figures.iter().flat_map(|figure| (figure.needs)(scope));
    let needs: BTreeMap<String, Need> = needs.map(|need| (need.key(), need)).collect();
    let (mut measured, needed, known) = measure(store, needs.into_values().collect(), options, watcher)?;
    if options.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Err(LabError::Work("interrupted; what was measured is in the store".to_owned()));
    }
    measured.keep_errors_in(KeptErrors::of(store.place(), options.is_fresh)?);
    let draw = |&spec: &&'static FigureSpec| draw_figure(spec, scope, &measured);
    Ok(Drawing { drawn: figures.par_iter().map(draw).collect(), needed, known })
}

/// Draws a figure from the chosen ones of its workloads.
fn draw_figure(spec: &'static FigureSpec, scope: Scope, measured: &Measured) -> Drawn {
    let used = |scope: Scope| -> BTreeSet<String> {
        (spec.needs)(scope).iter().map(|need| need.spec().subject.name().to_owned()).collect()
    };
    let (chosen, all) = if scope.is_whole() {
        (BTreeSet::new(), BTreeSet::new())
    } else {
        (used(scope), used(Scope::all(scope.scale)))
    };
    let listed = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    if chosen.is_empty() && !all.is_empty() {
        let why = format!("none of its workloads is chosen; it has {}", listed(&all));
        return Drawn { spec, figure: Err(LabError::Usage(why)), part: None };
    }
    let part = (chosen.len() < all.len()).then(|| {
        format!(
            "{} of {} workloads: {}; published means are over all",
            chosen.len(),
            all.len(),
            listed(&chosen)
        )
    });
    let figure = (spec.draw)(scope, measured).map(|mut figure| {
        figure.text.extend(part.as_ref().map(|part| format!("\nHere {part}.")));
        figure.because(reason(spec.paper, spec.id, scope.scale))
    });
    Drawn { spec, figure, part }
}

/// Runs what the store does not know, and profiles.
fn measure(
    store: &mut Store,
    needs: Vec<Need>,
    options: &Options<'_>,
    watcher: &dyn Watcher,
) -> Result<(Measured, usize, usize), LabError> {
    let mut runs: Vec<(Need, Run)> = Vec::new();
    let mut profiles: Vec<(Need, Run)> = Vec::new();
    for need in needs {
        let run = need.spec().resolve()?;
        match need {
            Need::Run(_) => runs.push((need, run)),
            Need::Profile(_) => profiles.push((need, run)),
        }
    }
    let needed = runs.len() + profiles.len();
    let mut measured = Measured::default();
    let mut missing = Vec::new();
    for (need, run) in profiles {
        let kept = if options.is_fresh { None } else { store.profile(&Identity::of_profile(&run)?)? };
        match kept {
            Some(profile) => measured.add_profile(need.spec(), Arc::new(profile)),
            None => missing.push((need, run)),
        }
    }
    let all: Vec<Run> = runs.iter().map(|(_, run)| run.clone()).collect();
    let pending = batch::pending(store, &all, options, &mut batch::Tally::default())?;
    let pending_count = pending.len();
    let answered = answered_by_profiles(&missing, &pending)?;
    watcher.begin(pending_count - answered.len(), missing.len());
    let mut done = BTreeSet::new();
    for ((need, run), profile) in missing.iter().zip(profile_all(&missing, options, watcher)) {
        match profile {
            Ok((profile, record)) => {
                store.keep_profile(&Identity::of_profile(run)?, &profile)?;
                measured.add_profile(need.spec(), Arc::new(profile));
                if let Some(record) = record.filter(|record| answered.contains(&record.identity)) {
                    store.record(&record)?;
                    done.insert(record.identity);
                }
            }
            Err(error) => measured.add_failure(need, error.to_string()),
        }
    }
    let mut left = Vec::new();
    for run in all {
        if done.is_empty() || !done.contains(&run.identity()?) {
            left.push(run);
        }
    }
    batch::run_all(store, &left, options, &mut |_, _| watcher.step())?;
    for (need, run) in &runs {
        match store.get(&run.identity()?)?.map(|record| record.outcome) {
            Some(RunOutcome::Done(result)) => measured.add_result(need.spec(), Arc::new(result)),
            Some(RunOutcome::Failed(error)) => measured.add_failure(need, error),
            None => {}
        }
    }
    // Figures may ask for one run under several names.
    Ok((measured, needed, needed - missing.len() - pending_count.min(needed)))
}

/// The runs among those to be run that are the profiling runs of some profiles, too: runs without compression of which no samples
/// are wanted. They are not run once more.
fn answered_by_profiles(profiles: &[(Need, Run)], pending: &[&Run]) -> Result<BTreeSet<Identity>, LabError> {
    let mut plain = BTreeSet::new();
    for (_, run) in profiles {
        plain.insert(run.without_compression()?.identity()?);
    }
    let mut answered = BTreeSet::new();
    for run in pending.iter().filter(|run| run.sample_cycles.is_none() && !run.reports_error) {
        let identity = run.identity()?;
        if plain.contains(&identity) {
            answered.insert(identity);
        }
    }
    Ok(answered)
}

/// Profiles on as many threads as a batch has, with the records of the runs that made them.
fn profile_all(
    profiles: &[(Need, Run)],
    options: &Options<'_>,
    watcher: &dyn Watcher,
) -> Vec<Result<(Profile, Option<Record>), LabError>> {
    let is_stopped = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let profile = |(_, run): &(Need, Run)| {
        if options.interrupt.is_some_and(is_stopped) {
            return Err(LabError::Work("interrupted".to_owned()));
        }
        let profile = Profile::with_record(run);
        watcher.step();
        profile
    };
    match rayon::ThreadPoolBuilder::new().num_threads(options.threads).build() {
        Ok(pool) => pool.install(|| profiles.par_iter().map(profile).collect()),
        // Without threads of its own it still has this one.
        Err(_) => profiles.iter().map(profile).collect(),
    }
}

/// The page of a paper; figures that could not be drawn say why.
pub fn page(paper: Paper, scale: Scale, drawn: &[Drawn]) -> Page {
    let figures: Vec<Figure> = drawn
        .iter()
        .map(|drawn| match &drawn.figure {
            Ok(figure) => figure.clone(),
            Err(error) => {
                Figure::new(paper, drawn.spec.id, drawn.spec.title).text(format!("Not drawn: {error}"))
            }
        })
        .collect();
    let lead = format!(
        "Redrawn by shrinkwarp {} from its own simulations at {} scale. Diamonds and the published column are the paper's.{}",
        env!("CARGO_PKG_VERSION"),
        scale.name(),
        scale_warning(scale).map_or(String::new(), |warning| format!(" {warning}"))
    );
    let codes = codes(paper);
    let codes: Vec<(&str, &str)> = codes.iter().map(|(code, text)| (*code, text.as_str())).collect();
    reproduction(paper, &lead, &codes, &figures)
}

/// What a paper's names of workloads mean: a name such as SC is the name of a codec, too.
fn codes(paper: Paper) -> Vec<(&'static str, String)> {
    let user = match paper {
        Paper::Bpc => UsedBy::Bpc,
        Paper::E2mc => UsedBy::E2mc,
        Paper::Dsm => UsedBy::Dsm,
        Paper::Latte => UsedBy::Latte,
        Paper::Combined => return Vec::new(),
    };
    let code = |member: Member| {
        let workload = member.workload;
        (member.label, format!("{}: {}", workload.name, workload.summary))
    };
    members(Scope::all(Scale::Tiny), user).into_iter().map(code).collect()
}

/// What a reader must know of numbers of this scale.
pub fn scale_warning(scale: Scale) -> Option<&'static str> {
    (scale == Scale::Tiny).then_some(
        "Tiny inputs only show that everything works: at this scale numbers and verdicts mean nothing.",
    )
}

/// How many claims of some figures have each verdict.
pub fn verdicts(drawn: &[Drawn]) -> [(Verdict, usize); 4] {
    let claims =
        || drawn.iter().filter_map(|drawn| drawn.figure.as_ref().ok()).flat_map(|figure| &figure.claims);
    Verdict::ALL.map(|verdict| (verdict, claims().filter(|claim| claim.verdict == verdict).count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures;
    use crate::run::RunSpec;
    use crate::store::StoreLocation;

    #[test]
    fn a_figure_is_drawn_from_what_it_needs_and_its_runs_are_kept() {
        let mut store = Store::open(&StoreLocation::Memory).unwrap();
        let figures = figures::choose(Paper::Dsm, &["1.1".to_owned()]).unwrap();
        let scope = Scope::all(Scale::Tiny);
        let first = draw(&mut store, &figures, scope, &Options::default(), &()).unwrap();
        let figure = first.drawn[0].figure.as_ref().unwrap();
        assert_eq!(figure.charts.len(), 1);
        assert_eq!(figure.claims.len(), 1);
        let kept = store.count().unwrap();
        assert_eq!(kept as usize, (figures[0].needs)(scope).len());
        let second = draw(&mut store, &figures, scope, &Options::default(), &()).unwrap();
        assert_eq!(store.count().unwrap(), kept);
        assert_eq!((first.known, second.known, second.needed), (0, kept as usize, kept as usize));
    }

    #[test]
    fn a_figure_of_some_workloads_says_which_and_has_no_others() {
        let mut store = Store::open(&StoreLocation::Memory).unwrap();
        let figures = figures::choose(Paper::Dsm, &["1.1".to_owned()]).unwrap();
        let scope = Scope::all(Scale::Tiny);
        let mut draw = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            draw(&mut store, &figures, scope.only(&names).unwrap(), &Options::default(), &()).unwrap()
        };
        let some = draw(&["bfs", "reduction", "libor"]);
        assert_eq!(some.needed, 2);
        let part = some.drawn[0].part.as_ref().unwrap();
        assert!(part.starts_with("2 of 18 workloads: bfs, reduction;"), "{part}");
        assert!(some.drawn[0].figure.as_ref().unwrap().text.contains(part));
        let none = draw(&["libor"]);
        let error = none.drawn[0].figure.as_ref().unwrap_err().to_string();
        assert!(error.contains("none of its workloads is chosen") && error.contains("bfs"), "{error}");
    }

    #[test]
    fn a_profile_is_made_once() {
        /// Counts what is measured.
        #[derive(Default)]
        struct Count(std::sync::atomic::AtomicUsize);
        impl Watcher for Count {
            fn begin(&self, runs: usize, profiles: usize) {
                self.0.store(runs + profiles, Ordering::Relaxed);
            }
        }
        let mut store = Store::open(&StoreLocation::Memory).unwrap();
        let figures = figures::choose(Paper::Dsm, &["redundancy".to_owned()]).unwrap();
        let scope = Scope::all(Scale::Tiny);
        let count = Count::default();
        let mut draw = || {
            let drawing = draw(&mut store, &figures, scope, &Options::default(), &count).unwrap();
            (count.0.load(Ordering::Relaxed), drawing.drawn[0].figure.as_ref().unwrap().csv())
        };
        let (first, again) = (draw(), draw());
        assert!(first.0 > 0);
        assert_eq!(again, (0, first.1), "the kept profile gives the same figure");
    }

    #[test]
    fn a_profile_and_the_run_without_compression_are_one_simulation() {
        /// Runs and profiles that are measured.
        #[derive(Default)]
        struct Begun(std::sync::Mutex<(usize, usize)>);
        impl Watcher for Begun {
            fn begin(&self, runs: usize, profiles: usize) {
                *self.0.lock().unwrap() = (runs, profiles);
            }
        }
        let spec = RunSpec::new("histogram", Scale::Tiny);
        let sampled = RunSpec { sample_cycles: Some(500), ..RunSpec::new("transpose", Scale::Tiny) };
        let needs = || vec![Need::Run(spec.clone()), Need::Profile(spec.clone())];
        let sampled_needs = || vec![Need::Run(sampled.clone()), Need::Profile(sampled.clone())];
        for (needs, expected) in [(needs(), (0, 1)), (sampled_needs(), (1, 1))] {
            let mut store = Store::open(&StoreLocation::Memory).unwrap();
            let spec = needs[0].spec().clone();
            for is_fresh in [false, true] {
                let begun = Begun::default();
                let options = Options { is_fresh, ..Options::default() };
                let (measured, needed, known) = measure(&mut store, needs.clone(), &options, &begun).unwrap();
                assert_eq!((*begun.0.lock().unwrap(), needed, known), (expected, 2, 0));
                let mut alone = Store::open(&StoreLocation::Memory).unwrap();
                let run = spec.resolve().unwrap();
                batch::run_all(&mut alone, std::slice::from_ref(&run), &options, &mut |_, _| {}).unwrap();
                let alone = alone.get(&run.identity().unwrap()).unwrap().unwrap();
                assert_eq!(measured.result(&spec).unwrap(), alone.result().unwrap());
                assert!(measured.profile(&spec).unwrap().dram_blocks() > 0);
            }
        }
    }

    #[test]
    fn a_figure_without_its_runs_says_which_one_is_missing() {
        let spec = figures::choose(Paper::Dsm, &["1.1".to_owned()]).unwrap()[0];
        let error = (spec.draw)(Scope::all(Scale::Tiny), &Measured::default()).unwrap_err().to_string();
        assert!(error.contains("on dsm-fermi") && error.contains("was not measured"), "{error}");
    }
}
