//! The list of runs: filters, speedups, and a table that can be sorted and from which two runs can be chosen.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::target::Target;
use super::{SCRIPT, schemes, speedups};
use crate::LabError;
use crate::store::{Filter, RunRow, Store};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::markup::escaped;
use shrinkwarp_report::page::Page;

/// Rows of a page of the list.
const PAGE_ROWS: usize = 100;

/// A column that can be filtered: its name in the address, and its value in a row.
type FilterColumn = (&'static str, fn(&RunRow) -> &str);
const FILTERS: [FilterColumn; 4] = [
    ("workload", |row| &row.workload),
    ("scheme", |row| &row.scheme),
    ("gpu", |row| &row.gpu),
    ("scale", |row| &row.scale),
];

/// A run in the list.
struct Listed<'a> {
    row: &'a RunRow,
    /// Cycles of the same run without compression over these.
    speedup: Option<f64>,
}

impl Listed<'_> {
    fn ipc(&self) -> Option<f64> {
        let (cycles, instructions) = (self.row.cycles?, self.row.thread_instructions?);
        Some(instructions as f64 / cycles.max(1) as f64)
    }
}

/// A column that the list can be sorted by: its name, and how two runs compare in it.
type SortColumn = (&'static str, fn(&Listed<'_>, &Listed<'_>) -> Ordering);
const COLUMNS: [SortColumn; 9] = [
    ("workload", |a, b| a.row.workload.cmp(&b.row.workload)),
    ("scale", |a, b| a.row.scale.cmp(&b.row.scale)),
    ("GPU", |a, b| a.row.gpu.cmp(&b.row.gpu)),
    ("scheme", |a, b| a.row.scheme.cmp(&b.row.scheme)),
    ("speedup", |a, b| by_number(a.speedup, b.speedup)),
    ("cycles", |a, b| a.row.cycles.cmp(&b.row.cycles)),
    ("IPC", |a, b| by_number(a.ipc(), b.ipc())),
    ("took", |a, b| a.row.duration_s.total_cmp(&b.row.duration_s)),
    ("finished", |a, b| a.row.finished_unix_s.cmp(&b.row.finished_unix_s)),
];
/// The columns of numbers.
const NUMBERS: [&str; 4] = ["speedup", "cycles", "IPC", "took"];

/// What is not known comes before all that is.
fn by_number(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// The page for the filter that the address holds.
pub(super) fn page(store: &Store, target: &Target) -> Result<Page, LabError> {
    let all = store.list(&Filter::default())?;
    let is_shown = |row: &&RunRow| {
        FILTERS.iter().all(|(name, value)| target.first(name).is_none_or(|wanted| wanted == value(row)))
    };
    let shown: Vec<RunRow> = all.iter().filter(is_shown).cloned().collect();
    let lead = format!("{} of {} runs in {}", shown.len(), all.len(), store.place());
    let mut page = Page::new("Runs", &lead);
    page.script(SCRIPT);
    if all.is_empty() {
        page.text("Nothing has been run yet. Try `shrinkwarp compare bfs`, then load this page again.");
        return Ok(page);
    }
    page.markup(&filter_form(&all, target));
    // The baselines of filtered runs may be outside the filter.
    let with_baselines: Vec<RunRow> = match target.first("scheme") {
        None => shown.clone(),
        Some(_) => {
            all.iter().filter(|row| is_shown(row) || row.scheme == speedups::BASELINE).cloned().collect()
        }
    };
    let (chart, note) = speedups::chart(&with_baselines);
    if let Some(chart) = chart {
        page.chart(&chart);
    }
    page.text(&note);
    page.markup(&schemes::form(&all));
    let cycles = speedups::cycles(&all);
    let listed = shown.iter().map(|row| {
        let by_scheme = cycles.get(&speedups::Program::of(row));
        let is_compared = row.scheme != speedups::BASELINE;
        let speedup = by_scheme
            .filter(|_| is_compared)
            .and_then(|by_scheme| speedups::speedup(by_scheme, speedups::BASELINE, &row.scheme));
        Listed { row, speedup: speedup.filter(|_| row.cycles.is_some()) }
    });
    page.markup(&run_table(listed.collect(), target));
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
    for name in ["sort", "order"] {
        if let Some(value) = target.first(name) {
            form += &format!("<input type=\"hidden\" name=\"{name}\" value=\"{}\">", escaped(value));
        }
    }
    form + "<button>Filter</button> <a href=\"/\">all runs</a></form>"
}

/// The rows of one page, sorted as the address says; newest first if it says nothing.
fn run_table(mut listed: Vec<Listed<'_>>, target: &Target) -> String {
    let is_rising = target.first("order") == Some("rising");
    let sorted_by = COLUMNS.iter().find(|(name, _)| target.first("sort") == Some(name));
    if let Some((_, compare)) = sorted_by {
        listed.sort_by(|a, b| if is_rising { compare(a, b) } else { compare(b, a) });
    }
    let pages = listed.len().div_ceil(PAGE_ROWS).max(1);
    let page = target.first("page").and_then(|page| page.parse().ok()).unwrap_or(1).clamp(1, pages);
    let mut text = format!(
        "<form action=\"/compare\" data-choose><p><button>Compare two</button> <span class=\"soft\">choose two runs; a \
         click on a column sorts</span></p>{}<div class=\"scroll tall\" tabindex=\"0\"><table id=\"runs\"><thead><tr>",
        page_links(page, pages, target)
    );
    for (name, _) in COLUMNS {
        let is_sorted = sorted_by.is_some_and(|(sorted, _)| *sorted == name);
        let (order, arrow) = match (is_sorted, is_rising) {
            (true, false) => ("rising", " ↓"),
            (true, true) => ("falling", " ↑"),
            (false, _) => ("falling", ""),
        };
        let class = if NUMBERS.contains(&name) { " class=\"n\"" } else { "" };
        let address = target.with(&[("sort", name), ("order", order), ("page", "")]);
        text += &format!("<th{class}><a href=\"{}\">{name}{arrow}</a>", escaped(&address));
    }
    text += "<th>changes<th>timeline<th>run</thead><tbody>";
    let rows = listed.iter().skip((page - 1) * PAGE_ROWS).take(PAGE_ROWS);
    text += &rows.map(table_row).collect::<String>();
    text + "</tbody></table></div>" + &page_links(page, pages, target) + "</form>"
}

fn page_links(page: usize, pages: usize, target: &Target) -> String {
    if pages == 1 {
        return String::new();
    }
    let link = |to: usize, text: &str| {
        let address = target.with(&[("page", &to.to_string())]);
        format!("<a href=\"{}\">{text}</a>", escaped(&address))
    };
    let before = if page > 1 { link(page - 1, "← before") } else { String::new() };
    let after = if page < pages { link(page + 1, "next →") } else { String::new() };
    format!("<nav>{before}<span>page {page} of {pages}</span>{after}</nav>")
}

fn table_row(listed: &Listed<'_>) -> String {
    let row = listed.row;
    let identity = escaped(row.identity.as_str());
    let workload = escaped(&row.workload);
    let choose = format!(
        "<label><input type=\"checkbox\" name=\"run\" value=\"{identity}\" aria-label=\"choose {workload} {}\"> {workload}</label>",
        escaped(&row.scheme)
    );
    let what = format!("<td>{}<td>{}<td>{}", escaped(&row.scale), escaped(&row.gpu), escaped(&row.scheme));
    let tail = format!(
        "<td>{}<td>{}<td><a href=\"/run/{identity}\">{}</a>",
        escaped(&row.overrides.join(" ")),
        if row.has_series { "yes" } else { "" },
        escaped(row.identity.short())
    );
    if let Some(error) = &row.error {
        let first_line = escaped(error.lines().next().unwrap_or_default());
        return format!(
            "<tr><td>{workload}{what}<td colspan=\"5\" class=\"wide\">failed: {first_line}{tail}"
        );
    }
    let number =
        |value: Option<f64>, format: Format| value.map_or("–".to_owned(), |value| format.precise(value));
    format!(
        "<tr><td>{choose}{what}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{} s<td>{}{tail}",
        number(listed.speedup, Format::Times),
        row.cycles.unwrap_or(0),
        number(listed.ipc(), Format::Plain),
        Format::Plain.short(row.duration_s),
        utc(row.finished_unix_s)
    )
}

/// `2026-11-17 09:05` in coordinated universal time.
fn utc(unix_s: u64) -> String {
    let (days, minutes) = (unix_s / 86_400, unix_s % 86_400 / 60);
    // Days since 1 March of the year 0, in cycles of 400 years that end with their leap day.
    let days = days + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month_number) =
        (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = 400 * cycle + year + u64::from(month_number <= 2);
    format!("{year}-{month_number:02}-{day:02} {:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn a_date_is_that_of_the_calendar() {
        for (unix_s, text) in
            [(0, "1970-01-01 00:00"), (951_782_400, "2000-02-29 00:00"), (1_794_906_300, "2026-11-17 09:05")]
        {
            assert_eq!(utc(unix_s), text);
        }
    }
}
