//! Which runs are there, and what is known of one.

use rusqlite::{OptionalExtension, Row, ToSql, params};
use serde::Serialize;

use super::Store;
use crate::LabError;
use crate::batch::CachedState;
use crate::run::{Counters, Identity, Provenance, Record, RunOutcome, RunResult, Series};

/// Which runs; what is left out does not matter.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Workload.
    pub workload: Option<String>,
    /// Scheme.
    pub scheme: Option<String>,
    /// GPU.
    pub gpu: Option<String>,
    /// Scale.
    pub scale: Option<String>,
    /// Only runs that failed (`true`), or only those that did not.
    pub failed: Option<bool>,
    /// At most this number of runs, the newest.
    pub limit: Option<u32>,
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRow {
    /// What makes it the same run as another.
    pub identity: Identity,
    /// Workload.
    pub workload: String,
    /// Size of its input.
    pub scale: String,
    /// Seed of its input.
    pub seed: u64,
    /// Name of its data set.
    pub data: String,
    /// SHA-256 of the user's input file, if one replaced the data set.
    pub input: Option<String>,
    /// GPU.
    pub gpu: String,
    /// Scheme.
    pub scheme: String,
    /// Changes of single keys.
    pub overrides: Vec<String>,
    /// Core cycles, if it did not fail.
    pub cycles: Option<u64>,
    /// Thread instructions, if it did not fail.
    pub thread_instructions: Option<u64>,
    /// Whether it has a time series.
    pub has_series: bool,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// Seconds since 1970 when it ended.
    pub finished_unix_s: u64,
    /// Seconds that it took.
    pub duration_s: f64,
}

/// What a list shows of a run: the columns that [`run_row`] reads.
const LISTED: &str = "identity, workload, scale, seed, data, input, gpu, scheme, overrides, cycles,
    thread_instructions, sample_cycles IS NOT NULL AS has_series, error, finished_unix_s, duration_s";

/// What else there is of a run: the columns that [`record`] reads.
const DETAILS: &str = "id, energy,
    (SELECT text FROM configurations WHERE hash = gpu_configuration) AS gpu_text,
    (SELECT text FROM configurations WHERE hash = scheme_configuration) AS scheme_text,
    (SELECT text FROM configurations WHERE hash = energy_configuration) AS energy_text,
    sample_cycles, model_version, code_version, host, launches, output";

impl Store {
    /// The runs that pass a filter, newest first.
    pub fn list(&self, filter: &Filter) -> Result<Vec<RunRow>, LabError> {
        let columns = [
            ("workload", &filter.workload),
            ("scheme", &filter.scheme),
            ("gpu", &filter.gpu),
            ("scale", &filter.scale),
        ];
        let mut conditions = vec!["1".to_owned()];
        let mut values: Vec<&dyn ToSql> = Vec::new();
        for (column, value) in columns {
            if let Some(value) = value {
                values.push(value);
                conditions.push(format!("{column} = ?{}", values.len()));
            }
        }
        if let Some(failed) = filter.failed {
            conditions.push(format!("error IS {} NULL", if failed { "NOT" } else { "" }));
        }
        let limit = filter.limit.map_or(-1, i64::from);
        let query = format!(
            "SELECT {LISTED} FROM runs WHERE {} ORDER BY id DESC LIMIT {limit}",
            conditions.join(" AND ")
        );
        let rows = self.connection.prepare(&query).and_then(|mut statement| {
            statement.query_map(values.as_slice(), run_row)?.collect::<Result<Vec<RunRow>, _>>()
        });
        rows.map_err(|error| self.context().explain(error))
    }

