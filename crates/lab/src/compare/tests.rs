//! Does the table say what the runs say?

use shrinkwarp_workloads::Scale;

use super::*;
use crate::batch::{Options, run_all};
use crate::store::StoreLocation;

fn metrics(cycles: u64, memory_bytes: f64, energy_j: f64) -> Metrics {
    Metrics {
        cycles,
        memory_bytes,
        flits: 1e6,
        energy_j,
        energy_delay_js: energy_j * cycles as f64,
        ..Metrics::default()
    }
}

/// Where the ratio of the memory controllers is in the list of points.
const MEMORY: usize = 3;

fn example() -> Comparison {
    let mut dense = metrics(500, 2e6, 0.5e-3);
    dense.ratios[MEMORY] = Some(2.0);
    let mut better = metrics(250, 1e6, 1e-3);
    better.ratios[MEMORY] = Some(8.0);
    let row = |workload: &str, cells: Vec<Result<Metrics, String>>| Row { workload: workload.into(), cells };
    Comparison {
        gpu: "gtx480".into(),
        scale: "tiny".into(),
        schemes: vec!["none".into(), "e2mc".into()],
        descriptions: vec!["no compression".into(), "entropy coding".into()],
        rows: vec![
            row("one", vec![Ok(metrics(1000, 4e6, 1e-3)), Ok(dense)]),
            row("two", vec![Ok(metrics(1_000_000, 1e6, 1e-3)), Ok(Metrics { cycles: 125_000, ..better })]),
            row("bad", vec![Ok(metrics(1, 1.0, 1.0)), Err("deadlock".into())]),
        ],
    }
}

#[test]
fn means_are_geometric_and_leave_failures_out() {
    let mean = example().mean(1).unwrap();
    assert!((mean.speedup - 4.0).abs() < 1e-12, "of 2 and 8");
    assert!((mean.ratios[MEMORY].unwrap() - 4.0).abs() < 1e-12);
    assert!((mean.energy - 0.5f64.sqrt()).abs() < 1e-12);
    assert_eq!(mean.ratios[0], None);
}

#[test]
fn the_table_has_a_column_for_each_point_in_use_and_names_failures() {
    let table = text(&example());
    assert!(table.contains("CR memory") && !table.contains("CR link"), "{table}");
    assert!(table.contains("1,000,000") && table.contains("2.00×") && table.contains("4.0 MB"), "{table}");
    assert!(table.contains("bad with e2mc failed: deadlock"), "{table}");
    let widths: Vec<usize> =
        table.lines().filter(|line| line.contains('×')).map(|line| line.trim_end().chars().count()).collect();
    assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "columns line up: {table}");
}

#[test]
fn the_page_shows_every_scheme_and_point() {
    let html = page(&example()).html();
    for part in ["Speedup", "Compression ratio: memory", "Memory traffic", "Where the energy goes", "geomean"]
    {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn a_question_becomes_runs_and_runs_become_the_answer() {
    let question = Question {
        base: RunSpec::new("", Scale::Tiny),
        subjects: vec!["transpose".into(), "histogram".into()],
        schemes: vec!["none".into(), "dsm".into()],
    };
    let runs = question.runs().unwrap();
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    run_all(&mut store, &runs, &Options::default(), &mut |_, _| {}).unwrap();
    let comparison = Comparison::read(&question, &runs, &store).unwrap();
    assert_eq!((comparison.gpu.as_str(), comparison.points()), ("gtx480", vec![1]));
    assert_eq!(comparison.rows[0].relative(0).unwrap().speedup, 1.0);
    assert!(comparison.rows[1].cells[1].as_ref().unwrap().ratios[1].unwrap() > 1.0);
    assert_eq!(comparison.json()["workloads"][1]["schemes"][1]["scheme"], "dsm");
}
