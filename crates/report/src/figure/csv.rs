//! A figure as CSV: one number a line, so that any tool can group and filter it.

use super::Figure;
use crate::chart::{Chart, Source, Table};
use crate::text::quoted;

const HEADER: &str = "figure,chart,x,series,source,value\n";

/// All charts and tables of a figure.
pub(super) fn of_figure(figure: &Figure) -> String {
    let stem = figure.file_stem();
    let mut text = HEADER.to_owned();
    for chart in &figure.charts {
        text += &chart_lines(&stem, chart);
    }
    for (name, table) in &figure.tables {
        text += &table_lines(&stem, name, table);
    }
    text
}

fn chart_lines(figure: &str, chart: &Chart) -> String {
    let line = |point: crate::chart::Point| {
        let (x, series, source) = (quoted(&point.x), quoted(&point.series), point.source.name());
        format!("{figure},{},{x},{series},{source},{}\n", quoted(&chart.title), point.value)
    };
    chart.points().into_iter().map(line).collect()
}

fn table_lines(figure: &str, name: &str, table: &Table) -> String {
    let mut text = String::new();
    for (row, cells) in &table.rows {
        for (column, value) in table.header.iter().skip(1).zip(cells) {
            let Some(value) = value else { continue };
            let (series, source) = match column.strip_suffix(" (published)") {
                Some(series) => (series, Source::Published),
                None => (column.as_str(), Source::Ours),
            };
            let (row, series, source) = (quoted(row), quoted(series), source.name());
            text += &format!("{figure},{},{row},{series},{source},{value}\n", quoted(name));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::chart::{Axis, Chart, Series};
    use crate::figure::{Figure, Paper};

    #[test]
    fn every_number_is_a_line_with_its_source() {
        let series = vec![Series::new("BPC, packed", [2.0]).published("mm", 2.5)];
        let chart = Chart::bars("Ratio", Axis::ratio("CR"), ["mm"], series);
        let figure = Figure::new(Paper::Bpc, "3c", "Ratios").chart(chart);
        assert_eq!(
            figure.csv(),
            "figure,chart,x,series,source,value\n\
             bpc-3c,Ratio,mm,\"BPC, packed\",ours,2\n\
             bpc-3c,Ratio,mm,\"BPC, packed\",published,2.5\n"
        );
    }
}
