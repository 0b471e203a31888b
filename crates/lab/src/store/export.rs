//! How others read results: a table with a row a run, as CSV or Parquet, or everything as JSON.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use shrinkwarp_report::text::quoted;

use super::{Filter, Store};
use crate::LabError;
use crate::run::{Record, number};

/// A table: names and rows of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows; what is not known is null.
    pub rows: Vec<Vec<Value>>,
}

/// What a column of [`wide_grid`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Text,
    Unsigned,
    Signed,
    Real,
}

impl ColumnKind {
    /// The kind of a column; all that are no facts are counters.
    pub(super) fn of(column: &str) -> Self {
        FACTS.iter().find(|(name, _)| *name == column).map_or(Self::Real, |(_, kind)| *kind)
    }
}

/// The columns that come before the counters.
const FACTS: [(&str, ColumnKind); 14] = [
    ("identity", ColumnKind::Text),
    ("workload", ColumnKind::Text),
    ("scale", ColumnKind::Text),
    ("seed", ColumnKind::Unsigned),
    ("data", ColumnKind::Text),
    ("input", ColumnKind::Text),
    ("gpu", ColumnKind::Text),
    ("scheme", ColumnKind::Text),
    ("overrides", ColumnKind::Text),
    ("model_version", ColumnKind::Signed),
    ("code_version", ColumnKind::Text),
    ("error", ColumnKind::Text),
    ("cycles", ColumnKind::Signed),
    ("thread_instructions", ColumnKind::Signed),
];

impl Store {
    /// Everything known of the runs that pass a filter, oldest first.
    pub fn records(&self, filter: &Filter) -> Result<Vec<Record>, LabError> {
        let mut records = Vec::new();
        for row in self.list(filter)?.iter().rev() {
            records.extend(self.get(&row.identity)?);
        }
        Ok(records)
    }
}

/// One row a run: what it is, then every counter that any of them has.
pub fn wide_grid(records: &[Record]) -> Grid {
    let results = records.iter().filter_map(Record::result);
    let names: BTreeSet<&str> =
        results.flat_map(|result| result.counters.iter().map(|(name, _)| name)).collect();
    let row = |record: &Record| {
        let counters = record.result().map(|result| &result.counters);
        let counter =
            |name: &&str| counters.and_then(|counters| counters.value(name)).map_or(Value::Null, number);
        facts(record).into_iter().chain(names.iter().map(counter)).collect()
    };
    Grid {
        columns: FACTS
            .iter()
            .map(|(name, _)| *name)
            .chain(names.iter().copied())
            .map(str::to_owned)
            .collect(),
        rows: records.iter().map(row).collect(),
    }
}

fn facts(record: &Record) -> [Value; FACTS.len()] {
    let result = record.result();
    [
        record.identity.as_str().into(),
        record.workload.as_str().into(),
        record.scale.as_str().into(),
        record.seed.into(),
        record.data.as_str().into(),
        record.input.as_deref().into(),
        record.gpu.as_str().into(),
        record.scheme.as_str().into(),
        record.overrides.join(" ").into(),
        record.provenance.model_version.into(),
        record.provenance.code_version.as_str().into(),
        record.error().into(),
        result.map(|result| result.cycles).into(),
        result.map(|result| result.thread_instructions).into(),
    ]
}

/// A grid as CSV (RFC 4180).
pub fn csv(grid: &Grid) -> String {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    };
    let mut text = grid.columns.join(",") + "\r\n";
    for row in &grid.rows {
        text += &(row.iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n");
    }
    text
}

impl Grid {
    /// The rows as JSON objects.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Value>| -> Map<String, Value> {
            self.columns.iter().cloned().zip(row.iter().cloned()).collect()
        };
        self.rows.iter().map(object).collect::<Vec<_>>().into()
    }
}

/// Everything, with the configurations and time series.
pub fn json(records: &[Record]) -> Result<Value, LabError> {
    let write = |record: &Record| {
        let mut value = serde_json::to_value(record)
            .map_err(|error| LabError::Work(format!("a run cannot be written: {error}")))?;
        if let Some(result) = record.result() {
            value["outcome"] = json!({"done": result.json()});
        }
        Ok(value)
    };
    records.iter().map(write).collect::<Result<Vec<_>, _>>().map(Value::from)
}
