//! What the tests of the command share.
#![allow(dead_code, reason = "each test program uses what it needs of this module")]

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

/// The command, run inside a folder, which is also where it keeps results.
pub fn shrinkwarp(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("shrinkwarp").unwrap();
    command.current_dir(folder).env("XDG_DATA_HOME", folder);
    command
}

/// What it said on standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The names of all files of a folder, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
