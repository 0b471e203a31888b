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
            &["unknown kernel \"saxpi\"", "did you mean \"saxpy\"? (known: saxpy)"][..],
        ),
        (
            "[\"x\", \"y\", 2.0",
            "[\"x\", \"z\", 2.0",
            &["unknown buffer \"z\"", "did you mean \"x\"? (known: x, y)"],
        ),
        ("2.0, 1000]", "{ f64 = 2.0 }, 1000]", &["f64 does not fit; this parameter is .f32", "saxpy("]),
        ("2.0, 1000]", "{ f31 = 2.0 }, 1000]", &["unknown type \"f31\": did you mean \"f32\"?"]),
        ("2.0, 1000]", "2.0, { u8 = 256 }]", &["256 does not fit u8"]),
        ("2.0, 1000]", "2.0, { u32 = 0.5 }]", &["0.5 is not an integer"]),
        ("[\"x\", \"y\", 2.0", "[\"x\", \"y\", \"x\"", &["a buffer is an address"]),
        ("2.0, 1000]", "2.0, 1000.5]", &["1000.5 is not an integer"]),
        ("type = \"f32\"", "type = \"float\"", &["unknown element type \"float\"", "known: f16"]),
        ("count = 1000\nramp", "ramp", &["this buffer has no size"]),
        ("block = [256]", "block = [2048]", &["2048 threads per thread block"]),
        ("block = [256]", "block = [0]", &["must not be empty"]),
        (
            "block = [256]",
            "blocks = [256]",
            &["unknown key \"blocks\"", "did you mean \"block\"?", "launch.toml:19:1"],
        ),
        ("buffer = \"y\"", "buffer = \"q\"", &["unknown buffer \"q\"", "known: x, y"]),
        ("checksum = true", "write = \"absent/y.npy\"", &["folder absent does not exist"]),
        ("checksum = true", "expect = \"absent.npy\"", &["absent.npy: the file does not exist"]),
        ("ramp = { start", "ramp = { strat", &["unknown key \"strat\"", "did you mean \"start\"?"]),
        ("\"saxpy.ptx\"", "\"nowhere.ptx\"", &["nowhere.ptx"]),
        ("name = \"y\"", "name = \"x\"", &["buffer \"x\" is defined twice"]),
        ("fill = 0.5", "fill = 1e39", &["1e39 does not fit f32"]),
        ("2.0, 1000]", "1e39, 1000]", &["1e39 does not fit f32"]),
        ("2.0, 1000]", "2.0, 4294967296]", &["4294967296 does not fit a .u32 parameter"]),
        ("[\"x\", \"y\"", "[{ buffer = \"x\", offset = 4 }, \"y\"", &["a table is { buffer = "]),
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
fn all_mistakes_of_a_file_are_shown_in_its_order() {
    let file = FILE
        .replace("fill = 0.5", "fill = 1e39")
        .replace("\"x\", \"y\", 2.0, 1000]", "\"x\", \"z\", \"y\", 0.5]")
        .replace("block = [256]", "block = [1, 1, 1, 1]")
        .replace("buffer = \"y\"", "buffer = \"q\"");
    let text = failure(&file);
    assert_contains(&text, &["the launch file has 6 mistakes"]);
    let mistakes = [
        "1e39 does not fit f32",
        "expected one to three extents, found 4",
        "unknown buffer \"z\"",
        "a buffer is an address; this parameter is .f32",
        "0.5 is not an integer",
        "unknown buffer \"q\"",
    ];
    let places: Vec<Option<usize>> = mistakes.iter().map(|mistake| text.find(mistake)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in:\n{text}");
}

#[test]
fn values_outside_their_type_are_refused_with_their_place() {
    for (from, to, part) in [
        (
            "ramp = { start = 0, step = 1 }",
            "ramp = { start = -500, step = 1 }",
            "element 0: -500 does not fit u16",
        ),
        ("ramp = { start = 0, step = 1 }", "ramp = { start = 65000 }", "element 536: 65536 does not fit u16"),
        (
            "count = 1000\nramp = { start = 0, step = 1 }",
            "values = [1, 2.5]",
            "element 1: 2.5 is not an integer",
        ),
        (
            "ramp = { start = 0, step = 1 }",
            "random = { seed = 1, low = 3, high = 3 }",
            "low = 3 must be below high = 3",
        ),
        (
            "ramp = { start = 0, step = 1 }",
            "random = { seed = 1, distribution = \"normal\" }",
            "does not fit u16",
        ),
    ] {
        assert!(FILE.contains(from), "{from}");
        let text = failure(&FILE.replacen(from, to, 1).replacen("type = \"f32\"", "type = \"u16\"", 1));
        assert_contains(&text, &[part]);
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
            "thread block (3,0,0)",
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
    let ptx = ENDLESS
        .replace("    bra FOREVER;", "    mad24.hi.sat.s32 %r1, %r1, %r1, %r1;\n    bra FOREVER;")
        .replace(".reg .b64 %rd<2>;", ".reg .b64 %rd<2>; .reg .b32 %r<2>;");
    let file = "module = \"saxpy.ptx\"\n[[launch]]\nkernel = \"endless\"\ngrid = [1]\nblock = [32]\narguments = [0]\n";
    let output = launch_in(&TempDir::new().unwrap(), &ptx, file, &[]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_contains(&text, &["PTX line 9", "cannot be executed", "mad24.hi.sat.s32 %r1, %r1, %r1, %r1;"]);
}

const KERNELS: &str = include_str!("launch/kernels.ptx");

/// Runs one of the small kernels on a buffer of eight floats, which would be written.
fn launch_kernel(folder: &TempDir, kernel: &str, block: u32, arguments: &str) -> Output {
    let file = format!(
        "module = \"saxpy.ptx\"\n[[buffer]]\nname = \"values\"\ntype = \"f32\"\ncount = 8\n\
         [[launch]]\nkernel = \"{kernel}\"\ngrid = [2]\nblock = [{block}]\narguments = [{arguments}]\n\
         [[result]]\nbuffer = \"values\"\nwrite = \"values.npy\"\n"
    );
    launch_in(folder, KERNELS, &file, &["--max-instructions", "100000"])
}

#[test]
fn every_fault_is_shown_with_its_line_and_leaves_no_file() {
    for (kernel, block, arguments, parts) in [
        (
            "past_the_end",
            1,
            "\"values\"",
            &["out of bounds: write of 4 bytes", "st.global.u32 [%rd1+32], 1;", "buffers: values [0x"][..],
        ),
        ("misaligned", 1, "\"values\"", &["misaligned: write of 4 bytes", "st.global.u32 [%rd1+2], 1;"]),
        (
            "endless",
            32,
            "",
            &["stopped after 100000 thread instructions", "--max-instructions N sets the limit"],
        ),
        ("deadlock", 64, "", &["warp 0 waits at barrier 0", "warp 1 waits at barrier 1"]),
        ("traps", 1, "", &["trap executed"]),
        ("asserts", 1, "", &["a.cu:7", "n > 0"]),
    ] {
        let folder = TempDir::new().unwrap();
        let output = launch_kernel(&folder, kernel, block, arguments);
        assert_eq!(output.status.code(), Some(1), "{kernel}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert_contains(&text, parts);
        assert_contains(&text, &["saxpy.ptx", &format!("kernel {kernel}"), "PTX line ", "was stopped"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "{kernel} left a file behind");
    }
}

#[test]
fn what_kernels_print_goes_to_standard_output() {
    let output = launch_kernel(&TempDir::new().unwrap(), "greets", 1, "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("hello from 0\nhello from 1\ngreets: grid 2x1x1"), "{text}");
}

#[test]
fn what_a_kernel_prints_before_a_fault_is_not_lost() {
    let output = launch_kernel(&TempDir::new().unwrap(), "greets_and_traps", 1, "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "hello from 0\n");
    assert_contains(&String::from_utf8(output.stderr).unwrap(), &["trap executed"]);
}

#[test]
fn typed_numbers_and_offsets_reach_the_kernel() {
    let folder = TempDir::new().unwrap();
    let values = "{ buffer = \"values\", offset_bytes = 24 }, { u32 = 2 }, { f32 = 1.5 }";
    let output = launch_kernel(&folder, "add", 4, values);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = fs::read(folder.path().join("values.npy")).unwrap();
    let expected: Vec<u8> =
        [0f32, 0., 0., 0., 0., 0., 1.5, 1.5].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(written[written.len() - 32..], expected);
}

#[test]
fn several_results_are_written_and_a_wrong_one_is_named() {
    let folder = TempDir::new().unwrap();
    let writing = format!("{FILE}write = \"y.npy\"\n[[result]]\nbuffer = \"x\"\nwrite = \"x.npy\"\n");
    let output = launch_in(&folder, PTX, &writing, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.path().join("x.npy").exists() && folder.path().join("y.npy").exists());
    let comparing = format!("{FILE}expect = \"x.npy\"\n");
    let output = launch_in(&folder, PTX, &comparing, &[]);
    assert_eq!(output.status.code(), Some(1));
    // y is 2 x + 0.5 and x a ramp from 0.
    assert_contains(
        &String::from_utf8(output.stderr).unwrap(),
        &["y: 1000 of 1000", "[0] = 0.5, expected 0"],
    );
}

#[test]
fn an_array_in_fortran_order_is_refused() {
    let folder = TempDir::new().unwrap();
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': True, 'shape': (10, 100), }");
    let mut array = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    array.extend(header.as_bytes());
    array.resize(array.len() + 4000, 0);
    fs::write(folder.path().join("x.npy"), array).unwrap();
    let file = FILE.replace("fill = 0.5", "file = \"x.npy\"");
    let output = launch_in(&folder, PTX, &file, &[]);
    assert_contains(&String::from_utf8(output.stderr).unwrap(), &["x.npy: its axes are in Fortran order"]);
}

#[test]
fn random_integers_stay_in_their_range() {
    let folder = TempDir::new().unwrap();
    let random = "random = { seed = 3, distribution = \"integers\", low = 2, high = 5 }\n";
    let file =
        FILE.replace("ramp = { start = 0, step = 1 }\n", random).replace("buffer = \"y\"", "buffer = \"x\"");
    assert!(launch_in(&folder, PTX, &format!("{file}write = \"x.bin\"\n"), &[]).status.success());
    let bytes = fs::read(folder.path().join("x.bin")).unwrap();
    let values: Vec<f32> = bytes.chunks_exact(4).map(|v| f32::from_le_bytes(v.try_into().unwrap())).collect();
    for value in [2.0, 3.0, 4.0] {
        assert!((250..420).contains(&values.iter().filter(|&&drawn| drawn == value).count()));
    }
    assert!(values.iter().all(|value| [2.0, 3.0, 4.0].contains(value)));
}

#[test]
fn several_kernels_repeat_and_meet_what_is_expected() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut command = Command::cargo_bin("shrinkwarp").unwrap();
    let output = command.current_dir(examples).args(["launch", "heat.toml"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("largest change ")).count(), 20);
    assert_contains(
        &text,
        &["heat_step: grid 3x4x1, block 16x8x1, 40 times", "heat_change: ", "now: as expected"],
    );
}
