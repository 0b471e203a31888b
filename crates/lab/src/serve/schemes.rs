//! Two schemes by name, over everything that was run with both: speedups of workloads on one GPU at one scale.

use std::collections::BTreeSet;

use super::site_page;
use super::speedups::{self, BASELINE};
use super::target::{Target, encoded};
use crate::LabError;
use crate::store::{Filter, RunRow, Store};
use shrinkwarp_report::chart::{Axis, Chart, Format, Series, geometric_mean};
use shrinkwarp_report::markup::escaped;
use shrinkwarp_report::page::{Card, Page};

/// A form that asks for the page; empty where there is but one scheme.
pub(super) fn form(all: &[RunRow]) -> String {
    let of = |value: fn(&RunRow) -> &str| all.iter().map(value).collect::<BTreeSet<&str>>();
    let schemes = of(|row| &row.scheme);
    if schemes.len() < 2 {
        return String::new();
    }
    let select = |name: &str, options: &BTreeSet<&str>, chosen: &str| {
        let option = |option: &&str| {
            let selected = if *option == chosen { " selected" } else { "" };
            format!("<option{selected}>{}</option>", escaped(option))
        };
        let options: String = options.iter().map(option).collect();
        format!("<select name=\"{name}\" aria-label=\"{name}\">{options}</select>")
    };
    let second = schemes.iter().find(|scheme| **scheme != BASELINE).copied().unwrap_or_default();
    format!(
        "<form class=\"filters\" action=\"/schemes\">{} against {} on {} at {} scale <button>Compare schemes</button></form>",
        select("second", &schemes, second),
        select("first", &schemes, BASELINE),
        select("gpu", &of(|row| &row.gpu), ""),
        select("scale", &of(|row| &row.scale), "small"),
    )
}

/// The page for the schemes that the address names.
pub(super) fn page(store: &Store, target: &Target) -> Result<Page, LabError> {
    let ask = |name: &str| {
        let missing =
            || LabError::Usage(format!("The address lacks {name}: choose two schemes, a GPU and a scale."));
        target.first(name).map(str::to_owned).ok_or_else(missing)
    };
    let (first, second, gpu, scale) = (ask("first")?, ask("second")?, ask("gpu")?, ask("scale")?);
    let filter = Filter { gpu: Some(gpu.clone()), scale: Some(scale.clone()), ..Filter::default() };
    let rows = store.list(&filter)?;
    let mut cycles = speedups::cycles(&rows);
    cycles.retain(|_, by_scheme| speedups::speedup(by_scheme, &first, &second).is_some());
    let lead = format!("{} that were run with both, on {gpu} at {scale} scale.", cycles.len());
    let mut page = site_page(&format!("{second} against {first}"), &lead);
    let swapped = format!(
        "/schemes?first={}&second={}&gpu={}&scale={}",
        encoded(&second),
        encoded(&first),
        encoded(&gpu),
        encoded(&scale)
    );
    page.markup(&format!(
        "<p><a href=\"{}\">Swap: {} against {}</a></p>",
        escaped(&swapped),
        escaped(&first),
        escaped(&second)
    ));
    if cycles.is_empty() {
        page.text("Nothing was run with both schemes on this GPU at this scale.");
        return Ok(page);
    }
    let names = speedups::names(&cycles);
    let values: Vec<f64> =
        cycles.values().filter_map(|by_scheme| speedups::speedup(by_scheme, &first, &second)).collect();
    if let Some(mean) = geometric_mean(&values).filter(|_| values.len() > 1) {
        let faster = values.iter().filter(|value| **value > 1.0).count();
        page.cards(&[
            Card::new(
                "geometric mean of the speedups",
                Format::Times.precise(mean),
                format!("over {}", names.join(", ")),
            ),
            Card::new("faster", format!("{faster} of {}", values.len()), format!("with {second}")),
        ]);
    }
    let axis = Axis::ratio("speedup");
    let series = vec![Series::new(second.clone(), values.iter().copied())];
    page.chart(
        &Chart::bars(format!("Speedup over {first}"), axis, names.clone(), series).x_label("workload"),
    );
    let row = |((name, by_scheme), speedup): ((&String, &std::collections::BTreeMap<&str, u64>), &f64)| {
        let cycles = |scheme: &str| by_scheme.get(scheme).map_or(String::new(), u64::to_string);
        vec![name.clone(), cycles(&first), cycles(&second), Format::Times.precise(*speedup)]
    };
    let table: Vec<Vec<String>> = names.iter().zip(cycles.values()).zip(&values).map(row).collect();
    let (before, after) = (format!("cycles, {first}"), format!("cycles, {second}"));
    page.table(&["workload", &before, &after, "speedup"], &table);
    Ok(page)
}
