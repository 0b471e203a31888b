//! What does a user see of `analyze`?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;

use common::{names_in, shrinkwarp, stderr};
use serde_json::Value;
use tempfile::TempDir;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// An `.npy` file of f32 values.
fn npy(values: &[f32]) -> Vec<u8> {
    let dictionary = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}\n", values.len());
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
    file.extend_from_slice(dictionary.as_bytes());
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    file
}

fn ramp() -> Vec<f32> {
    (0u16..1000).map(f32::from).collect()
}

fn npz(members: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in members {
        archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = shrinkwarp(folder).arg("analyze").args(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn zeros_cost_one_bit_and_one_burst_a_block() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("zeros"), [0; 256]).unwrap();
    let report = json(folder.path(), &["zeros", "--dtype", "u8", "--codec", "zero"]);
    let result = &report["inputs"][0]["tensors"][0]["codecs"][0];
    assert_eq!(result["codec"], "zero");
    assert_eq!(result["bits"], 2);
    assert_eq!(result["raw_ratio"], 2048.0 / 2.0);
    assert_eq!(result["mag32_ratio"], 4.0);
    // One flit of the five that a raw packet takes.
    assert_eq!(result["flits_saved"], 0.8);
    assert_eq!(result["raw_blocks"], 0.0);
}

#[test]
fn a_tail_stays_raw() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("zeros"), [0; 128 + 8]).unwrap();
    let report = json(folder.path(), &["zeros", "--dtype", "f64", "--codec", "zero"]);
    let tensor = &report["inputs"][0]["tensors"][0];
    assert_eq!(tensor["blocks"], 2);
    assert_eq!(tensor["codecs"][0]["bits"], 1 + 64);
    assert_eq!(tensor["codecs"][0]["raw_blocks"], 0.5);
}

#[test]
fn every_way_to_hold_an_array_gives_the_same_figures() {
    let folder = TempDir::new().unwrap();
    let content = npy(&ramp());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&content).unwrap();
    let raw: Vec<u8> = ramp().iter().flat_map(|value| value.to_le_bytes()).collect();
    let safetensors = {
        let header = r#"{"a":{"dtype":"F32","shape":[1000],"data_offsets":[0,4000]}}"#;
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &raw].concat()
    };
    let big_endian = {
        let mut file = npy(&[]);
        let text = String::from_utf8_lossy(&file[10..]).replace("<f4", ">f4").replace("(0,)", "(1000,)");
        file.truncate(8);
        file.extend_from_slice(&(text.len() as u16).to_le_bytes());
        file.extend_from_slice(text.as_bytes());
        file.extend(ramp().iter().flat_map(|value| value.to_be_bytes()));
        file
    };
    let held: [(&str, Vec<u8>); 8] = [
        ("a.npy", content.clone()),
        ("a.npy.gz", gzip.finish().unwrap()),
        ("a.npy.zst", zstd::encode_all(&*content, 1).unwrap()),
        ("stored.npz", npz(&[("a.npy", &content)], CompressionMethod::Stored)),
        ("deflated.npz", npz(&[("a.npy", &content)], CompressionMethod::Deflated)),
        ("a.safetensors", safetensors),
        ("big.npy", big_endian),
        ("a.raw", raw),
    ];
    let mut figures = Vec::new();
    for (name, bytes) in &held {
        fs::write(folder.path().join(name), bytes).unwrap();
        let report = json(folder.path(), &[name, "--dtype", "f32"]);
        let tensor = &report["inputs"][0]["tensors"][0];
        assert_eq!((&tensor["dtype"], &tensor["shape"][0]), (&"f32".into(), &1000.into()), "{name}");
        figures.push(tensor["codecs"].clone());
    }
    assert!(figures[0].as_array().unwrap().len() > 1);
    for (figures_of, (name, _)) in figures.iter().zip(&held) {
        assert_eq!(*figures_of, figures[0], "{name}");
    }
}

#[test]
fn standard_input_is_recognised_by_its_first_bytes() {
    let folder = TempDir::new().unwrap();
    let content = npy(&ramp());
    fs::write(folder.path().join("a.npy"), &content).unwrap();
    let from_file = json(folder.path(), &["a.npy"]);
    for stream in [content.clone(), zstd::encode_all(&*content, 1).unwrap()] {
        let output =
            shrinkwarp(folder.path()).args(["analyze", "-", "--json"]).write_stdin(stream).output().unwrap();
        let from_stream: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(from_stream["total"], from_file["total"]);
    }
}

#[test]
fn a_directory_is_walked_in_order_and_totalled() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("sub/b.npy"), npy(&ramp())).unwrap();
    fs::write(folder.path().join("a.npy"), npy(&[0.0; 64])).unwrap();
    fs::write(folder.path().join("notes.txt"), b"not a tensor").unwrap();
    let report = json(folder.path(), &["."]);
    let names: Vec<&str> =
        report["inputs"].as_array().unwrap().iter().map(|input| input["input"].as_str().unwrap()).collect();
    assert_eq!(names, ["./a.npy", "./sub/b.npy"]);
}

