//! What does a user see of `encode` and `decode`?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;

use common::{names_in, shrinkwarp, stderr};
use tempfile::TempDir;

#[test]
fn a_file_goes_in_and_comes_out() {
    let folder = TempDir::new().unwrap();
    for content in [&b""[..], b"x", &[0; 1000]] {
        fs::write(folder.path().join("data"), content).unwrap();
        shrinkwarp(folder.path()).args(["encode", "data", "--codec", "zero", "--force"]).assert().success();
        shrinkwarp(folder.path()).args(["decode", "data.swz", "-o", "back", "--force"]).assert().success();
        assert_eq!(fs::read(folder.path().join("back")).unwrap(), content);
    }
}

#[test]
fn standard_input_and_output_work_as_a_pipe() {
    let folder = TempDir::new().unwrap();
    let content = b"some bytes that need no file".repeat(20);
    let encoded = shrinkwarp(folder.path())
        .args(["encode", "-", "--codec", "zero"])
        .write_stdin(content.clone())
        .output()
        .unwrap();
    let decoded =
        shrinkwarp(folder.path()).args(["decode", "-"]).write_stdin(encoded.stdout).output().unwrap();
    assert_eq!(decoded.stdout, content);
}

#[test]
fn an_existing_file_is_not_replaced_unasked() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("data"), b"abc").unwrap();
    fs::write(folder.path().join("data.swz"), b"mine").unwrap();
    let output = shrinkwarp(folder.path()).args(["encode", "data", "--codec", "zero"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("data.swz: exists; give --force"), "{}", stderr(&output));
    assert_eq!(fs::read(folder.path().join("data.swz")).unwrap(), b"mine");
}

#[test]
fn a_damaged_container_names_its_place_and_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("data"), [5; 3000]).unwrap();
    shrinkwarp(folder.path()).args(["encode", "data", "--codec", "zero"]).assert().success();
    let mut container = fs::read(folder.path().join("data.swz")).unwrap();
    let middle = container.len() / 2;
    container[middle] ^= 1;
    fs::write(folder.path().join("bad.swz"), container).unwrap();
    let output = shrinkwarp(folder.path()).args(["decode", "bad.swz"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(message.contains("bad.swz: byte ") && message.contains("frame 0: its checksum"), "{message}");
    assert_eq!(names_in(folder.path()), ["bad.swz", "data", "data.swz"]);
}

#[test]
fn an_unknown_codec_suggests_the_nearest() {
    let folder = TempDir::new().unwrap();
    let output = shrinkwarp(folder.path()).args(["encode", "data", "--codec", "zeor"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean \"zero\"?"), "{}", stderr(&output));
}

#[test]
fn a_missing_input_is_named() {
    let folder = TempDir::new().unwrap();
    let output = shrinkwarp(folder.path()).args(["encode", "nowhere", "--codec", "zero"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("nowhere: No such file"), "{}", stderr(&output));
    assert!(names_in(folder.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_file_behind() {
    let folder = TempDir::new().unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_shrinkwarp"))
        .current_dir(folder.path())
        .args(["encode", "-", "--codec", "zero", "-o", "out.swz"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Standard input stays open to the end (`wait` would close it), so the command waits with its temporary file made.
    let input = child.stdin.take();
    for _ in 0..1000 {
        if !names_in(folder.path()).is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(names_in(folder.path()).len(), 1);
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(names_in(folder.path()).is_empty());
    drop(input);
}
