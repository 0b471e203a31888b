//! What does a user see of `approx`: measure, train, predict and figure?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;
use std::process::Output;

use common::{shrinkwarp, stderr};
use serde_json::Value;
use tempfile::TempDir;

/// Runs a command in a folder, with the cache inside it.
fn approx(folder: &TempDir, arguments: &[&str]) -> Output {
    let cache = folder.path().join("cache");
    shrinkwarp(folder.path()).arg("approx").args(arguments).env("XDG_CACHE_HOME", cache).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A folder with a trained model of gaussian.
fn trained() -> TempDir {
    let folder = TempDir::new().unwrap();
    let arguments =
        ["measure", "gaussian", "--scale", "tiny", "--data-sets", "18", "--conditions", "10,100,1000"];
    let summary = text(&approx(&folder, &arguments));
    assert!(summary.contains("gaussian, l-infinity error over 18 inputs"), "{summary}");
    let report = text(&approx(&folder, &["train", "approx-gaussian.csv"]));
    assert!(report.contains("12 inputs learnt from, 6 held out"), "{report}");
    folder
}

fn npy(shape: &str, values: &[f32]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn a_matrix_gets_bits_with_a_confidence_and_more_for_a_larger_error() {
    let folder = trained();
    // diag(1, 0.02): its condition number is 50.
    fs::write(folder.path().join("matrix.npy"), npy("2, 2", &[1.0, 0.0, 0.0, 0.02])).unwrap();
    let predict = |error: &str| -> Value {
        let arguments =
            ["predict", "approx-gaussian.json", "--error", error, "--input", "matrix.npy", "--json"];
        serde_json::from_str(&text(&approx(&folder, &arguments))).unwrap()
    };
    let (strict, loose) = (predict("0.000000001"), predict("1"));
    assert_eq!(strict["bits"], 0);
    assert_eq!(loose["bits"], 20);
    assert!((strict["condition_log10"].as_f64().unwrap() - 50f64.log10()).abs() < 1e-6, "{strict}");
    assert!(loose["confidence"].as_f64().unwrap() >= 0.9, "{loose}");
    assert!(loose["network"]["bits"].is_number());
    let arguments =
        ["predict", "approx-gaussian.json", "--error", "0.5", "--elements", "4", "--condition", "50"];
    assert!(text(&approx(&folder, &arguments)).contains("condition number 5.000e1"));
}

#[test]
fn bad_input_is_named_with_the_way_out() {
    let folder = trained();
    let model = fs::read_to_string(folder.path().join("approx-gaussian.json")).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("later.json", model.replacen("\"version\": 2", "\"version\": 3", 1).as_bytes());
    write("good.npy", &npy("2, 2", &[4.0, 1.0, 1.0, 3.0]));
    write("nan.npy", &npy("2, 2", &[1.0, 0.0, f32::NAN, 1.0]));
    write("vector.npy", &npy("4,", &[1.0, 2.0, 3.0, 4.0]));
    write("empty.npy", &npy("0, 2", &[]));
    let predict = |model: &str, error: &str, input: &str| {
        approx(&folder, &["predict", model, "--error", error, "--input", input])
    };
    for (output, code, expected) in [
        (
            predict("later.json", "0.01", "good.npy"),
            1,
            "a model of version 3, and this program reads version 2",
        ),
        (predict("good.npy", "0.01", "good.npy"), 1, "good.npy: "),
        (predict("approx-gaussian.csv", "0.01", "good.npy"), 1, "not a model"),
        (predict("approx-gaussian.json", "0.01", "nan.npy"), 1, "nan.npy: element [1, 0] is NaN"),
        (predict("approx-gaussian.json", "0.01", "empty.npy"), 1, "empty.npy: the .npy array is empty"),
        (predict("approx-gaussian.json", "0.01", "vector.npy"), 1, "vector.npy: is a vector of 4 elements"),
        (predict("approx-gaussian.json", "-0.01", "good.npy"), 2, "an error is above 0 and at most 1"),
        (predict("approx-gaussian.json", "NaN", "good.npy"), 2, "an error is above 0 and at most 1"),
        (approx(&folder, &["measure", "bfs"]), 2, "bfs has no error metric to measure by"),
        (approx(&folder, &["measure", "atax", "--clusters", "3"]), 2, "atax does not search for clusters"),
        (approx(&folder, &["train", "approx-gaussian.json"]), 1, "line 1: not a table of measurements"),
        (approx(&folder, &["figure", "6.3"]), 2, "expected one of 6.4, 6.5"),
    ] {
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "no {expected:?} in {}", stderr(&output));
    }
}

#[test]
fn what_was_measured_is_not_measured_again() {
    let folder = TempDir::new().unwrap();
    let arguments = ["measure", "atax", "--scale", "tiny", "--data-sets", "2", "--json"];
    let first = text(&approx(&folder, &arguments));
    let kept = folder.path().join("cache/shrinkwarp/approx");
    let files: Vec<_> = fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2);
    // A number that no run would give shows where the second answer comes from.
    let changed = fs::read_to_string(&files[0]).unwrap().replacen(",tiny,", ",kept,", 1);
    fs::write(&files[0], changed).unwrap();
    let second = text(&approx(&folder, &arguments));
    assert!(!first.contains("kept") && second.contains("\"scale\": \"kept\""), "{second}");
}

#[test]
fn a_figure_is_csv_or_json() {
    let folder = TempDir::new().unwrap();
    let arguments = ["figure", "6.6", "--scale", "tiny", "--data-sets", "1"];
    let csv = text(&approx(&folder, &arguments));
    assert!(csv.starts_with("workload,metric,property,value,bits,mean_error,"), "{csv}");
    // A header, four cluster counts, five numbers of bits.
    assert_eq!(csv.lines().count(), 1 + 4 * 5);
    let json: Value =
        serde_json::from_str(&text(&approx(&folder, &[&arguments[..], &["--json"]].concat()))).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 20);
}
