//! The list of runs: filters, speedups, and a table from which two runs can be chosen.

use std::collections::BTreeSet;

use super::target::Target;
use super::{SCRIPT, speedups};
use crate::LabError;
use crate::store::{Filter, RunRow, Store};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::markup::escaped;
use shrinkwarp_report::page::Page;

/// More rows than this are slow to show and too many to read.
const MOST_ROWS: usize = 500;

/// A column that can be filtered: its name in the address, and its value in a row.
type FilterColumn = (&'static str, fn(&RunRow) -> &str);
const FILTERS: [FilterColumn; 4] = [
    ("workload", |row| &row.workload),
    ("scheme", |row| &row.scheme),
    ("gpu", |row| &row.gpu),
    ("scale", |row| &row.scale),
];

/// The page for the filter that the address holds.
pub(super) fn page(store: &Store, target: &Target) -> Result<Page, LabError> {
    let all = store.list(&Filter::default())?;
    let value = |name: &str| target.first(name).map(str::to_owned);
    let filter = Filter {
        workload: value("workload"),
        scheme: value("scheme"),
        gpu: value("gpu"),
        scale: value("scale"),
        ..Filter::default()
    };
    let shown = store.list(&filter)?;
    let lead = format!("{} of {} runs in {}", shown.len(), all.len(), store.place());
    let mut page = Page::new("Runs", &lead);
    page.script(SCRIPT);
    if all.is_empty() {
        page.text("Nothing has been run yet. Try `shrinkwarp compare bfs`, then load this page again.");
        return Ok(page);
    }
    page.markup(&filter_form(&all, target));
    if let Some(chart) = speedups::chart(&shown) {
        page.chart(&chart);
    }
    page.markup(&run_table(&shown));
    Ok(page)
}

fn filter_form(all: &[RunRow], target: &Target) -> String {
    let mut form = "<form class=\"filters\" action=\"/\">".to_owned();
    for (name, value) in FILTERS {
        let chosen = target.first(name).unwrap_or_default();
        form += &format!("<label>{name} <select name=\"{name}\" data-submit><option value=\"\">all</option>");
        for option in all.iter().map(value).collect::<BTreeSet<&str>>() {
            let selected = if option == chosen { " selected" } else { "" };
            form += &format!("<option{selected}>{}</option>", escaped(option));
        }
        form += "</select></label>";
    }
    form + "<button>Filter</button> <a href=\"/\">all runs</a></form>"
}

fn run_table(rows: &[RunRow]) -> String {
    let mut text = "<form action=\"/compare\" data-choose><p><button>Compare two</button> \
                    <span class=\"soft\">choose two runs</span></p><div class=\"scroll\"><table id=\"runs\"><thead><tr>\
                    <th><th>workload<th>scale<th>GPU<th>scheme<th>changes<th class=\"n\">cycles<th class=\"n\">IPC\
                    <th>timeline<th class=\"n\">took<th>run</thead><tbody>"
        .to_owned();
    for row in rows.iter().take(MOST_ROWS) {
        text += &table_row(row);
    }
    text += "</tbody></table></div>";
    if rows.len() > MOST_ROWS {
        text += &format!("<p class=\"soft\">The newest {MOST_ROWS}; a filter shows others.</p>");
    }
    text + "</form>"
}

fn table_row(row: &RunRow) -> String {
    let identity = escaped(row.identity.as_str());
    let choose = format!(
        "<input type=\"checkbox\" name=\"run\" value=\"{identity}\" aria-label=\"choose {} {}\">",
        escaped(&row.workload),
        escaped(&row.scheme)
    );
    let cells = format!(
        "<td>{}<td>{}<td>{}<td>{}<td>{}",
        escaped(&row.workload),
        escaped(&row.scale),
        escaped(&row.gpu),
        escaped(&row.scheme),
        escaped(&row.overrides.join(" "))
    );
    let link = format!("<a href=\"/run/{identity}\">{}</a>", escaped(row.identity.short()));
    if let Some(error) = &row.error {
        let first_line = error.lines().next().unwrap_or_default();
        return format!(
            "<tr><td>{cells}<td colspan=\"4\" class=\"wide\">failed: {}<td>{link}",
            escaped(first_line)
        );
    }
    let (cycles, instructions) = (row.cycles.unwrap_or(0), row.thread_instructions.unwrap_or(0));
    format!(
        "<tr><td>{choose}{cells}<td class=\"n\">{cycles}<td class=\"n\">{}<td>{}<td class=\"n\">{} s<td>{link}",
        Format::Plain.short(instructions as f64 / cycles.max(1) as f64),
        if row.has_series { "yes" } else { "" },
        Format::Plain.short(row.duration_s)
    )
}
