//! What does a whole program leave behind: output, result, nothing half-written? It is compiled with the C compiler that
//! links Rust programs, too.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use shrinkwarp_cudart::fat_binary::{Packing, Ptx, write};

const MODULE: &str = include_str!("common/module.ptx");

/// The program and its fat binary, made once.
fn program() -> &'static (PathBuf, PathBuf) {
    static MADE: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (program, binary) = (folder.join("cudart-program"), folder.join("cudart-program.fatbin"));
        let ptx = Ptx::new(70, MODULE.to_owned());
        std::fs::write(&binary, write(&[ptx], Packing::Lz4).unwrap()).unwrap();
        // The library lies beside the tests.
        let tests = std::env::current_exe().unwrap();
        let library = tests.parent().unwrap().join("libshrinkwarp_cudart.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/program.c");
        let status = Command::new("cc").arg(source).arg(library).arg("-o").arg(&program).status().unwrap();
        assert!(status.success());
        (program, binary)
    })
}

/// Runs the program; its output and the names of the files in the folder of results.
fn run(ending: &str) -> (String, Vec<String>, tempfile::TempDir) {
    let (program, binary) = program();
    let results = tempfile::tempdir().unwrap();
    let output = Command::new(program)
        .arg(binary)
        .arg(ending)
        .env("SHRINKWARP_RESULT", results.path().join("result-%p.json"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let files = std::fs::read_dir(results.path()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    (String::from_utf8(output.stdout).unwrap(), names, results)
}

#[test]
fn a_program_that_ends_leaves_its_result() {
    let (output, files, folder) = run("exit");
    assert_eq!(output, "7\n");
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(folder.path().join(&files[0])).unwrap();
    let result: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["launches"][0]["kernel"], "store_at");
    assert_eq!(result["cycles"], result["launches"][0]["cycles"]);
    assert!(result["summary"].as_str().unwrap().starts_with("store_at: "), "{text}");
}

#[test]
fn a_program_that_only_asks_for_its_device_leaves_a_result() {
    let (output, files, _folder) = run("ask");
    assert_eq!(output, "0\n");
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn a_child_computes_and_leaves_no_result() {
    let (output, files, _) = run("fork");
    assert_eq!(output, "7\n7\n");
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn an_early_end_leaves_nothing_half_written() {
    let (output, files, _) = run("_exit");
    assert_eq!(output, "7\n");
    assert!(files.is_empty(), "{files:?}");
}
