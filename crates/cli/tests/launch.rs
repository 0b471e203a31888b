//! What does a user see of `launch`?
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

const PTX: &str = include_str!("../../../examples/saxpy.ptx");
const FILE: &str = include_str!("../../../examples/saxpy.toml");

const ENDLESS: &str = "\
.version 7.0
.target sm_70
.address_size 64
.entry endless(.param .u64 out)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
FOREVER:
    bra FOREVER;
}
";

/// Runs `launch` in a folder with the PTX and one launch file.
fn launch_in(folder: &TempDir, ptx: &str, file: &str, arguments: &[&str]) -> Output {
    fs::write(folder.path().join("saxpy.ptx"), ptx).unwrap();
    fs::write(folder.path().join("launch.toml"), file).unwrap();
    let mut command = Command::cargo_bin("shrinkwarp").unwrap();
    command.current_dir(folder.path()).args(["launch", "launch.toml"]).args(arguments).output().unwrap()
}

fn launch(file: &str, arguments: &[&str]) -> Output {
    launch_in(&TempDir::new().unwrap(), PTX, file, arguments)
}

/// Standard error of a launch that must fail with exit code 1.
fn failure(file: &str) -> String {
    let output = launch(file, &[]);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

#[test]
fn the_example_runs_and_counts() {
    let output = launch(FILE, &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert_contains(&text, &["saxpy: grid 4x1x1, block 256x1x1", "y: checksum"]);
}

#[test]
fn results_are_written_and_compared() {
    let folder = TempDir::new().unwrap();
    let writing = format!("{FILE}write = \"y.npy\"\n");
    assert!(launch_in(&folder, PTX, &writing, &[]).status.success());
    let written = fs::read(folder.path().join("y.npy")).unwrap();
    let data = &written[written.len() - 4000..];
    assert_eq!(f32::from_le_bytes(data[396..400].try_into().unwrap()), 2.0 * 99.0 + 0.5);

    let comparing = format!("{FILE}expect = \"y.npy\"\n");
    let output = launch_in(&folder, PTX, &comparing, &["--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["results"][0]["comparison"]["wrong"], 0);
    assert_eq!(json["results"][0]["comparison"]["elements"], 1000);

    let other = comparing.replace("fill = 0.5", "fill = 0.25");
    let output = launch_in(&folder, PTX, &other, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_contains(
        &String::from_utf8(output.stdout).unwrap(),
        &["1000 of 1000 elements differ", "[0] = 0.25"],
    );
    let tolerant = format!("{other}tolerance = 0.3\n");
    assert!(launch_in(&folder, PTX, &tolerant, &[]).status.success());
}

#[test]
fn a_wrong_argument_count_names_the_signature() {
    let text = failure(&FILE.replace(", 2.0, 1000]", ", 2.0]"));
    assert_contains(&text, &["3 arguments are given, 4 are needed", "saxpy(", "launch.toml:20"]);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (from, to, parts) in [
        (
            "kernel = \"saxpy\"",
            "kernel = \"saxpi\"",
            &["there is no kernel \"saxpi\"", "the module has: saxpy"][..],
        ),
        ("[\"x\", \"y\", 2.0", "[\"x\", \"z\", 2.0", &["there is no buffer \"z\"", "x, y"]),
        ("[\"x\", \"y\", 2.0", "[\"x\", \"y\", \"x\"", &["a buffer is an address"]),
        ("2.0, 1000]", "2.0, 1000.5]", &["1000.5 is not an integer"]),
        ("type = \"f32\"", "type = \"float\"", &["unknown element type \"float\"", "known: f16"]),
        ("count = 1000\nramp", "ramp", &["this buffer has no size"]),
        ("block = [256]", "block = [2048]", &["2048 threads per block"]),
        ("block = [256]", "block = [0]", &["must not be empty"]),
        ("block = [256]", "blocks = [256]", &["unknown field `blocks`"]),
        ("buffer = \"y\"", "buffer = \"q\"", &["there is no buffer \"q\""]),
        ("\"saxpy.ptx\"", "\"nowhere.ptx\"", &["nowhere.ptx"]),
        ("name = \"y\"", "name = \"x\"", &["buffer \"x\" exists already"]),
        ("fill = 0.5", "fill = 0.5\nvalues = [1]", &["one kind of initial values"]),
        ("fill = 0.5", "file = \"none.npy\"", &["none.npy"]),
    ] {
        assert!(FILE.contains(from), "{from}");
        let text = failure(&FILE.replacen(from, to, if from.starts_with("name") { 9 } else { 1 }));
        assert_contains(&text, parts);
        assert_contains(&text, &["launch.toml"]);
    }
}

#[test]
fn an_access_out_of_bounds_names_everything() {
    let text = failure(&FILE.replace("2.0, 1000]", "2.0, 1024]"));
    assert_contains(
        &text,
        &[
            "kernel saxpy",
            "PTX line",
            "block (3,0,0)",
            "thread (232,0,0)",
            "out of bounds: read of 4 bytes",
            "allocation #0",
        ],
    );
}

#[test]
fn an_endless_kernel_is_stopped() {
    let file = "module = \"saxpy.ptx\"\n[[launch]]\nkernel = \"endless\"\ngrid = [1]\nblock = [32]\narguments = [0]\n";
    let output = launch_in(&TempDir::new().unwrap(), ENDLESS, file, &["--max-instructions", "1000"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_contains(&text, &["kernel endless", "PTX line 9", "stopped after 1000 thread instructions"]);
}

#[test]
fn what_cannot_be_executed_is_refused_with_its_line() {
    let ptx = ENDLESS.replace("    bra FOREVER;", "    tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}], {%f1,%f2}, {%f1,%f2};\n    bra FOREVER;")
        .replace(".reg .b64 %rd<2>;", ".reg .b64 %rd<2>; .reg .f32 %f<5>;")
        .replace(".entry", ".global .texref t;\n.entry");
    let file = "module = \"saxpy.ptx\"\n[[launch]]\nkernel = \"endless\"\ngrid = [1]\nblock = [32]\narguments = [0]\n";
    let output = launch_in(&TempDir::new().unwrap(), &ptx, file, &[]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_contains(&text, &["PTX line 10", "cannot be executed"]);
}
