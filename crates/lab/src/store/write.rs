//! How a run is put in: one transaction, so that it is there whole or not at all.

use rusqlite::{Transaction, TransactionBehavior, params};
use shrinkwarp_sim::scheme::Tables;

use super::Store;
use crate::LabError;
use crate::run::{Identity, Record, RunResult, hash};

impl Store {
    /// Keeps a run in place of an earlier one of the same identity.
    pub fn record(&mut self, record: &Record) -> Result<(), LabError> {
        let place = self.place.clone();
        let explain = |error| super::Context(&place).explain(error);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(explain)?;
        insert(&transaction, record).map_err(explain)?;
        transaction.commit().map_err(explain)
    }

    /// Keeps tables that a profiling run gave.
    pub fn keep_tables(&mut self, profile: &Identity, tables: &Tables) -> Result<(), LabError> {
        for (codec, bytes) in tables {
            self.connection
                .execute(
                    "INSERT OR REPLACE INTO codec_tables (profile, codec, bytes) VALUES (?1, ?2, ?3)",
                    params![profile.as_str(), codec, bytes],
                )
                .map_err(|error| self.context().explain(error))?;
        }
        Ok(())
    }

    /// Tables that a profiling run gave earlier.
    pub fn tables(&self, profile: &Identity, codec: &str) -> Result<Option<Vec<u8>>, LabError> {
        use rusqlite::OptionalExtension;
        self.connection
            .prepare_cached("SELECT bytes FROM codec_tables WHERE profile = ?1 AND codec = ?2")
            .and_then(|mut query| {
                query.query_row(params![profile.as_str(), codec], |row| row.get(0)).optional()
            })
            .map_err(|error| self.context().explain(error))
    }
}

fn insert(transaction: &Transaction<'_>, record: &Record) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM runs WHERE identity = ?1")?
        .execute([record.identity.as_str()])?;
    transaction
        .prepare_cached("DELETE FROM claims WHERE identity = ?1")?
        .execute([record.identity.as_str()])?;
    let run = insert_run(transaction, record)?;
    match record.result() {
        Some(result) => insert_numbers(transaction, run, result),
        None => Ok(()),
    }
}

fn insert_run(transaction: &Transaction<'_>, record: &Record) -> rusqlite::Result<i64> {
    let result = record.result();
    let provenance = &record.provenance;
    let launches = result.and_then(|result| serde_json::to_string(&result.launches).ok());
    transaction
        .prepare_cached(
            "INSERT INTO runs (identity, workload, scale, seed, input, gpu, scheme, energy, overrides,
                gpu_configuration, scheme_configuration, energy_configuration, sample_cycles,
                model_version, code_version, host, finished_unix_s, duration_s,
                error, cycles, thread_instructions, launches, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)",
        )?
        .insert(params![
            record.identity.as_str(),
            record.workload,
            record.scale,
            record.seed as i64,
            record.input,
            record.gpu,
            record.scheme,
            record.energy,
            serde_json::to_string(&record.overrides).unwrap_or_default(),
            keep_configuration(transaction, &record.gpu_text)?,
            keep_configuration(transaction, &record.scheme_text)?,
            keep_configuration(transaction, &record.energy_text)?,
            record.sample_cycles.map(|cycles| cycles as i64),
            provenance.model_version,
            provenance.code_version,
            provenance.host,
            provenance.finished_unix_s as i64,
            provenance.duration_s,
            record.error(),
            result.map(|result| result.cycles as i64),
            result.map(|result| result.thread_instructions as i64),
            launches,
            record.data,
        ])
}

/// Many runs share a configuration; its text is kept once.
fn keep_configuration(transaction: &Transaction<'_>, text: &str) -> rusqlite::Result<String> {
    let hash = hash(text.as_bytes());
    transaction
        .prepare_cached("INSERT OR IGNORE INTO configurations (hash, text) VALUES (?1, ?2)")?
        .execute(params![hash, text])?;
    Ok(hash)
}

fn insert_numbers(transaction: &Transaction<'_>, run: i64, result: &RunResult) -> rusqlite::Result<()> {
    let mut name_of = transaction.prepare_cached("INSERT OR IGNORE INTO counter_names (name) VALUES (?1)")?;
    let mut counter = transaction.prepare_cached(
        "INSERT INTO counters (run, name, value) SELECT ?1, id, ?3 FROM counter_names WHERE name = ?2",
    )?;
    for (name, value) in result.counters.iter() {
        if counter.execute(params![run, name, value])? == 0 {
            name_of.execute([name])?;
            counter.execute(params![run, name, value])?;
        }
    }
    let mut series =
        transaction.prepare_cached("INSERT INTO series (run, name, points) VALUES (?1, ?2, ?3)")?;
    for (name, points) in &result.series.columns {
        series.execute(params![run, name, serde_json::to_string(points).unwrap_or_default()])?;
    }
    Ok(())
}