#[test]
fn noise_is_not_worth_it_and_zeros_are() {
    let folder = TempDir::new().unwrap();
    let mut state = 1u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    })
    .take(1 << 16)
    .collect();
    fs::write(folder.path().join("noise"), noise).unwrap();
    fs::write(folder.path().join("zeros"), [0; 4096]).unwrap();
    let text = |name: &str| {
        let arguments = ["analyze", name, "--dtype", "u8", "--train", "10%"];
        let output = shrinkwarp(folder.path()).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(text("noise").contains("not worth it"), "{}", text("noise"));
    assert!(text("zeros").contains("best: zero saves 75.0 %"), "{}", text("zeros"));
}

#[test]
fn approximation_shows_its_error_beside_the_ratio() {
    let folder = TempDir::new().unwrap();
    // 1 + 2^-20 loses its last bit when 4 are cleared (the mantissa has 23), the others lose nothing.
    let mut values = [1.0f32; 64];
    values[5] = 1.0 + (-20f32).exp2();
    fs::write(folder.path().join("a.npy"), npy(&values)).unwrap();
    let report = json(folder.path(), &["a.npy", "--codec", "zero", "--approx", "4"]);
    let codecs = report["inputs"][0]["tensors"][0]["codecs"].as_array().unwrap();
    // Exact: a repeated value (2 + 64 bits) and a raw block. Approximated: two repeated values.
    assert_eq!((&codecs[0]["bits"], &codecs[1]["bits"]), (&(66 + 1024).into(), &(2 * 66).into()));
    assert!(codecs[0].get("error").is_none());
    assert_eq!(codecs[1]["approx_bits"], 4);
    assert_eq!(codecs[1]["error"]["max_absolute"], (-20f64).exp2());

    let output =
        shrinkwarp(folder.path()).args(["analyze", "a.npy", "--approximate-bits", "5"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("f32: 4 8 12 16 20"), "{}", stderr(&output));
}

#[test]
fn a_raw_file_without_a_type_is_a_usage_error() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("data.bin"), [0; 64]).unwrap();
    let output = shrinkwarp(folder.path()).args(["analyze", "data.bin"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("give the element type with --dtype"), "{}", stderr(&output));
    let output =
        shrinkwarp(folder.path()).args(["analyze", "data.bin", "--dtype", "float"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected one of f16, bf16"), "{}", stderr(&output));
}

#[test]
fn damaged_files_are_named_and_the_others_still_reported() {
    let folder = TempDir::new().unwrap();
    let content = npy(&ramp());
    fs::write(folder.path().join("good.npy"), &content).unwrap();
    fs::write(folder.path().join("short.npy"), &content[..2000]).unwrap();
    fs::write(folder.path().join("cut.npy.gz"), [0x1f, 0x8b, 8, 0, 0]).unwrap();
    let mut archive = npz(&[("a.npy", &content)], CompressionMethod::Stored);
    archive[500] ^= 1;
    fs::write(folder.path().join("flipped.npz"), archive).unwrap();
    fs::write(folder.path().join("fake.npz"), b"PK no archive").unwrap();
    let output = shrinkwarp(folder.path())
        .args(["analyze", "short.npy", "good.npy", "cut.npy.gz", "flipped.npz", "fake.npz", "--csv"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    for part in [
        "short.npy: byte 71: shape [1000] of f32 needs more than the 1929 bytes",
        "cut.npy.gz: damaged or truncated gzip data",
        "flipped.npz: member a.npy",
        "fake.npz: zip archive",
    ] {
        assert!(message.contains(part), "{part}:\n{message}");
    }
    assert!(String::from_utf8_lossy(&output.stdout).contains("good.npy,,f32,1000,4000,"));
}

#[test]
fn a_page_needs_no_network_runs_no_foreign_script_and_replaces_nothing_on_failure() {
    let folder = TempDir::new().unwrap();
    let hostile = "<script>";
    let archive = npz(
        &[(&format!("{hostile}.npy"), &npy(&ramp())), ("b.npy", &npy(&[1.0; 64]))],
        CompressionMethod::Deflated,
    );
    fs::write(folder.path().join("two.npz"), archive).unwrap();
    shrinkwarp(folder.path()).args(["analyze", "two.npz", "--html", "page.html"]).assert().success();
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("class=\"heat\""));
    for forbidden in ["http:", "https:", "src=", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    let output =
        shrinkwarp(folder.path()).args(["analyze", "two.npz", "--html", "no/where.html"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no: cannot write here"), "{}", stderr(&output));
    assert_eq!(names_in(folder.path()), ["page.html", "two.npz"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.npy"), npy(&ramp())).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_shrinkwarp"))
        .current_dir(folder.path())
        .args(["analyze", "a.npy"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_far_larger_than_memory_is_analysed() {
    let folder = TempDir::new().unwrap();
    let sparse = fs::File::create(folder.path().join("sparse")).unwrap();
    sparse.set_len(2 << 30).unwrap();
    // The address space can hold less than a fifth of the file.
    let script = "ulimit -v 393216; exec \"$0\" analyze sparse --dtype f32 --codec zero --csv";
    let output = std::process::Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", script, env!("CARGO_BIN_EXE_shrinkwarp")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    let blocks = (2u64 << 30) / 128;
    assert!(text.contains(&format!(",zero,1024.000000,4.000000,0.800000,0.000000,{blocks},")), "{text}");
}

#[test]
fn the_readme_shows_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = shrinkwarp(&root).args(["analyze", "examples/time-zones.safetensors"]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains(printed.trim_end()), "README.md differs from:\n{printed}");
}
