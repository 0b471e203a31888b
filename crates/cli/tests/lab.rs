//! What does a user see of compare, sweep and the store?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;
use std::process::{Command as Process, Output, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use common::{shrinkwarp, stderr};
use serde_json::Value;
use tempfile::TempDir;

const SWEEP: &str = "[run]\nscale = \"tiny\"\n[axes]\nworkload = [\"transpose\", \"histogram\"]\n\
                     scheme = [\"none\", \"dsm\"]\nseed = [1, 2, 3, 4, 5]\n";

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    shrinkwarp(folder.path()).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn with_sweep() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("sweep.toml"), SWEEP).unwrap();
    folder
}

/// All numbers of all runs, without when and where they were made, in an order of their own.
fn numbers(folder: &TempDir, store: &str) -> String {
    let csv = text(&run(folder, &["store", "export", "--store", store]));
    let mut lines: Vec<&str> = csv.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn compare_ends_in_a_table_and_a_page_and_runs_nothing_twice() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "compare",
        "transpose",
        "histogram",
        "--scale",
        "tiny",
        "--schemes",
        "none,dsm,e2mc16",
        "--html",
        "page.html",
    ];
    let table = text(&run(&folder, &arguments));
    for part in ["geometric mean", "CR packets", "CR memory", "1.00×", "The charts are in page.html"] {
        assert!(table.contains(part), "{table}");
    }
    assert!(fs::read_to_string(folder.path().join("page.html")).unwrap().contains("<svg"));
    let again = text(&run(&folder, &arguments));
    assert!(again.contains("6 of 6 runs were in the store"), "{again}");
    let json: Value =
        serde_json::from_str(&text(&run(&folder, &[&arguments[..], &["--json"]].concat()))).unwrap();
    assert!(json["workloads"][0]["schemes"][2]["metrics"]["ratios"][3].as_f64().unwrap() > 1.0);
}

#[test]
fn a_sweep_counts_first_then_runs_then_knows() {
    let folder = with_sweep();
    let forecast = text(&run(&folder, &["sweep", "sweep.toml", "--dry-run"]));
    assert_eq!(forecast, "20 runs: 0 in the store, 20 to run; no run like these has been timed yet\n");
    let report = text(&run(&folder, &["sweep", "sweep.toml", "--threads", "2"]));
    assert!(report.starts_with("20 runs: 0 were in the store, 20 done, 0 failed\n"), "{report}");
    let forecast = text(&run(&folder, &["sweep", "sweep.toml", "--dry-run"]));
    assert_eq!(forecast, "20 runs: 20 in the store, 0 to run; nothing to do\n");
    let list = text(&run(&folder, &["store", "list", "--scheme", "dsm"]));
    assert!(list.contains("\n10 runs."), "{list}");
}

