//! What does a user see of `run` and `calibrate`?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{shrinkwarp, stderr};
use serde_json::Value;
use tempfile::TempDir;

/// The launch file of the examples, with the folder it is in.
fn example() -> TempDir {
    let folder = TempDir::new().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["saxpy.toml", "saxpy.ptx"] {
        fs::copy(examples.join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    shrinkwarp(folder.path()).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_launch_file_gets_cycles_rates_and_energy() {
    let summary = text(&run(&example(), &["run", "saxpy.toml"]));
    for part in ["saxpy: ", " cycles", "% hits", "GB/s", "energy (gpuwattch-gtx480)", "checksum"] {
        assert!(summary.contains(part), "{summary}");
    }
}

#[test]
fn equal_runs_print_equal_json() {
    let folder = example();
    let arguments = ["run", "saxpy.toml", "--json", "--sample-cycles", "200"];
    let first = text(&run(&folder, &arguments));
    assert_eq!(first, text(&run(&folder, &arguments)));
    let json: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(json["is_partial"], false);
    assert_eq!(json["counters"]["sm"]["thread_instructions"], json["thread_instructions"]);
    assert_eq!(json["launches"][0]["kernel"], "saxpy");
}

#[test]
fn a_field_of_the_gpu_can_be_changed() {
    let folder = example();
    let cycles = |arguments: &[&str]| {
        let json: Value = serde_json::from_str(&text(&run(&folder, arguments))).unwrap();
        json["cycles"].as_u64().unwrap()
    };
    let base = cycles(&["run", "saxpy.toml", "--json"]);
    let slow = cycles(&["run", "saxpy.toml", "--json", "--set", "l2.rop_delay_cycles=500"]);
    assert!(slow > base + 380, "{slow} cycles after {base}");
}

#[test]
fn a_timeline_is_a_trace_with_a_slice_for_each_block() {
    let folder = example();
    text(&run(&folder, &["run", "saxpy.toml", "--timeline", "trace.json"]));
    let trace: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("trace.json")).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of_phase = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!((of_phase("b"), of_phase("e")), (4, 4), "four blocks begin and end");
    assert!(of_phase("C") > 0 && of_phase("M") > 0);
}

#[test]
fn a_workload_of_the_suite_runs_by_name() {
    let summary = text(&run(&TempDir::new().unwrap(), &["run", "transpose", "--scale", "tiny"]));
    assert!(summary.contains("core cycles"), "{summary}");
}

#[test]
fn each_point_says_what_it_compressed() {
    let folder = TempDir::new().unwrap();
    let said =
        |scheme: &str| text(&run(&folder, &["run", "transpose", "--scale", "tiny", "--scheme", scheme]));
    for (scheme, point, gain) in [
        ("static-bdi", "compressed in the L1: ", "lines evicted"),
        ("dsm", "compressed in packets: ", "% of the flits saved"),
        ("bdi-l2", "compressed in the L2: ", "fit without compression"),
        ("bdi-memory", "compressed in memory: ", "in bursts"),
        ("bpc-link-packed", "compressed on the memory links: ", "blocks compressed"),
    ] {
        let said = said(scheme);
        let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("compressed ")).collect();
        let [line] = lines[..] else { panic!("{scheme}: {said}") };
        assert!(line.starts_with(point) && line.contains(" : 1") && line.contains(gain), "{scheme}: {line}");
    }
    assert!(!said("none").contains("compressed "));
}

#[test]
fn mistakes_name_the_flag_and_the_way_out() {
    let folder = example();
    for (arguments, expected) in [
        (&["run", "no-such-workload"][..], "unknown workload \"no-such-workload\""),
        (&["run", "saxpy.toml", "--gpu", "gtx48"], "gtx480"),
        (&["run", "saxpy.toml", "--set", "l1.ways=5"], "l1.ways"),
        (&["run", "saxpy.toml", "--set", "sm.schedulers=9"], "sm.schedulers"),
        (&["calibrate", "--case", "vecad"], "unknown case \"vecad\""),
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn calibrate_prints_ours_beside_theirs() {
    let folder = TempDir::new().unwrap();
    let arguments = ["calibrate", "--case", "fma_chain,int_mix", "--index", "hashed", "--json"];
    let json: Value = serde_json::from_str(&text(&run(&folder, &arguments))).unwrap();
    let [first, second] = json.as_array().unwrap().as_slice() else { unreachable!("two cases") };
    assert_eq!((&first["case"], &second["case"]), (&Value::from("fma_chain"), &Value::from("int_mix")));
    assert_eq!(first["cycles"], first["reference_cycles"]);
    assert_eq!(first["thread_instructions"], first["reference_thread_instructions"]);
    assert_eq!(first["checksum_ok"], true);
    assert!(first["reference_cpu_seconds"].as_f64().unwrap() > 3.0);
    assert!(first["cpu_seconds"].is_number() && first["reference_l2_write"].is_number());
    let table = text(&run(&folder, &["calibrate", "--case", "fma_chain"]));
    assert!(table.contains("mean error 0.00 %"), "{table}");
    assert!(table.contains("=: the same as the reference's; !: not"), "the marks are explained: {table}");
}

#[test]
fn sensitivity_compares_speedups() {
    let folder = TempDir::new().unwrap();
    let table = text(&run(&folder, &["calibrate", "--sensitivity", "--case", "l1_sweep"]));
    assert!(table.contains("6 of 6 within 0.05; 0 in another direction"), "{table}");
}
