//! The comparison as a page: what it comes to, charts, and the whole table.

use super::text::{bytes, grouped, joules, percent, times};
use super::{Comparison, Metrics, Relative, Row};
use crate::run::{POINTS, at_scale};
use shrinkwarp_report::chart::{Axis, Chart, Group, Mean, Series};
use shrinkwarp_report::page::{Card, Page};

/// The page.
pub fn page(comparison: &Comparison) -> Page {
    let schemes = &comparison.schemes;
    let lead = format!(
        "{}{} on {}, {} schemes. Everything is relative to {} unless it has a unit.",
        match comparison.rows.as_slice() {
            [row] => row.workload.clone(),
            rows => format!("{} workloads", rows.len()),
        },
        at_scale(&comparison.scale),
        comparison.gpu,
        schemes.len(),
        schemes[0],
    );
    let mut page = Page::new("What compression does", &lead);
    page.cards(&cards(comparison));
    let named = comparison.schemes.iter().zip(&comparison.descriptions);
    page.notes(&named.map(|(scheme, text)| (scheme.as_str(), text.as_str())).collect::<Vec<_>>());
    page.chart(&relative_chart(comparison, "Speedup", |relative| relative.speedup));
    for point in comparison.points() {
        page.chart(&ratio_chart(comparison, point));
    }
    page.row(&[
        relative_chart(comparison, "Memory traffic", |relative| relative.memory_bytes).width(460.0),
        relative_chart(comparison, "Network flits", |relative| relative.flits).width(460.0),
    ]);
    page.chart(&stall_chart(comparison));
    page.chart(&relative_chart(comparison, "Energy", |relative| relative.energy));
    page.chart(&energy_chart(comparison));
    page.heading("numbers", "All numbers");
    add_table(&mut page, comparison);
    page
}

/// The best and the worst of the means.
fn cards(comparison: &Comparison) -> Vec<Card> {
    let mut means: Vec<(&str, Relative)> = comparison
        .schemes
        .iter()
        .enumerate()
        .skip(1)
        .filter_map(|(index, scheme)| Some((scheme.as_str(), comparison.mean(index)?)))
        .collect();
    means.sort_by(|one, other| other.1.speedup.total_cmp(&one.1.speedup));
    let card = |(scheme, mean): &(&str, Relative)| {
        let note = format!(
            "traffic {}, flits {}, energy {}",
            times(mean.memory_bytes),
            times(mean.flits),
            times(mean.energy)
        );
        Card::new(*scheme, times(mean.speedup), note)
    };
    means.iter().take(6).map(card).collect()
}

fn workloads(comparison: &Comparison) -> Vec<&str> {
    comparison.rows.iter().map(|row| row.workload.as_str()).collect()
}

/// One bar a scheme in each workload's group, the baseline left out.
fn bars(
    comparison: &Comparison,
    axis: Axis,
    title: &str,
    value: impl Fn(&Row, usize) -> Option<f64>,
) -> Chart {
    let series = comparison.schemes.iter().enumerate().skip(1).map(|(index, scheme)| {
        Series::new(scheme.clone(), comparison.rows.iter().map(|row| value(row, index)))
    });
    let series: Vec<Series> = series.filter(|series| series.values.iter().any(Option::is_some)).collect();
    let chart = Chart::bars(title, axis, workloads(comparison), series);
    if comparison.rows.len() > 1 { chart.with_mean(Mean::Geometric) } else { chart }
}

fn relative_chart(comparison: &Comparison, title: &str, of: fn(&Relative) -> f64) -> Chart {
    bars(comparison, Axis::ratio(title), title, |row, scheme| {
        row.relative(scheme).map(|relative| of(&relative))
    })
}

fn ratio_chart(comparison: &Comparison, point: usize) -> Chart {
    let title = format!("Compression ratio: {}", POINTS[point]);
    bars(comparison, Axis::ratio("compression ratio"), &title, |row, scheme| {
        row.cells[scheme].as_ref().ok().and_then(|metrics| metrics.ratios[point])
    })
}

fn stall_chart(comparison: &Comparison) -> Chart {
    let series = comparison.schemes.iter().enumerate().map(|(index, scheme)| {
        let share = |row: &Row| row.cells[index].as_ref().ok().map(|metrics| metrics.reply_stall_share);
        Series::new(scheme.clone(), comparison.rows.iter().map(share))
    });
    let axis = Axis::share("of the slices' cycles");
    Chart::bars("Replies refused by the network", axis, workloads(comparison), series.collect())
}

/// Where the energy goes, relative to the whole of the baseline.
fn energy_chart(comparison: &Comparison) -> Chart {
    let cells = || comparison.rows.iter().flat_map(|row| row.cells.iter().flatten());
    let parts: Vec<String> = cells()
        .next()
        .map_or(Vec::new(), |cell| cell.energy_parts.iter().map(|(name, _)| name.clone()).collect());
    let groups = comparison.rows.iter().map(|row| {
        let whole = row.cells[0].as_ref().map_or(1.0, |cell| cell.energy_j);
        let bar = |(scheme, cell): (&String, &Result<Metrics, String>)| {
            let cell = cell.as_ref().ok()?;
            Some((scheme.clone(), cell.energy_parts.iter().map(|(_, joules)| joules / whole).collect()))
        };
        let bars = comparison.schemes.iter().zip(&row.cells).filter_map(bar).collect();
        Group { name: row.workload.clone(), bars }
    });
    Chart::stacked("Where the energy goes", Axis::share("of the baseline's energy"), parts, groups.collect())
}

fn add_table(page: &mut Page, comparison: &Comparison) {
    let points = comparison.points();
    let ratio_names: Vec<String> = points.iter().map(|&point| format!("CR {}", POINTS[point])).collect();
    let mut header = vec!["workload", "scheme", "cycles", "speedup"];
    header.extend(ratio_names.iter().map(String::as_str));
    header.extend(["memory traffic", "flits", "reply stalls", "L1 hits", "energy", "EDP"]);
    let mut rows = Vec::new();
    for row in &comparison.rows {
        for (index, scheme) in comparison.schemes.iter().enumerate() {
            let Ok(metrics) = &row.cells[index] else { continue };
            let Some(relative) = row.relative(index) else { continue };
            let mut cells =
                vec![row.workload.clone(), scheme.clone(), grouped(metrics.cycles), times(relative.speedup)];
            cells.extend(points.iter().map(|&point| metrics.ratios[point].map_or(String::new(), times)));
            cells.extend([
                bytes(metrics.memory_bytes),
                times(relative.flits),
                percent(metrics.reply_stall_share),
                percent(metrics.l1_hit_share),
                joules(metrics.energy_j),
                times(relative.energy_delay),
            ]);
            rows.push(cells);
        }
    }
    page.table(&header, &rows);
}
