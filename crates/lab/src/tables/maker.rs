//! Tables for runs: kept ones first, then one profiling run for all codecs of a program.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shrinkwarp_sim::scheme::Tables;

use super::train;
use crate::LabError;
use crate::batch::Sink;
use crate::profile::Profile;
use crate::run::{Identity, Run};

/// Profiles held at once: neighbours in a batch share a program, and a profile is a few megabytes.
const PROFILES: usize = 8;

/// Makes tables, shared by the threads of a batch.
#[derive(Debug, Default)]
pub struct TableMaker {
    kept: Mutex<BTreeMap<(Identity, String), Vec<u8>>>,
    profiles: Mutex<VecDeque<(Identity, Slot)>>,
}

/// A profile that is there, or is made by the first thread that needs it while the others wait.
type Slot = Arc<Mutex<Option<Arc<Profile>>>>;

impl TableMaker {
    /// Takes over what a sink has of a run's tables.
    pub fn preload(&self, run: &Run, sink: &dyn Sink) -> Result<(), LabError> {
        let codecs = needed(run);
        if codecs.is_empty() {
            return Ok(());
        }
        let profile = Identity::of_profile(run)?;
        for codec in codecs {
            if let Some(bytes) = sink.tables(&profile, &codec)? {
                locked(&self.kept).insert((profile.clone(), codec), bytes);
            }
        }
        Ok(())
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

/// What a thread that panicked left behind is a map all the same.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
