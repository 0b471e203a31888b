//! What does a user see of `list`?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;

use common::{shrinkwarp, stderr};
use serde_json::Value;
use tempfile::TempDir;

fn run(arguments: &[&str]) -> (String, String, Option<i32>) {
    let folder = TempDir::new().unwrap();
    let output = shrinkwarp(folder.path()).args(["list", "gpus"]).args(arguments).output().unwrap();
    (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output), output.status.code())
}

#[test]
fn the_list_names_every_preset() {
    let (text, _, _) = run(&[]);
    for name in [
        "gtx480",
        "e2mc-gtx580",
        "e2mc-gtx580-192",
        "dsm-fermi",
        "latte-fermi",
        "bpc-gtx480",
        "v100",
        "a100",
        "rtx-3070",
        "h100-pcie",
    ] {
        assert!(text.contains(name), "{text}");
    }
    let gpus: Value = serde_json::from_str(&run(&["--json"]).0).unwrap();
    assert_eq!(gpus.as_array().unwrap().len(), 10);
}

#[test]
fn a_gpu_is_shown_with_the_keys_of_set_and_what_follows() {
    let (text, _, _) = run(&["gtx480", "--set", "l1.size_kib=48", "--set", "l1.ways=6"]);
    let value_of = |key: &str| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(key)).unwrap();
        line.split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!((value_of("l1.size_kib"), value_of("l1_sets")), ("48".to_owned(), "64".to_owned()));
    assert_eq!(value_of("dram_peak_gb_per_s"), "177.4");
    assert_eq!(value_of("dram.timing.rcd"), "12");
}

#[test]
fn the_same_is_json() {
    let shown: Value = serde_json::from_str(&run(&["e2mc-gtx580", "--json"]).0).unwrap();
    assert_eq!(shown["gpu"]["sm"]["count"], 16);
    assert_eq!(shown["derived"]["dram_burst_bytes"], 32);
}

#[test]
fn a_mistake_on_the_command_line_is_named_with_what_is_allowed() {
    let (_, message, code) = run(&["gtx480", "--set", "sm.scheduler=fifo"]);
    assert!(message.contains("sm.scheduler") && message.contains("gto, lrr, two_level"), "{message}");
    assert_eq!(code, Some(2));
    let (_, message, _) = run(&["gtx1080"]);
    assert!(message.contains("known: gtx480"), "{message}");
}

#[test]
fn a_mistake_in_a_file_is_shown_where_it_is() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("my.toml"), "based_on = \"gtx480\"\n\n[l1]\nsize_kb = 48\n").unwrap();
    let output = shrinkwarp(folder.path()).args(["list", "gpus", "my.toml"]).output().unwrap();
    let message = stderr(&output);
    assert!(
        message.contains(
            "my.toml:4: l1.size_kb: unknown key; did you mean \"size_kib\"? (nearest of 16: size_kib, "
        ),
        "{message}"
    );
    assert!(message.contains("size_kb = 48"), "{message}");
}

#[test]
fn everything_with_a_name_is_listed_and_one_is_shown() {
    let folder = TempDir::new().unwrap();
    let list = |arguments: &[&str]| {
        let output = shrinkwarp(folder.path()).arg("list").args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    for (what, one, part) in [
        ("codecs", "bpc", "128"),
        ("workloads", "bfs", "data sets"),
        ("gpus", "latte-fermi", "l1.size_kib"),
        ("schemes", "dsm", "[packets]"),
        ("energy", "hbm2", "[dram]"),
        ("figures", "bpc-3c", "3c"),
        ("cases", "gather_l2", "256 KiB"),
        ("bench-data", "graph-ids", "CSR"),
    ] {
        let (all, shown) = (list(&[what]), list(&[what, one]));
        assert!(shown.contains(part), "{what} {one}: {shown}");
        assert_ne!(all, shown, "{what}");
        for arguments in [&[what, "--json"][..], &[what, one, "--json"]] {
            assert!(serde_json::from_str::<Value>(&list(arguments)).is_ok(), "{arguments:?}");
        }
        let unknown = shrinkwarp(folder.path()).args(["list", what, "nothing-of-ours"]).output().unwrap();
        assert_eq!(unknown.status.code(), Some(2), "{what}: {}", stderr(&unknown));
        let said = stderr(&unknown);
        assert!(said.contains("known: ") || said.contains("nearest of "), "{what}: {}", stderr(&unknown));
    }
}

#[test]
fn a_wrong_scheme_of_compare_names_the_option_it_came_from() {
    let folder = TempDir::new().unwrap();
    let compare = ["compare", "bfs", "--schemes", "none,dsn"];
    let output = shrinkwarp(folder.path()).args(compare).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("--schemes: unknown scheme \"dsn\"; did you mean \"dsm\"?"), "{message}");
}

#[test]
fn an_unknown_name_in_a_list_names_no_option() {
    let folder = TempDir::new().unwrap();
    for (what, kind) in [("gpus", "GPU"), ("schemes", "scheme"), ("energy", "energy set")] {
        let output = shrinkwarp(folder.path()).args(["list", what, "zz"]).output().unwrap();
        let message = stderr(&output);
        assert!(message.starts_with(&format!("shrinkwarp: list {what}: unknown {kind} \"zz\"")), "{message}");
    }
}
