//! Tables for runs: kept ones first, then one profiling run for all codecs of a program.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shrinkwarp_sim::scheme::Tables;
use shrinkwarp_sim::threads::Threads;

use super::train;
use crate::LabError;
use crate::batch::Sink;
use crate::profile::Profile;
use crate::run::{Identity, Performed, Run, Subject, Watching};

/// Profiles held at once: neighbours in a batch share a program, and a profile is a few megabytes.
const PROFILES: usize = 8;

/// Makes tables, shared by the threads of a batch.
#[derive(Debug, Default)]
pub struct TableMaker {
    kept: Mutex<BTreeMap<(Identity, String), Vec<u8>>>,
    profiles: Mutex<VecDeque<(Identity, Slot)>>,
    /// Runs of the batch without compression that give a profile to others.
    profiling: BTreeSet<Identity>,
}

/// A profile that is there, or is made by the first thread that needs it while the others wait.
type Slot = Arc<Mutex<Option<Arc<Profile>>>>;

impl TableMaker {
    /// Takes over what a sink has of a run's tables, or of the profile that they are made from.
    pub fn preload(&self, run: &Run, sink: &dyn Sink) -> Result<(), LabError> {
        let codecs = needed(run);
        if codecs.is_empty() {
            return Ok(());
        }
        let identity = Identity::of_profile(run)?;
        let mut lacks_some = false;
        for codec in codecs {
            let key = (identity.clone(), codec);
            match sink.tables(&identity, &key.1)? {
                Some(bytes) => drop(locked(&self.kept).insert(key, bytes)),
                None => lacks_some |= !locked(&self.kept).contains_key(&key),
            }
        }
        // A slot that is there is filled or being filled by a thread.
        if lacks_some
            && !self.has_slot(&identity)
            && let Some(profile) = sink.profile(&identity)?
        {
            *locked(&self.slot(&identity)) = Some(Arc::new(profile));
        }
        Ok(())
    }

    /// The order in which runs are begun: a run without compression goes in front of the runs whose tables are made from what it
    /// moves, and is their profiling run.
    pub fn plan<'r>(&mut self, runs: Vec<&'r Run>, sink: &dyn Sink) -> Result<Vec<&'r Run>, LabError> {
        let (mut lacking, mut profiled) = (BTreeSet::new(), BTreeSet::new());
        for run in &runs {
            let codecs = needed(run);
            if codecs.is_empty() {
                continue;
            }
            let identity = Identity::of_profile(run)?;
            if lacking.contains(&identity)
                || profiled.contains(&identity)
                || has_all(sink, &identity, &codecs)?
            {
                continue;
            }
            let places = if sink.profile(&identity)?.is_some() { &mut profiled } else { &mut lacking };
            places.insert(identity);
        }
        if lacking.is_empty() {
            return Ok(runs);
        }
        let mut first_places = BTreeMap::new();
        let mut planned = Vec::with_capacity(runs.len());
        for (place, run) in runs.into_iter().enumerate() {
            let identity = Identity::of_profile(run)?;
            let is_profiling = lacking.contains(&identity) && is_plain_workload(run)?;
            if is_profiling {
                self.profiling.insert(run.identity()?);
            }
            let is_moved = is_profiling || lacking.contains(&identity) && !needed(run).is_empty();
            let place = if is_moved { *first_places.entry(identity).or_insert(place) } else { place };
            planned.push(((place, !is_profiling), run));
        }
        planned.sort_by_key(|&(place, _)| place);
        Ok(planned.into_iter().map(|(_, run)| run).collect())
    }

    /// Runs a run that others wait for, and keeps what it moves for them; `None` if it is not such a run.
    pub fn perform_profiling(
        &self,
        run: &Run,
        interrupt: Option<&AtomicBool>,
        threads: Threads,
    ) -> Option<Performed> {
        let Subject::Workload(of) = &run.subject else { return None };
        if self.profiling.is_empty() || !self.profiling.contains(&run.identity().ok()?) {
            return None;
        }
        let slot = self.slot(&Identity::of_profile(run).ok()?);
        let mut slot = locked(&slot);
        let watching = Watching { interrupt, watcher: &mut (), threads };
        match Profile::with_result(run, of, of.setup(), watching) {
            Ok((profile, _, result)) => {
                *slot = Some(Arc::new(profile));
                Some(Performed { outcome: Ok(result), is_partial: false, output: None })
            }
            Err(error) => {
                let is_partial = interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
                Some(Performed { is_partial, ..Performed::failed(error) })
            }
        }
    }

    /// The tables of a run, and those of them that are new with the profile they belong to.
    pub fn tables_for(&self, run: &Run) -> Result<(Tables, Option<(Identity, Tables)>), LabError> {
        if let Some(tables) = &run.tables {
            return Ok((tables.clone(), None));
        }
        let codecs = needed(run);
        if codecs.is_empty() {
            return Ok((Tables::new(), None));
        }
        let identity = Identity::of_profile(run)?;
        let mut tables = Tables::new();
        let mut missing = Vec::new();
        for codec in codecs {
            match locked(&self.kept).get(&(identity.clone(), codec.clone())) {
                Some(bytes) => drop(tables.insert(codec, bytes.clone())),
                None => missing.push(codec),
            }
        }
        if missing.is_empty() {
            return Ok((tables, None));
        }
        let made = train(&*self.profile(&identity, run)?, &missing)?;
        for (codec, bytes) in &made {
            locked(&self.kept).insert((identity.clone(), codec.clone()), bytes.clone());
        }
        tables.extend(made.clone());
        Ok((tables, Some((identity, made))))
    }

    fn profile(&self, identity: &Identity, run: &Run) -> Result<Arc<Profile>, LabError> {
        let slot = self.slot(identity);
        let mut slot = locked(&slot);
        if let Some(profile) = &*slot {
            return Ok(Arc::clone(profile));
        }
        let profile = Arc::new(Profile::of(run)?);
        *slot = Some(Arc::clone(&profile));
        Ok(profile)
    }

    fn has_slot(&self, identity: &Identity) -> bool {
        locked(&self.profiles).iter().any(|(known, _)| known == identity)
    }

    fn slot(&self, identity: &Identity) -> Slot {
        let mut profiles = locked(&self.profiles);
        if let Some((_, slot)) = profiles.iter().find(|(known, _)| known == identity) {
            return Arc::clone(slot);
        }
        let slot = Slot::default();
        profiles.push_back((identity.clone(), Arc::clone(&slot)));
        if profiles.len() > PROFILES {
            profiles.pop_front();
        }
        slot
    }
}

