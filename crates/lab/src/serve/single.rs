//! One run: what came out, how it went over time, where the energy went, and everything that was counted and set.

use super::measures::MEASURES;
use super::{decisions, name_of, site_page, timeline};
use crate::run::{LaunchResult, Record, RunResult};
use shrinkwarp_report::chart::{Axis, Chart, Format, Series as Bars};
use shrinkwarp_report::page::{Card, Page};

/// With more launches than this, those of one kernel are one bar.
const MOST_LAUNCHES: usize = 40;

pub(super) fn page(record: &Record) -> Page {
    let provenance = &record.provenance;
    let lead = format!(
        "Run {}, data set {}, seed {}, energy set {}. Simulated by shrinkwarp {} (model {}) on {} in {} s.",
        record.identity.short(),
        record.data,
        record.seed,
        record.energy,
        provenance.code_version,
        provenance.model_version,
        provenance.host,
        Format::Plain.short(provenance.duration_s)
    );
    let mut page = site_page(&name_of(record), &lead);
    match record.result() {
        Some(result) => add_result(&mut page, record, result),
        None => page.text(&format!("It failed: {}", record.error().unwrap_or_default())),
    }
    page.heading("settings", "Settings");
    let texts = [("GPU", &record.gpu_text), ("scheme", &record.scheme_text), ("energy", &record.energy_text)];
    for (name, text) in texts {
        page.details(name, |page| page.code(text));
    }
    page
}

fn add_result(page: &mut Page, record: &Record, result: &RunResult) {
    let known = MEASURES.iter().filter_map(|measure| Some((measure, measure.of(result)?)));
    page.cards(
        &known
            .map(|(measure, value)| Card::new(measure.name, measure.text(Some(value)), ""))
            .collect::<Vec<_>>(),
    );
    page.heading("timeline", "Timeline");
    if result.series.is_empty() {
        page.text(&format!(
            "Nothing was sampled. `shrinkwarp run {} --scale {} --sample-cycles 1000` with the same options does.",
            record.workload, record.scale
        ));
    }
    for chart in timeline::charts(&[("", result)]) {
        page.chart(&chart);
    }
    page.chart(&launch_chart(&result.launches));
    decisions::add(page, &[("", record)]);
    let parts = result.energy_parts();
    if !parts.is_empty() {
        page.heading("energy", "Energy");
        page.chart(&energy_chart(&parts));
    }
    page.heading("counters", "Counters");
    let rows: Vec<Vec<String>> =
        result.counters.iter().map(|(name, value)| vec![name.to_owned(), value.to_string()]).collect();
    page.details(&format!("all {}", rows.len()), |page| page.table(&["counter", "value"], &rows));
}

/// Launches in order, or kernels where there are too many launches.
fn launch_chart(launches: &[LaunchResult]) -> Chart {
    let axis = Axis::new("cycles");
    if launches.len() <= MOST_LAUNCHES {
        let names =
            launches.iter().enumerate().map(|(index, launch)| format!("{} {}", index + 1, launch.kernel));
        let cycles = launches.iter().map(|launch| launch.cycles as f64);
        return Chart::bars("Launches in order", axis, names, vec![Bars::new("cycles", cycles)]);
    }
    let mut kernels: Vec<(&str, f64)> = Vec::new();
    for launch in launches {
        match kernels.iter_mut().find(|(kernel, _)| *kernel == launch.kernel) {
            Some((_, cycles)) => *cycles += launch.cycles as f64,
            None => kernels.push((&launch.kernel, launch.cycles as f64)),
        }
    }
    let title = format!("Kernels, {} launches", launches.len());
    let cycles = vec![Bars::new("cycles", kernels.iter().map(|(_, cycles)| *cycles))];
    Chart::bars(title, axis, kernels.iter().map(|(kernel, _)| *kernel), cycles)
}

fn energy_chart(parts: &[(&str, f64)]) -> Chart {
    let names = parts.iter().map(|(name, _)| name.replace('_', " "));
    let millijoules = vec![Bars::new("energy", parts.iter().map(|(_, joules)| 1e3 * joules))];
    Chart::bars("Where the energy goes", Axis::new("energy").unit("mJ"), names, millijoules)
}
