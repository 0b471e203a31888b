//! How data frames read results: the table of the CSV as Parquet, with types.
//!
//! | column                                    | type                                      |
//! |-------------------------------------------|-------------------------------------------|
//! | names, versions of the program, errors    | `BYTE_ARRAY` of UTF-8                     |
//! | `seed`                                    | `INT64`, unsigned: a seed may be any      |
//! | model version, cycles, instructions       | `INT64`: differences of them may be negative |
//! | every counter                             | `DOUBLE`                                  |
//!
//! What is not known is null. A column's type follows from its name and never from what the runs hold, so that the files of
//! several exports can be read as one table.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use serde_json::Value;

use super::export::{ColumnKind, Grid, wide_grid};
use crate::LabError;
use crate::run::Record;

/// The level of a value that is there; one that is not known has level 0.
const KNOWN: i16 = 1;

/// One row a run as a Parquet file.
pub fn parquet(records: &[Record]) -> Result<Vec<u8>, LabError> {
    written(&wide_grid(records)).map_err(|error| LabError::Work(format!("Parquet: {error}")))
}

fn written(grid: &Grid) -> Result<Vec<u8>, ParquetError> {
    let kinds: Vec<ColumnKind> = grid.columns.iter().map(|name| ColumnKind::of(name)).collect();
    let fields = grid.columns.iter().zip(&kinds).map(|(name, kind)| field(name, *kind).map(Arc::new));
    let schema = Type::group_type_builder("runs").with_fields(fields.collect::<Result<_, _>>()?).build()?;
    let creator = concat!("shrinkwarp ", env!("CARGO_PKG_VERSION")).to_owned();
    let properties = WriterProperties::builder().set_created_by(creator).build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (index, kind) in kinds.into_iter().enumerate() {
        let cells = grid.rows.iter().map(|row| &row[index]);
        let Some(column) = group.next_column()? else { break };
        match kind {
            ColumnKind::Text => {
                write::<ByteArrayType>(column, cells.map(|cell| cell.as_str().map(ByteArray::from)))
            }
            // Parquet keeps an unsigned number as the signed one of the same bits.
            ColumnKind::Unsigned => {
                write::<Int64Type>(column, cells.map(|cell| cell.as_u64().map(|number| number as i64)))
            }
            ColumnKind::Signed => write::<Int64Type>(column, cells.map(Value::as_i64)),
            ColumnKind::Real => write::<DoubleType>(column, cells.map(Value::as_f64)),
        }?;
    }
    group.close()?;
    file.into_inner()
}

fn field(name: &str, kind: ColumnKind) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Unsigned => {
            (Physical::INT64, Some(LogicalType::Integer { bit_width: 64, is_signed: false }))
        }
        ColumnKind::Signed => (Physical::INT64, None),
        ColumnKind::Real => (Physical::DOUBLE, None),
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

fn write<T: DataType>(
    mut column: SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(if cell.is_some() { KNOWN } else { 0 });
        values.extend(cell);
    }
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}
