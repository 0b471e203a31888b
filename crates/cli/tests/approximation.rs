//! What does a user see of approximated loads?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{shrinkwarp, stderr};
use serde_json::Value;
use tempfile::TempDir;

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    shrinkwarp(folder.path()).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Runs the saxpy example with more lines in the description of its buffer x.
fn saxpy(lines: &str) -> (TempDir, Output) {
    let folder = TempDir::new().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    fs::copy(examples.join("saxpy.ptx"), folder.path().join("saxpy.ptx")).unwrap();
    let file = format!(
        "module = \"saxpy.ptx\"\n\
         [[buffer]]\nname = \"x\"\ncount = 1\n{lines}\n\
         [[buffer]]\nname = \"y\"\ntype = \"f32\"\ncount = 1\n\
         [[launch]]\nkernel = \"saxpy\"\ngrid = [1]\nblock = [32]\narguments = [\"x\", \"y\", 1.0, 1]\n\
         [[result]]\nbuffer = \"x\"\nwrite = \"x.raw\"\n[[result]]\nbuffer = \"y\"\nwrite = \"y.raw\"\n"
    );
    fs::write(folder.path().join("launch.toml"), file).unwrap();
    let output = run(&folder, &["launch", "launch.toml"]);
    (folder, output)
}

#[test]
fn a_buffer_of_a_launch_file_is_approximated_for_kernels_and_exact_for_the_host() {
    // 1 + 2⁻²³ + 2⁻¹² has its two low bits at 0 and 11.
    let value = 1.0f32 + 2f32.powi(-23) + 2f32.powi(-12);
    let (folder, output) =
        saxpy(&format!("type = \"f32\"\nvalues = [{}]\napproximate_bits = 8", f64::from(value)));
    text(&output);
    let read =
        |name: &str| f32::from_le_bytes(fs::read(folder.path().join(name)).unwrap().try_into().unwrap());
    assert_eq!(read("x.raw"), value);
    assert_eq!(read("y.raw"), 1.0 + 2f32.powi(-12));
}

#[test]
fn mistakes_in_a_launch_file_name_the_buffer_and_the_way_out() {
    for (lines, expected) in [
        ("type = \"i32\"\napproximate_bits = 8", "buffer \"x\" holds i32; only floats are approximated"),
        ("type = \"f32\"\napproximate_bits = 7", "(allowed: 4, 8, 12, 16, 20)"),
        ("type = \"f16\"\napproximate_bits = 12", "(allowed: 4, 8)"),
    ] {
        let (_, output) = saxpy(lines);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn a_workload_reports_the_error_of_its_results_in_the_timing_machine() {
    let folder = TempDir::new().unwrap();
    let error = |bits: &str| {
        let arguments = ["run", "scalar-prod", "--scale", "tiny", "--approximate-bits", bits, "--json"];
        let json: Value = serde_json::from_str(&text(&run(&folder, &arguments))).unwrap();
        let found = &json["results"][0];
        assert_eq!(
            (&found["buffer"], &found["approximation_error"]["metric"]),
            (&"c".into(), &"nrmse".into())
        );
        found["approximation_error"]["error"].as_f64().unwrap()
    };
    assert_eq!(error("0"), 0.0);
    let (few, many) = (error("8"), error("20"));
    assert!(0.0 < few && few < many, "{few} with 8 bits, {many} with 20");
    let summary = text(&run(&folder, &["run", "scalar-prod", "--scale", "tiny", "--approximate-bits", "8"]));
    assert!(summary.contains("c: nrmse error "), "{summary}");
}

#[test]
fn too_many_regions_and_wrong_bits_are_refused() {
    let folder = TempDir::new().unwrap();
    for (arguments, expected) in [
        (&["--approximate-bits", "8", "--region-entries", "2"][..], "it has 2 entries"),
        (&["--approximate-bits", "5"], "(allowed: 4, 8, 12, 16, 20)"),
    ] {
        let output = run(&folder, &[&["run", "scalar-prod", "--scale", "tiny"], arguments].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let output = run(&folder, &["run", "x.toml", "--approximate-bits", "8"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("x.toml: No such file"), "{}", stderr(&output));
}
