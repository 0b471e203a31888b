//! How a run is put in: one transaction, so that it is there whole or not at all.

use rusqlite::{Transaction, TransactionBehavior, params};
use shrinkwarp_sim::config::{GPUS, SCHEMES};
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
    let (gpu, scheme) = (own_name(transaction, record, &GPU)?, own_name(transaction, record, &SCHEME)?);
    let launches = result.and_then(|result| serde_json::to_string(&result.launches).ok());
    transaction
        .prepare_cached(
            "INSERT INTO runs (identity, workload, scale, seed, input, gpu, scheme, energy, overrides,
                gpu_configuration, scheme_configuration, energy_configuration, sample_cycles,
                model_version, code_version, host, finished_unix_s, duration_s,
                error, cycles, thread_instructions, launches, data, output)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)",
        )?
        .insert(params![
            record.identity.as_str(),
            record.workload,
            record.scale,
            record.seed as i64,
            record.input,
            gpu,
            scheme,
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
            record.output,
        ])
}

/// What a run says of one of the two things that users bring along and name.
struct Named {
    name: fn(&Record) -> &str,
    text: fn(&Record) -> &str,
    presets: fn(&str) -> bool,
    /// The texts of other runs under the name. Those of older models may lack keys, and a GPU's text has its changes.
    texts: &'static str,
}

const GPU: Named = Named {
    name: |record| &record.gpu,
    text: |record| &record.gpu_text,
    presets: |name| GPUS.iter().any(|preset| preset.name == name),
    texts: "SELECT DISTINCT text FROM runs JOIN configurations ON hash = gpu_configuration
            WHERE gpu = ?1 AND model_version = ?2 AND overrides = ?3",
};

const SCHEME: Named = Named {
    name: |record| &record.scheme,
    text: |record| &record.scheme_text,
    presets: |name| SCHEMES.iter().any(|preset| preset.name == name),
    texts: "SELECT DISTINCT text FROM runs JOIN configurations ON hash = scheme_configuration
            WHERE scheme = ?1 AND model_version = ?2 AND ?3 = ?3",
};

/// The name to keep a run under: its own, or, where the store has something else under that name, with the first digits of
/// what it says. So a mean over one name is a mean over one thing.
fn own_name(transaction: &Transaction<'_>, record: &Record, named: &Named) -> rusqlite::Result<String> {
    let (name, text) = ((named.name)(record), (named.text)(record));
    if (named.presets)(name) {
        return Ok(name.to_owned());
    }
    let content = content(text);
    let mut query = transaction.prepare_cached(named.texts)?;
    let overrides = serde_json::to_string(&record.overrides).unwrap_or_default();
    let mut rows = query.query(params![name, record.provenance.model_version, overrides])?;
    while let Some(row) = rows.next()? {
        if self::content(&row.get::<_, String>(0)?) != content {
            return Ok(format!("{name}~{}", &hash(content.as_bytes())[..6]));
        }
    }
    Ok(name.to_owned())
}

/// What a configuration says, without what it is called and without what changes no count of a run.
fn content(text: &str) -> String {
    let Ok(mut table) = text.parse::<toml::Table>() else { return text.to_owned() };
    for label in ["name", "description", "compute_capability"] {
        table.remove(label);
    }
    table.to_string()
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
