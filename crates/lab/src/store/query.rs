//! A query of the user's own.

use rusqlite::types::ValueRef;
use serde_json::Value;

use super::{Grid, Store};
use crate::LabError;
use crate::run::number;

impl Store {
    /// What a query gives. The store must have been opened to read: nothing can be changed this way.
    pub fn query(&self, sql: &str) -> Result<Grid, LabError> {
        let wrong = |error: rusqlite::Error| LabError::Usage(format!("query: {error}"));
        let mut statement = self.connection.prepare(sql).map_err(wrong)?;
        let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let width = columns.len();
        let rows = statement
            .query_map([], |row| (0..width).map(|column| Ok(value(row.get_ref(column)?))).collect())
            .and_then(Iterator::collect)
            .map_err(wrong)?;
        Ok(Grid { columns, rows })
    }
}

fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::from(integer),
        ValueRef::Real(real) => number(real),
        ValueRef::Text(text) => Value::from(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::from(format!("{} bytes", bytes.len())),
    }
}