    /// How many runs there are, failed ones included.
    pub fn count(&self) -> Result<u64, LabError> {
        self.connection
            .query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, i64>(0))
            .map(|count| count as u64)
            .map_err(|error| self.context().explain(error))
    }

    /// Everything known of a run; `None` if it is not there.
    pub fn get(&self, identity: &Identity) -> Result<Option<Record>, LabError> {
        self.details(identity).map_err(|error| self.context().explain(error))
    }

    /// What there is of a run that asks for samples this number of cycles apart.
    pub fn known(&self, identity: &Identity, sample_cycles: Option<u64>) -> Result<CachedState, LabError> {
        let found: Option<(bool, Option<i64>)> = self
            .connection
            .prepare_cached("SELECT error IS NOT NULL, sample_cycles FROM runs WHERE identity = ?1")
            .and_then(|mut query| {
                query.query_row([identity.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .map_err(|error| self.context().explain(error))?;
        let asked = sample_cycles.map(|cycles| cycles as i64);
        Ok(match found {
            Some((true, _)) => CachedState::Failed,
            Some((false, kept)) if asked.is_none() || asked == kept => CachedState::Done,
            _ => CachedState::Absent,
        })
    }

    /// The run whose identity begins like this.
    pub fn find(&self, beginning: &str) -> Result<Record, LabError> {
        let found: Vec<String> = self
            .connection
            .prepare_cached("SELECT identity FROM runs WHERE substr(identity, 1, length(?1)) = ?1 LIMIT 3")
            .and_then(|mut query| query.query_map([beginning], |row| row.get(0))?.collect())
            .map_err(|error| self.context().explain(error))?;
        let one = match found.as_slice() {
            [one] => Identity::from(one.clone()),
            [] => {
                return Err(self
                    .context()
                    .say(&format!("has no run {beginning:?}; `shrinkwarp store list` shows all")));
            }
            _ => {
                return Err(self
                    .context()
                    .say(&format!("has several runs {beginning:?}…; give more digits")));
            }
        };
        self.get(&one)?.ok_or_else(|| self.context().say("the run was deleted meanwhile"))
    }

    /// Seconds that runs of a workload took on average at a scale; `None` if there was none.
    pub fn mean_duration_s(&self, workload: &str, scale: &str) -> Result<Option<f64>, LabError> {
        self.connection
            .prepare_cached(
                "SELECT avg(duration_s) FROM runs WHERE workload = ?1 AND scale = ?2 AND error IS NULL",
            )
            .and_then(|mut query| query.query_row(params![workload, scale], |row| row.get(0)))
            .map_err(|error| self.context().explain(error))
    }

    fn details(&self, identity: &Identity) -> rusqlite::Result<Option<Record>> {
        let mut query = self
            .connection
            .prepare_cached(&format!("SELECT {LISTED}, {DETAILS} FROM runs WHERE identity = ?1"))?;
        let found = query.query_row([identity.as_str()], |row| Ok((row.get::<_, i64>("id")?, record(row)?)));
        let Some((run, mut record)) = found.optional()? else { return Ok(None) };
        if let RunOutcome::Done(result) = &mut record.outcome {
            result.counters = self.counters_of(run)?;
            result.series = self.series_of(run)?;
        }
        Ok(Some(record))
    }

    fn counters_of(&self, run: i64) -> rusqlite::Result<Counters> {
        self.connection
            .prepare_cached(
                "SELECT counter_names.name, value FROM counters JOIN counter_names ON counter_names.id = counters.name
                 WHERE run = ?1",
            )?
            .query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    }

    fn series_of(&self, run: i64) -> rusqlite::Result<Series> {
        let mut query = self.connection.prepare_cached("SELECT name, points FROM series WHERE run = ?1")?;
        let columns =
            query.query_map([run], |row| Ok((row.get(0)?, from_json(&row.get::<_, String>(1)?))))?;
        Ok(Series { columns: columns.collect::<Result<_, _>>()? })
    }
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        identity: Identity::from(row.get::<_, String>("identity")?),
        workload: row.get("workload")?,
        scale: row.get("scale")?,
        seed: row.get::<_, i64>("seed")? as u64,
        data: row.get("data")?,
        input: row.get("input")?,
        gpu: row.get("gpu")?,
        scheme: row.get("scheme")?,
        overrides: from_json(&row.get::<_, String>("overrides")?),
        cycles: row.get::<_, Option<i64>>("cycles")?.map(|cycles| cycles as u64),
        thread_instructions: row.get::<_, Option<i64>>("thread_instructions")?.map(|count| count as u64),
        has_series: row.get("has_series")?,
        error: row.get("error")?,
        finished_unix_s: row.get::<_, i64>("finished_unix_s")? as u64,
        duration_s: row.get("duration_s")?,
    })
}

/// A record without its numbers.
fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let listed = run_row(row)?;
    let outcome = match listed.error {
        Some(error) => RunOutcome::Failed(error),
        None => RunOutcome::Done(RunResult {
            cycles: row.get::<_, i64>("cycles")? as u64,
            thread_instructions: row.get::<_, i64>("thread_instructions")? as u64,
            launches: from_json(&row.get::<_, String>("launches")?),
            ..RunResult::default()
        }),
    };
    let provenance = Provenance {
        model_version: row.get("model_version")?,
        code_version: row.get("code_version")?,
        host: row.get("host")?,
        finished_unix_s: listed.finished_unix_s,
        duration_s: listed.duration_s,
    };
    Ok(Record {
        identity: listed.identity,
        workload: listed.workload,
        scale: listed.scale,
        seed: listed.seed,
        data: listed.data,
        input: listed.input,
        gpu: listed.gpu,
        scheme: listed.scheme,
        overrides: listed.overrides,
        energy: row.get("energy")?,
        gpu_text: row.get("gpu_text")?,
        scheme_text: row.get("scheme_text")?,
        energy_text: row.get("energy_text")?,
        sample_cycles: row.get::<_, Option<i64>>("sample_cycles")?.map(|cycles| cycles as u64),
        provenance,
        outcome,
        output: row.get("output")?,
    })
}

/// What this program wrote as JSON; what it did not write is empty.
fn from_json<T: serde::de::DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}
