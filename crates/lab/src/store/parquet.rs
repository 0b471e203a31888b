//! How data frames read results: Parquet, in programs built with the feature `parquet`.
//!
//! Numbers are doubles, everything else is text; what is not known is null.

use super::Grid;
use crate::LabError;

/// The table as a Parquet file.
#[cfg(feature = "parquet")]
pub fn parquet(grid: &Grid) -> Result<Vec<u8>, LabError> {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use serde_json::Value;

    let fail = |error: &dyn std::fmt::Display| LabError::Work(format!("Parquet: {error}"));
    let column = |index: usize| -> ArrayRef {
        let cells = || grid.rows.iter().map(|row| &row[index]);
        if cells().any(Value::is_string) {
            Arc::new(cells().map(Value::as_str).collect::<StringArray>())
        } else {
            Arc::new(cells().map(Value::as_f64).collect::<Float64Array>())
        }
    };
    let columns = grid.columns.iter().enumerate().map(|(index, name)| (name.as_str(), column(index), true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| fail(&error))?;
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).map_err(|error| fail(&error))?;
    writer.write(&batch).map_err(|error| fail(&error))?;
    writer.into_inner().map_err(|error| fail(&error))
}

/// Says how to get it.
#[cfg(not(feature = "parquet"))]
pub fn parquet(_: &Grid) -> Result<Vec<u8>, LabError> {
    let message = "--format parquet: this program was built without it; \
                   install with `cargo install --path crates/cli --features parquet`, or export csv";
    Err(LabError::Usage(message.to_owned()))
}