/// The codecs whose tables a run needs from a profiling run.
fn needed(run: &Run) -> Vec<String> {
    if run.tables.is_some() { Vec::new() } else { run.scheme.profiled_codecs() }
}

/// Whether a sink has the tables of these codecs.
fn has_all(sink: &dyn Sink, profile: &Identity, codecs: &[String]) -> Result<bool, LabError> {
    for codec in codecs {
        if sink.tables(profile, codec)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a run is its own profiling run.
fn is_plain_workload(run: &Run) -> Result<bool, LabError> {
    let is_checked_workload = matches!(run.subject, Subject::Workload(_)) && !run.reports_error;
    Ok(is_checked_workload && run.without_compression()?.identity()? == run.identity()?)
}

/// What a thread that panicked left behind is a map all the same.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use shrinkwarp_workloads::Scale;

    use super::*;
    use crate::run::{RunSpec, execute};
    use crate::store::{Store, StoreLocation};

    fn run(changes: &[&str]) -> Run {
        let overrides = changes.iter().map(ToString::to_string).collect();
        RunSpec { overrides, ..RunSpec::new("histogram", Scale::Tiny) }.resolve().unwrap()
    }

    #[test]
    fn a_run_without_compression_is_the_profiling_run_of_the_runs_after_it() {
        let store = Store::open(&StoreLocation::Memory).unwrap();
        let (trained, plain) = (run(&["scheme.packets.codec=sc"]), run(&[]));
        let (elsewhere, other) = (run(&["l1.size_kib=48"]), run(&["scheme.packets.codec=bdi"]));
        let mut maker = TableMaker::default();
        let planned = maker.plan(vec![&other, &trained, &elsewhere, &plain], &store).unwrap();
        let expected = [&other, &plain, &trained, &elsewhere];
        assert!(planned.iter().zip(expected).all(|(planned, expected)| std::ptr::eq(*planned, expected)));

        let threads = Threads::new(1);
        assert!(maker.perform_profiling(&elsewhere, None, threads).is_none(), "no codec needs its traffic");
        let performed = maker.perform_profiling(&plain, None, threads).unwrap();
        let alone = execute(&plain, &Tables::new(), &mut Watching::alone(&mut ())).unwrap();
        assert_eq!(performed.outcome.unwrap(), alone.result, "a tap changes no result");
        let profile = Profile::of(&plain).unwrap();
        let slot = maker.slot(&Identity::of_profile(&trained).unwrap());
        assert_eq!(locked(&slot).as_deref(), Some(&profile));
        let (tables, _) = maker.tables_for(&trained).unwrap();
        assert_eq!(tables, train(&profile, &["sc".to_owned()]).unwrap());
    }

    #[test]
    fn tables_are_made_from_a_profile_that_was_kept() {
        let store = Store::open(&StoreLocation::Memory).unwrap();
        let trained = run(&["scheme.packets.codec=sc"]);
        // No run moves this, so that tables made from it are not those of a run.
        let kept = Profile::of_blocks((0..64 * 128).map(|place| (place % 7) as u8).collect());
        store.keep_profile(&Identity::of_profile(&trained).unwrap(), &kept).unwrap();
        let mut maker = TableMaker::default();
        maker.plan(vec![&trained, &run(&[])], &store).unwrap();
        assert!(maker.profiling.is_empty(), "no run has to be profiled");
        maker.preload(&trained, &store).unwrap();
        let (tables, _) = maker.tables_for(&trained).unwrap();
        assert_eq!(tables, train(&kept, &["sc".to_owned()]).unwrap());
    }
}
