//! Where the results of a batch go: the store, or a file of one's own.

use shrinkwarp_sim::scheme::Tables;

use crate::LabError;
use crate::profile::Profile;
use crate::run::{Identity, Record};
use crate::store::Store;

/// What a sink has of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachedState {
    /// Nothing that answers the question.
    Absent,
    /// Its result.
    Done,
    /// Why it failed.
    Failed,
}

/// Keeps results.
pub trait Sink {
    /// What it has of a run that asks for samples this number of cycles apart.
    fn known(&self, identity: &Identity, sample_cycles: Option<u64>) -> Result<CachedState, LabError>;

    /// Keeps a run.
    fn keep(&mut self, record: &Record) -> Result<(), LabError>;

    /// Claims a run for this process; `false` if another process is at it. What no other process uses has no claims.
    fn claim(&mut self, _: &Identity) -> Result<bool, LabError> {
        Ok(true)
    }

    /// Lets the claims hold on.
    fn renew_claims(&mut self) -> Result<(), LabError> {
        Ok(())
    }

    /// Gives a run back that another process has finished meanwhile.
    fn release(&mut self, _: &Identity) -> Result<(), LabError> {
        Ok(())
    }

    /// Gives back what was claimed and not finished.
    fn release_claims(&mut self) -> Result<(), LabError> {
        Ok(())
    }

    /// What a profiling run moved, if that was kept: tables of further codecs are made from it.
    fn profile(&self, _: &Identity) -> Result<Option<Profile>, LabError> {
        Ok(None)
    }

    /// Tables that a profiling run gave earlier.
    fn tables(&self, profile: &Identity, codec: &str) -> Result<Option<Vec<u8>>, LabError>;

    /// Keeps tables that a profiling run gave.
    fn keep_tables(&mut self, profile: &Identity, tables: &Tables) -> Result<(), LabError>;
}

impl Sink for Store {
    fn known(&self, identity: &Identity, sample_cycles: Option<u64>) -> Result<CachedState, LabError> {
        Store::known(self, identity, sample_cycles)
    }

    fn keep(&mut self, record: &Record) -> Result<(), LabError> {
        self.record(record)
    }

    fn claim(&mut self, identity: &Identity) -> Result<bool, LabError> {
        Store::claim(self, identity)
    }

    fn renew_claims(&mut self) -> Result<(), LabError> {
        Store::renew_claims(self)
    }

    fn release(&mut self, identity: &Identity) -> Result<(), LabError> {
        Store::release(self, identity)
    }

    fn release_claims(&mut self) -> Result<(), LabError> {
        Store::release_claims(self)
    }

    fn profile(&self, identity: &Identity) -> Result<Option<Profile>, LabError> {
        Store::profile(self, identity)
    }

    fn tables(&self, profile: &Identity, codec: &str) -> Result<Option<Vec<u8>>, LabError> {
        Store::tables(self, profile, codec)
    }

    fn keep_tables(&mut self, profile: &Identity, tables: &Tables) -> Result<(), LabError> {
        Store::keep_tables(self, profile, tables)
    }
}
