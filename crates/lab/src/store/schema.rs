//! The tables, as steps from one version to the next: an empty database is version 0.
//!
//! A store of an older version is brought up to date when it is opened to write, in one transaction. One of a newer
//! version, or a database of another program, is refused and not changed.

use rusqlite::{Connection, TransactionBehavior};

use super::error::Context;
use super::location::WAY_OUT;
use crate::LabError;

/// Step `n` makes version `n + 1` of version `n`. Steps are only ever added.
const STEPS: &[&str] = &[RUNS, TABLES_AND_VIEW, DATA_SETS, CLAIMS_AND_PROFILES, OUTPUT, APPROXIMATION_ERRORS];

/// Version 1: runs and their numbers.
const RUNS: &str = "
CREATE TABLE schema (version INTEGER NOT NULL);
INSERT INTO schema VALUES (0);
CREATE TABLE configurations (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    workload TEXT NOT NULL,
    scale TEXT NOT NULL,
    seed INTEGER NOT NULL,
    input TEXT,
    gpu TEXT NOT NULL,
    scheme TEXT NOT NULL,
    energy TEXT NOT NULL,
    overrides TEXT NOT NULL,
    gpu_configuration TEXT NOT NULL REFERENCES configurations(hash),
    scheme_configuration TEXT NOT NULL REFERENCES configurations(hash),
    energy_configuration TEXT NOT NULL REFERENCES configurations(hash),
    sample_cycles INTEGER,
    model_version INTEGER NOT NULL,
    code_version TEXT NOT NULL,
    host TEXT NOT NULL,
    finished_unix_s INTEGER NOT NULL,
    duration_s REAL NOT NULL,
    error TEXT,
    cycles INTEGER,
    thread_instructions INTEGER,
    launches TEXT
);
CREATE INDEX runs_by_workload ON runs(workload, scale, scheme);
CREATE TABLE counter_names (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE counters (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    name INTEGER NOT NULL REFERENCES counter_names(id),
    value REAL NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
CREATE TABLE series (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    points TEXT NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
";

/// Version 2: tables of trained codecs, and a view for people who write SQL.
const TABLES_AND_VIEW: &str = "
CREATE TABLE codec_tables (
    profile TEXT NOT NULL,
    codec TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (profile, codec)
) WITHOUT ROWID;
CREATE VIEW numbers AS
    SELECT runs.id AS run, runs.workload, runs.scale, runs.seed, runs.gpu, runs.scheme, runs.overrides,
           counter_names.name, counters.value
    FROM counters JOIN runs ON runs.id = counters.run JOIN counter_names ON counter_names.id = counters.name;
";

/// Version 3: which data set a run had. Runs of older versions did not say.
const DATA_SETS: &str = "
ALTER TABLE runs ADD COLUMN data TEXT NOT NULL DEFAULT 'unknown';
DROP VIEW numbers;
CREATE VIEW numbers AS
    SELECT runs.id AS run, runs.workload, runs.scale, runs.data, runs.seed, runs.gpu, runs.scheme, runs.overrides,
           counter_names.name, counters.value
    FROM counters JOIN runs ON runs.id = counters.run JOIN counter_names ON counter_names.id = counters.name;
";

/// Version 4: which process is at which run, and what profiling runs moved.
const CLAIMS_AND_PROFILES: &str = "
CREATE TABLE claims (
    identity TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    until_unix_s INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE profiles (
    profile TEXT PRIMARY KEY,
    model_version INTEGER NOT NULL,
    content BLOB NOT NULL
);
";

/// Version 5: what programs wrote.
const OUTPUT: &str = "ALTER TABLE runs ADD COLUMN output TEXT;";

/// Version 6: errors of approximated programs, the rows of each data set as text.
const APPROXIMATION_ERRORS: &str = "
CREATE TABLE approximation_errors (
    identity TEXT PRIMARY KEY,
    rows TEXT NOT NULL
) WITHOUT ROWID;
";

/// Brings a store up to date.
pub fn migrate(connection: &mut Connection, context: &Context<'_>) -> Result<(), LabError> {
    migrate_to(connection, context, STEPS.len())
}

pub(super) fn migrate_to(
    connection: &mut Connection,
    context: &Context<'_>,
    target: usize,
) -> Result<(), LabError> {
    if version(connection, context)? == target {
        return Ok(());
    }
    let explain = |error| context.explain(error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(explain)?;
    // Another process may have done it while this one waited.
    let from = version(&transaction, context)?;
    for step in STEPS.get(from..target).unwrap_or_default() {
        transaction.execute_batch(step).map_err(explain)?;
    }
    transaction.execute("UPDATE schema SET version = ?1", [target]).map_err(explain)?;
    transaction.commit().map_err(explain)
}

/// Refuses every version but this program's.
pub fn require_current(connection: &Connection, context: &Context<'_>) -> Result<(), LabError> {
    let found = version(connection, context)?;
    if found == STEPS.len() {
        return Ok(());
    }
    if found == 0 {
        return Err(context.missing());
    }
    let message = format!(
        "has version {found} of the tables and this program reads version {}; any command that writes to it \
         brings it up to date",
        STEPS.len()
    );
    Err(context.say(&message))
}

/// The version of a store; 0 for an empty database.
fn version(connection: &Connection, context: &Context<'_>) -> Result<usize, LabError> {
    let count = |condition: &str| -> Result<usize, LabError> {
        let query = format!("SELECT count(*) FROM sqlite_schema WHERE {condition}");
        connection.query_row(&query, [], |row| row.get(0)).map_err(|error| context.explain(error))
    };
    if count("type = 'table' AND name IN ('schema', 'runs')")? < 2 {
        if count("1")? > 0 {
            let message = format!("is a database of another program and is not changed; {WAY_OUT}");
            return Err(context.say(&message));
        }
        return Ok(0);
    }
    let version: usize = connection
        .query_row("SELECT version FROM schema", [], |row| row.get(0))
        .map_err(|error| context.explain(error))?;
    if version > STEPS.len() {
        let message = format!(
            "was written by a newer shrinkwarp (version {version} of the tables, this program knows {}); \
             update this program, or {WAY_OUT}",
            STEPS.len()
        );
        return Err(context.say(&message));
    }
    Ok(version)
}
