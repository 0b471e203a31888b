//! Measurements as CSV: one row for each data set and metric.
//!
//! | column                          | meaning                                                             |
//! |---------------------------------|---------------------------------------------------------------------|
//! | workload, scale, seed           | what ran                                                            |
//! | size                            | in the workload's own measure: rows, points, numbers                |
//! | condition_log10, clusters       | empty where they mean nothing                                       |
//! | input_elements                  | elements of the input                                               |
//! | metric                          | how the error was computed                                          |
//! | error_0                         | the exact program against the CPU reference                         |
//! | error_4 … error_20              | with that number of bits, against the exact program                  |

use shrinkwarp_workloads::Metric;

use crate::BITS;
use crate::measure::Measurement;

const COLUMNS: [&str; 9] = [
    "workload",
    "scale",
    "seed",
    "size",
    "condition_log10",
    "clusters",
    "input_elements",
    "metric",
    "error_0",
];

/// The table as text.
pub fn format(rows: &[Measurement]) -> String {
    let mut text = header();
    for row in rows {
        let or_empty = |value: Option<String>| value.unwrap_or_default();
        text += &format!(
            "\n{},{},{},{},{},{},{},{},{:e}",
            row.workload,
            row.scale,
            row.seed,
            row.size,
            or_empty(row.condition_log10.map(|value| value.to_string())),
            or_empty(row.clusters.map(|value| value.to_string())),
            row.input_elements,
            row.metric.name(),
            row.exact_error,
        );
        for error in row.errors {
            text += &format!(",{error:e}");
        }
    }
    text + "\n"
}

/// Reads a table; the error names line and column.
pub fn parse(text: &str) -> Result<Vec<Measurement>, String> {
    let mut lines = text.lines().enumerate();
    let expected = header();
    match lines.next() {
        Some((_, first)) if first == expected => {}
        _ => return Err(format!("line 1: not a table of measurements; its columns are {expected}")),
    }
    lines
        .map(|(index, line)| parse_row(line).map_err(|error| format!("line {}: {error}", index + 1)))
        .collect()
}

fn header() -> String {
    let errors: Vec<String> = BITS.iter().map(|bits| format!("error_{bits}")).collect();
    format!("{},{}", COLUMNS.join(","), errors.join(","))
}

fn parse_row(line: &str) -> Result<Measurement, String> {
    let cells: Vec<&str> = line.split(',').collect();
    let expected = COLUMNS.len() + BITS.len();
    if cells.len() != expected {
        return Err(format!("{} cells, not {expected}", cells.len()));
    }
    let metric = cells[7];
    let mut errors = [0.0; BITS.len()];
    for (error, cell) in errors.iter_mut().zip(&cells[COLUMNS.len()..]) {
        *error = parse_error(cell)?;
    }
    Ok(Measurement {
        workload: cells[0].to_owned(),
        scale: cells[1].to_owned(),
        seed: number(cells[2], "seed")?,
        size: number(cells[3], "size")?,
        condition_log10: optional(cells[4], "condition_log10")?,
        clusters: optional(cells[5], "clusters")?,
        input_elements: number(cells[6], "input_elements")?,
        metric: Metric::from_name(metric).ok_or_else(|| format!("metric: unknown metric {metric:?}"))?,
        exact_error: parse_error(cells[8])?,
        errors,
    })
}

fn number<T: std::str::FromStr>(cell: &str, column: &str) -> Result<T, String> {
    cell.parse().map_err(|_| format!("{column}: {cell:?} is not a number that fits"))
}

fn optional<T: std::str::FromStr>(cell: &str, column: &str) -> Result<Option<T>, String> {
    if cell.is_empty() { Ok(None) } else { number(cell, column).map(Some) }
}

fn parse_error(cell: &str) -> Result<f64, String> {
    let error: f64 = number(cell, "error")?;
    if (0.0..=1.0).contains(&error) { Ok(error) } else { Err(format!("error: {cell} is not from 0 to 1")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Measurement {
        Measurement {
            workload: "kmeans".into(),
            scale: "tiny".into(),
            seed: 3,
            size: 100,
            condition_log10: None,
            clusters: Some(5),
            input_elements: 800,
            metric: Metric::PrecisionRecall,
            exact_error: 0.0,
            errors: [0.0, 1.0 / 3.0, 1e-300, 0.5, 1.0],
        }
    }

    #[test]
    fn a_table_reads_back_bit_for_bit() {
        let rows = [row(), Measurement { condition_log10: Some(2.5), clusters: None, ..row() }];
        assert_eq!(parse(&format(&rows)).unwrap(), rows);
    }

    #[test]
    fn a_broken_table_names_line_and_column() {
        let text = format(&[row()]);
        for (from, to, expected) in [
            ("workload,", "program,", "line 1: not a table of measurements"),
            ("kmeans,", "", "line 2: 13 cells, not 14"),
            (",800,", ",many,", "line 2: input_elements: \"many\" is not a number"),
            ("precision-recall", "guess", "line 2: metric: unknown metric \"guess\""),
            ("5e-1", "NaN", "line 2: error: NaN is not from 0 to 1"),
        ] {
            let error = parse(&text.replacen(from, to, 1)).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
