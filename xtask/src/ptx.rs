//! Kernels to PTX with Debian's clang; no NVIDIA file is needed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::run;

/// One compiler and one set of flags, so that the PTX is the same on every machine.
const COMPILER: &str = "clang++-19";
const FLAGS: &[&str] = &[
    "-x",
    "cuda",
    "--cuda-device-only",
    "-nocudainc",
    "-nocudalib",
    "--cuda-gpu-arch=sm_70",
    "--cuda-feature=+ptx63",
    "-O3",
    "-S",
];
const FOLDERS: &[&str] = &["crates/workloads/kernels", "examples"];

/// Compiles every kernel file beside its source.
pub fn rebuild() -> Result<(), String> {
    sources()?.iter().try_for_each(|source| compile(source, &source.with_extension("ptx")))
}

/// Compiles every kernel file and compares with what is committed.
pub fn check() -> Result<(), String> {
    let scratch = env::temp_dir().join(format!("shrinkwarp-ptx-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let stale = stale_files(&scratch);
    let removed = fs::remove_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()));
    match stale? {
        stale if stale.is_empty() => removed,
        stale => Err(format!("stale PTX, run `cargo xtask ptx`: {}", stale.join(", "))),
    }
}

fn stale_files(scratch: &Path) -> Result<Vec<String>, String> {
    let mut stale = Vec::new();
    for source in sources()? {
        let fresh = scratch.join("fresh.ptx");
        compile(&source, &fresh)?;
        let committed = source.with_extension("ptx");
        if fs::read(&fresh).ok() != fs::read(&committed).ok() {
            stale.push(committed.display().to_string());
        }
    }
    Ok(stale)
}

fn compile(source: &Path, target: &Path) -> Result<(), String> {
    run(Command::new(COMPILER).args(FLAGS).arg(source).arg("-o").arg(target))
}

fn sources() -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in FOLDERS {
        let entries = fs::read_dir(folder)
            .map_err(|error| format!("{folder}: {error} (run from the repository's root)"))?;
        files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    Ok(files)
}
