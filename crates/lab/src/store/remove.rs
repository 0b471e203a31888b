//! How runs leave a store, and how two stores become one.

use rusqlite::params;
use shrinkwarp_sim::MODEL_VERSION;
use shrinkwarp_sim::scheme::Tables;

use super::Store;
use crate::LabError;
use crate::batch::CachedState;
use crate::run::Identity;
use crate::store::Filter;

impl Store {
    /// Removes runs with all their numbers; returns how many there were.
    pub fn delete(&mut self, identities: &[Identity]) -> Result<usize, LabError> {
        let place = self.place.clone();
        let explain = |error| super::Context(&place).explain(error);
        let transaction = self.connection.transaction().map_err(explain)?;
        let mut gone = 0;
        for identity in identities {
            let deleted = transaction.execute("DELETE FROM runs WHERE identity = ?1", [identity.as_str()]);
            gone += deleted.map_err(explain)?;
        }
        transaction.execute(UNUSED_CONFIGURATIONS, []).map_err(explain)?;
        transaction.commit().map_err(explain)?;
        Ok(gone)
    }

    /// Removes runs of earlier models, which no command finds again, and gives the file's free room back; returns how
    /// many runs there were.
    pub fn prune(&mut self) -> Result<usize, LabError> {
        let explain = |error| super::Context(&self.place).explain(error);
        let gone = self
            .connection
            .execute("DELETE FROM runs WHERE model_version <> ?1", [MODEL_VERSION])
            .map_err(explain)?;
        self.connection.execute(UNUSED_CONFIGURATIONS, []).map_err(explain)?;
        self.connection
            .execute("DELETE FROM profiles WHERE model_version <> ?1", [MODEL_VERSION])
            .map_err(explain)?;
        self.connection.execute_batch("VACUUM").map_err(explain)?;
        Ok(gone)
    }

    /// Takes over the runs of another store that this one lacks, and its tables of trained codecs and errors of approximated programs; returns how many
    /// runs were new. A failure does not replace a result.
    pub fn merge(&mut self, other: &Self) -> Result<usize, LabError> {
        let mut new = 0;
        let mut rows = other.list(&Filter::default())?;
        // The oldest first, so that the newest stays the newest.
        rows.reverse();
        for row in rows {
            let Some(record) = other.get(&row.identity)? else { continue };
            let known = self.known(&record.identity, record.sample_cycles)?;
            if known == CachedState::Absent || known == CachedState::Failed && record.error().is_none() {
                self.record(&record)?;
                new += 1;
            }
        }
        for (profile, codec, bytes) in other.all_tables()? {
            if self.tables(&profile, &codec)?.is_none() {
                self.keep_tables(&profile, &Tables::from([(codec, bytes)]))?;
            }
        }
        self.merge_approximation_errors(other)?;
        Ok(new)
    }

    fn all_tables(&self) -> Result<Vec<(Identity, String, Vec<u8>)>, LabError> {
        let read = self.connection.prepare("SELECT profile, codec, bytes FROM codec_tables").and_then(
            |mut query| {
                let row = |row: &rusqlite::Row<'_>| {
                    Ok((Identity::from(row.get::<_, String>(0)?), row.get(1)?, row.get(2)?))
                };
                query.query_map(params![], row)?.collect::<Result<Vec<_>, _>>()
            },
        );
        read.map_err(|error| self.context().explain(error))
    }
}

const UNUSED_CONFIGURATIONS: &str = "DELETE FROM configurations WHERE hash NOT IN
    (SELECT gpu_configuration FROM runs UNION SELECT scheme_configuration FROM runs UNION SELECT energy_configuration FROM runs)";
