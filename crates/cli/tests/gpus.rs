//! What does a user see of `gpus`?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;

use common::{shrinkwarp, stderr};
use serde_json::Value;
use tempfile::TempDir;

fn run(arguments: &[&str]) -> (String, String, Option<i32>) {
    let folder = TempDir::new().unwrap();
    let output = shrinkwarp(folder.path()).arg("gpus").args(arguments).output().unwrap();
    (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output), output.status.code())
}

#[test]
fn the_list_names_every_preset() {
    let (text, _, _) = run(&[]);
    for name in ["gtx480", "e2mc-gtx580", "dsm-fermi", "latte-fermi", "bpc-gtx480"] {
        assert!(text.contains(name), "{text}");
    }
    let gpus: Value = serde_json::from_str(&run(&["--json"]).0).unwrap();
    assert_eq!(gpus.as_array().unwrap().len(), 5);
}

#[test]
fn a_gpu_is_shown_with_the_keys_of_set_and_what_follows() {
    let (text, _, _) = run(&["show", "gtx480", "--set", "l1.size_kib=48", "--set", "l1.ways=6"]);
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
    let shown: Value = serde_json::from_str(&run(&["show", "e2mc-gtx580", "--json"]).0).unwrap();
    assert_eq!(shown["gpu"]["sm"]["count"], 16);
    assert_eq!(shown["derived"]["dram_burst_bytes"], 32);
}

#[test]
fn a_mistake_on_the_command_line_is_named_with_what_is_allowed() {
    let (_, message, code) = run(&["show", "gtx480", "--set", "sm.scheduler=fifo"]);
    assert!(message.contains("sm.scheduler") && message.contains("`gto`, `lrr`, `two_level`"), "{message}");
    assert_eq!(code, Some(2));
    let (_, message, _) = run(&["show", "gtx1080"]);
    assert!(message.contains("known: gtx480"), "{message}");
}

#[test]
fn a_mistake_in_a_file_is_shown_where_it_is() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("my.toml"), "based_on = \"gtx480\"\n\n[l1]\nsize_kb = 48\n").unwrap();
    let output = shrinkwarp(folder.path()).args(["gpus", "show", "my.toml"]).output().unwrap();
    let message = stderr(&output);
    assert!(
        message.contains("my.toml:4: l1.size_kb: unknown key; did you mean \"size_kib\"? (known here: "),
        "{message}"
    );
    assert!(message.contains("size_kb = 48"), "{message}");
}
