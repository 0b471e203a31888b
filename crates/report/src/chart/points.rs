//! The numbers behind a chart: as a list, as a table for readers, as CSV for programs.

use std::collections::BTreeMap;

/// Who measured a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// This laboratory.
    Ours,
    /// The paper.
    Published,
}

impl Source {
    /// The word that CSV has.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Published => "published",
        }
    }
}

/// One number of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Where it is on the horizontal axis.
    pub x: String,
    /// The series it belongs to.
    pub series: String,
    /// Who measured it.
    pub source: Source,
    /// The number.
    pub value: f64,
}

impl Point {
    /// A number of ours.
    pub fn ours(x: impl Into<String>, series: impl Into<String>, value: f64) -> Self {
        Self { x: x.into(), series: series.into(), source: Source::Ours, value }
    }

    /// A number of a paper.
    pub fn published(x: impl Into<String>, series: impl Into<String>, value: f64) -> Self {
        Self { x: x.into(), series: series.into(), source: Source::Published, value }
    }

    fn column(&self) -> String {
        match self.source {
            Source::Ours => self.series.clone(),
            Source::Published => format!("{} (published)", self.series),
        }
    }
}

/// Numbers with a row per place on the axis and a column per series.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The name of the rows, then one name per column.
    pub header: Vec<String>,
    /// The name of a row, and its cells.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
}

impl Table {
    /// Rows and columns in the order in which the points first name them.
    pub fn of(points: &[Point], row_name: &str) -> Self {
        let mut header = vec![row_name.to_owned()];
        let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
        // A time series has thousands of rows, so they are not searched one by one.
        let mut row_of: BTreeMap<&str, usize> = BTreeMap::new();
        for point in points {
            let column = index_or_push(&mut header, &point.column()) - 1;
            let row = *row_of.entry(&point.x).or_insert_with(|| {
                rows.push((point.x.clone(), Vec::new()));
                rows.len() - 1
            });
            let cells = &mut rows[row].1;
            cells.resize(cells.len().max(column + 1), None);
            cells[column] = Some(point.value);
        }
        for (_, cells) in &mut rows {
            cells.resize(header.len() - 1, None);
        }
        Self { header, rows }
    }
}

fn index_or_push(names: &mut Vec<String>, name: &str) -> usize {
    // The first name is that of the rows.
    let found = names.iter().skip(1).position(|known| known == name).map(|index| index + 1);
    found.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_column_per_series_and_source() {
        let points = [
            Point::ours("bfs", "bdi", 1.5),
            Point::ours("mm", "bpc", 2.0),
            Point::published("mm", "bpc", 2.5),
        ];
        let table = Table::of(&points, "workload");
        assert_eq!(table.header, ["workload", "bdi", "bpc", "bpc (published)"]);
        assert_eq!(
            table.rows,
            [
                ("bfs".to_owned(), vec![Some(1.5), None, None]),
                ("mm".to_owned(), vec![None, Some(2.0), Some(2.5)])
            ]
        );
    }
}
