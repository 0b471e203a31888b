//! A release build that is optimised for what simulations do: `cargo xtask pgo`.
//!
//! 1. The command is built so that it counts which way its branches go.
//! 2. It simulates the calibration kernels and some workloads under schemes with a codec at each point, which are its training.
//! 3. `llvm-profdata` adds the counts up.
//! 4. Command and runtime library are built again, as `cargo build --release` does, with the counts as advice.
//!
//! Everything is in `target/pgo`; the build is as slow as two. The training set is not what the benchmarks measure alone: a
//! profile of one kind of program would make the others slower.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run;

/// What the instrumented command does, as its arguments: Fermi and Volta, long kernels and short launches, streams, reuse and
/// scattered accesses, every compression point, and the codecs by themselves.
const TRAINING: [&[&str]; 6] = [
    &["calibrate"],
    &["calibrate", "--gpu", "v100"],
    &[
        "compare",
        "bfs",
        "kmeans",
        "matmul",
        "spmv",
        "srad",
        "stencil",
        "sssp",
        "--scale",
        "tiny",
        "--schemes",
        "none,latte,dsm,e2mc16,bpc-memory,bdi-l2",
    ],
    &[
        "compare",
        "scan",
        "libor",
        "lud",
        "--scale",
        "tiny",
        "--gpu",
        "bpc-gtx480",
        "--schemes",
        "hmc-link,bpc-link-packed",
    ],
    &[
        "compare",
        "fwt",
        "conv-separable",
        "--scale",
        "tiny",
        "--gpu",
        "e2mc-gtx580",
        "--schemes",
        "none,e2mc16,fpc-memory",
    ],
    &["analyze", "examples/time-zones.safetensors"],
];

/// Builds the command with the profile of a training run.
pub fn build() -> Result<(), String> {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?.join("target/pgo");
    let profdata = find_profdata()?;
    let counts = folder.join("counts");
    remove(&counts)?;

    cargo_build(&folder.join("instrumented"), &format!("-Cprofile-generate={}", counts.display()))?;
    let command = folder.join("instrumented/release/shrinkwarp");
    for arguments in TRAINING {
        let mut training = Command::new(&command);
        training.args(arguments).stdout(Stdio::null());
        if arguments[0] == "compare" {
            training.args(["--store", "none"]);
        }
        run(&mut training)?;
    }

    let profile = folder.join("shrinkwarp.profdata");
    run(Command::new(profdata).arg("merge").arg("-o").arg(&profile).arg(&counts))?;
    cargo_build(&folder, &format!("-Cprofile-use={}", profile.display()))?;
    eprintln!("xtask: target/pgo/release/shrinkwarp");
    Ok(())
}

/// `cargo build --release` into a folder, with one more flag of the compiler.
fn cargo_build(target: &Path, flag: &str) -> Result<(), String> {
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    run(Command::new("cargo")
        .args(["build", "--release", "--locked", "--target-dir"])
        .arg(target)
        .env("RUSTFLAGS", format!("{flags} {flag}").trim()))
}

/// The tool that adds counts up: the one that `LLVM_PROFDATA` names, that of the Rust toolchain, or one of the system. It need
/// not be of the compiler's version, as long as it knows the version of the counts: LLVM 19 reads what LLVM 22 writes.
fn find_profdata() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("LLVM_PROFDATA") {
        return Ok(named.into());
    }
    let system = (19..=25).rev().map(|version| PathBuf::from(format!("llvm-profdata-{version}")));
    toolchain_profdata().into_iter().chain(system).find(|tool| works(tool)).ok_or_else(|| {
        "no llvm-profdata of version 19 or newer: install one (Debian's package llvm-19, or `rustup component add llvm-tools`), or name it in LLVM_PROFDATA".to_owned()
    })
}

fn toolchain_profdata() -> Option<PathBuf> {
    let answer = Command::new("rustc").args(["--print", "target-libdir"]).output().ok()?;
    let libraries = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim());
    Some(libraries.parent()?.join("bin/llvm-profdata"))
}

fn works(tool: &Path) -> bool {
    Command::new(tool)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn remove(folder: &Path) -> Result<(), String> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}
