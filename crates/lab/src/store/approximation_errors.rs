//! What approximation costs a workload's results, so that figures are drawn again without running it.

use std::sync::{Mutex, PoisonError};

use rusqlite::{OptionalExtension, params};
use shrinkwarp_approx::cache::Cache;

use super::{Store, StoreLocation};
use crate::LabError;

impl Store {
    /// The rows that were kept for a data set.
    pub(crate) fn approximation_errors(&self, identity: &str) -> Result<Option<String>, LabError> {
        self.connection
            .prepare_cached("SELECT rows FROM approximation_errors WHERE identity = ?1")
            .and_then(|mut query| query.query_row([identity], |row| row.get(0)).optional())
            .map_err(|error| self.context().explain(error))
    }

    /// Takes over those of another store that this one lacks.
    pub(super) fn merge_approximation_errors(&self, other: &Self) -> Result<(), LabError> {
        let read = other.connection.prepare("SELECT identity, rows FROM approximation_errors").and_then(
            |mut query| {
                let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
                query.query_map([], row)?.collect::<Result<Vec<_>, _>>()
            },
        );
        for (identity, rows) in read.map_err(|error| other.context().explain(error))? {
            if self.approximation_errors(&identity)?.is_none() {
                self.keep_approximation_errors(&identity, &rows)?;
            }
        }
        Ok(())
    }

    /// Keeps the rows of a data set.
    pub(crate) fn keep_approximation_errors(&self, identity: &str, rows: &str) -> Result<(), LabError> {
        self.connection
            .execute(
                "INSERT OR REPLACE INTO approximation_errors (identity, rows) VALUES (?1, ?2)",
                params![identity, rows],
            )
            .map(drop)
            .map_err(|error| self.context().explain(error))
    }
}

/// A store that several threads ask for errors, and in which they keep them, each data set as soon as it is measured.
#[derive(Debug)]
pub struct KeptErrors {
    store: Mutex<Store>,
    /// Whether what is there is measured again.
    is_fresh: bool,
}

impl KeptErrors {
    /// Those of the store at a place.
    pub fn of(place: &StoreLocation, is_fresh: bool) -> Result<Self, LabError> {
        Ok(Self { store: Mutex::new(Store::open(place)?), is_fresh })
    }

    fn with_store<T>(&self, ask: impl FnOnce(&Store) -> T) -> T {
        ask(&self.store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Cache for KeptErrors {
    fn load(&self, identity: &str) -> Option<String> {
        if self.is_fresh {
            return None;
        }
        self.with_store(|store| store.approximation_errors(identity)).ok().flatten()
    }

    fn keep(&self, identity: &str, rows: &str) {
        // Rows that cannot be kept are measured again.
        let _ = self.with_store(|store| store.keep_approximation_errors(identity, rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_figure_measured_the_next_one_and_a_merged_store_have() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| StoreLocation::File(folder.path().join(name));
        let errors = KeptErrors::of(&place("first"), false).unwrap();
        assert_eq!(errors.load("lud, seed 1"), None);
        errors.keep("lud, seed 1", "0.25");

        let later = KeptErrors::of(&place("first"), false).unwrap();
        assert_eq!(later.load("lud, seed 1").as_deref(), Some("0.25"));
        assert_eq!(later.load("lud, seed 2"), None);
        assert_eq!(KeptErrors::of(&place("first"), true).unwrap().load("lud, seed 1"), None);

        let mut second = Store::open(&place("second")).unwrap();
        second.merge(&Store::open_to_read(&place("first")).unwrap()).unwrap();
        assert_eq!(second.approximation_errors("lud, seed 1").unwrap().as_deref(), Some("0.25"));
    }
}
