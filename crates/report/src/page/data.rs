//! Tables, and charts with the numbers behind them.

use crate::chart::{Chart, Colours, Format, Table};
use crate::markup::escaped;
use crate::text::quoted;

/// What holds a table that may be wider than the window; a keyboard can scroll it, too.
pub(super) const SCROLL: &str = "<div class=\"scroll\" tabindex=\"0\">";

/// A table of texts; a column is set right when all its cells look like numbers.
pub(super) fn table<S: AsRef<str>>(header: &[S], rows: &[Vec<String>]) -> String {
    let is_number = |column: usize| {
        !rows.is_empty()
            && rows.iter().filter_map(|row| row.get(column)).all(|cell| looks_like_a_number(cell))
    };
    let class: Vec<&str> =
        (0..header.len()).map(|column| if is_number(column) { " class=\"n\"" } else { "" }).collect();
    let mut text = format!("{SCROLL}<table><thead><tr>");
    for (name, class) in header.iter().zip(&class) {
        text += &format!("<th{class}>{}", escaped(name.as_ref()));
    }
    text += "</thead><tbody>";
    for row in rows {
        text += "<tr>";
        for (cell, class) in row.iter().zip(&class) {
            text += &format!("<td{class}>{}", escaped(cell));
        }
    }
    text + "</tbody></table></div>"
}

/// The numbers of a table as a reader sees them.
pub(super) fn number_table(numbers: &Table, format: Format) -> String {
    let cell = |value: &Option<f64>| value.map_or("–".to_owned(), |value| format.precise(value));
    let row = |(name, cells): &(String, Vec<Option<f64>>)| {
        std::iter::once(name.clone()).chain(cells.iter().map(cell)).collect::<Vec<String>>()
    };
    table(&numbers.header, &numbers.rows.iter().map(row).collect::<Vec<_>>())
}

/// A chart, its numbers on demand, and links that save them.
pub(super) fn chart_figure(chart: &Chart, colours: &Colours) -> String {
    let numbers = chart.table();
    let (name, csv) = (file_name(&chart.title), csv(&numbers));
    format!(
        "<figure>{}<details class=\"data\"><summary>Data</summary>{}<p><a download=\"{name}.csv\" \
         href=\"data:text/csv;charset=utf-8,{}\">Save as CSV</a></p></details></figure>",
        chart.inline_svg(colours),
        number_table(&numbers, chart.value_format()),
        percent_encoded(&csv)
    )
}

fn csv(numbers: &Table) -> String {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut text = line(numbers.header.iter().map(|name| quoted(name)).collect());
    for (name, cells) in &numbers.rows {
        let values = cells.iter().map(|cell| cell.map_or(String::new(), |value| value.to_string()));
        text += &line(std::iter::once(quoted(name)).chain(values).collect());
    }
    text
}

/// `1.5×`, `−3 %`, `34 k`, `–`: a digit and little else, or nothing.
fn looks_like_a_number(cell: &str) -> bool {
    let starts = cell.trim_start_matches(['+', '−', '-', '–']).chars().next();
    starts.is_none_or(|first| first.is_ascii_digit()) && cell.chars().count() <= 18
}

fn file_name(title: &str) -> String {
    let name: String =
        title.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    name.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// Text as an address may hold it.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b".,-_".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_are_set_right() {
        let html = table(
            &["codec", "CR"],
            &[vec!["2-way".to_owned(), "1.5×".to_owned()], vec!["bdi".to_owned(), "–".to_owned()]],
        );
        assert!(html.contains("<th>codec<th class=\"n\">CR"), "{html}");
    }

    #[test]
    fn an_address_holds_any_text() {
        assert_eq!(percent_encoded("a, ×\n"), "a,%20%C3%97%0A");
        assert_eq!(file_name("Speedup of L1 (32 KB)"), "speedup-of-l1-32-kb");
    }
}