#[test]
fn a_killed_sweep_goes_on_and_ends_with_the_same_results() {
    let folder = with_sweep();
    text(&run(&folder, &["sweep", "sweep.toml", "--store", "whole.sqlite"]));
    let arguments = ["sweep", "sweep.toml", "--store", "killed.sqlite", "--threads", "1"];
    let mut process = Process::new(cargo_bin("shrinkwarp"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let kept = || {
        let list = run(&folder, &["store", "list", "--json", "--store", "killed.sqlite"]);
        serde_json::from_slice::<Value>(&list.stdout).map_or(0, |rows| rows.as_array().unwrap().len())
    };
    while kept() < 2 && process.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // SIGKILL: the process gets no chance to tidy up.
    process.kill().unwrap();
    process.wait().unwrap();
    let before = kept();
    assert!(before >= 2, "what was finished is kept");
    let report = text(&run(&folder, &arguments));
    assert!(report.starts_with(&format!("20 runs: {before} were in the store")), "{report}");
    assert_eq!(numbers(&folder, "whole.sqlite"), numbers(&folder, "killed.sqlite"));
}

#[test]
fn shards_are_collected_into_one_store() {
    let folder = with_sweep();
    text(&run(&folder, &["sweep", "sweep.toml", "--store", "whole.sqlite"]));
    for shard in ["1/2", "2/2"] {
        text(&run(&folder, &["sweep", "sweep.toml", "--shard", shard, "--results", "parts"]));
    }
    let report =
        text(&run(&folder, &["sweep", "sweep.toml", "--collect", "parts", "--store", "merged.sqlite"]));
    assert!(report.starts_with("20 runs: 20 were in the store, 0 done"), "{report}");
    assert_eq!(numbers(&folder, "whole.sqlite"), numbers(&folder, "merged.sqlite"));
}

#[test]
fn a_run_is_kept_and_can_be_looked_at() {
    let folder = TempDir::new().unwrap();
    text(&run(&folder, &["run", "transpose", "--scale", "tiny", "--sample-cycles", "500"]));
    let rows: Value = serde_json::from_str(&text(&run(&folder, &["store", "list", "--json"]))).unwrap();
    assert_eq!((&rows[0]["workload"], &rows[0]["has_series"]), (&"transpose".into(), &true.into()));
    let identity = rows[0]["identity"].as_str().unwrap();
    let shown = text(&run(&folder, &["store", "show", &identity[..8]]));
    assert!(
        shown.contains("transpose at tiny scale, data set ")
            && shown.contains(", seed 1, on gtx480 with none"),
        "{shown}"
    );
    let mean = text(&run(&folder, &["store", "query", "SELECT geomean(cycles) > 0 AS positive FROM runs"]));
    assert_eq!(mean, "positive\n1\n");
    text(&run(&folder, &["store", "export", "--format", "parquet", "--output", "runs.parquet"]));
    let exported = fs::read(folder.path().join("runs.parquet")).unwrap();
    assert!(exported.starts_with(b"PAR1") && exported.ends_with(b"PAR1"));
    let nowhere = run(&folder, &["run", "transpose", "--scale", "tiny", "--store", "/proc/none/runs.sqlite"]);
    assert!(
        nowhere.status.code() == Some(1)
            && nowhere.stdout.is_empty()
            && stderr(&nowhere).contains("/proc/none/runs.sqlite: the folder cannot be made"),
        "{}",
        stderr(&nowhere)
    );
}

#[test]
fn tables_of_a_file_take_the_place_of_a_profiling_run() {
    let folder = TempDir::new().unwrap();
    let profile = ["profile", "histogram", "--scale", "tiny", "--output", "tables.json"];
    assert!(text(&run(&folder, &profile)).contains("e2mc16"));
    let with = |more: &[&str]| {
        let arguments =
            [&["run", "histogram", "--scale", "tiny", "--json", "--store", "none"][..], more].concat();
        serde_json::from_str::<Value>(&text(&run(&folder, &arguments))).unwrap()["counters"].clone()
    };
    let scheme = ["--scheme", "none", "--set", "scheme.memory.codec=e2mc16"];
    let own = with(&scheme);
    assert_eq!(own, with(&[&scheme[..], &["--tables", "tables.json"]].concat()));
    assert!(own["compression"]["memory"]["reads"]["encoded_bits"].as_u64().unwrap() > 0);
}

#[test]
fn mistakes_name_the_thing_and_the_way_out() {
    let folder = with_sweep();
    fs::write(folder.path().join("letter.txt"), "no database, but long enough to be looked at").unwrap();
    for (arguments, code, expected) in [
        (&["compare", "spmw"][..], 2, "did you mean \"spmv\"?"),
        (&["compare", "spmv", "--schemes", "none,dms"], 2, "unknown scheme \"dms\"; did you mean \"dsm\"?"),
        (
            &["compare", "spmv", "--html", "no/page.html"],
            1,
            "no/page.html: cannot be written: its folder does not exist",
        ),
        (&["compare", "spmv", "--html", "."], 1, "is a folder; name a file in it"),
        (&["run", "spmv", "--timeline", "no/trace.json"], 1, "no/trace.json: cannot be written"),
        (&["reproduce", "bpc", "2a", "--output", "letter.txt"], 1, "letter.txt: "),
        (&["sweep", "none.toml"], 1, "none.toml"),
        (&["sweep", "sweep.toml", "--shard", "3/2", "--results", "x"], 2, "K from 1 to N"),
        (&["sweep", "sweep.toml", "--store", "letter.txt"], 1, "is not a SQLite database"),
        (&["store", "list"], 1, "has no runs yet"),
        (&["run", "spmv", "--tables", "letter.txt"], 2, "`shrinkwarp profile` makes one"),
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}
