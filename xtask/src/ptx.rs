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
/// In the folder of the sources, if their kernels have registers of their own: `program,kernel,registers`.
const REGISTERS: &str = "registers.csv";
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
    run(Command::new(COMPILER).args(FLAGS).arg(source).arg("-o").arg(target))?;
    let Ok(table) = fs::read_to_string(source.with_file_name(REGISTERS)) else { return Ok(()) };
    let program = source.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let error = |error| format!("{}: {error}", target.display());
    let text = fs::read_to_string(target).map_err(error)?;
    fs::write(target, with_registers(&text, program, &table)).map_err(error)
}

/// PTX whose kernels say how many registers a thread has, where the table has a row for them. No line moves.
fn with_registers(ptx: &str, program: &str, table: &str) -> String {
    let mut count = None;
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        if let Some((_, rest)) = line.split_once(".entry ") {
            let kernel = rest.split('(').next().unwrap_or_default().trim();
            let start = format!("{program},{kernel},");
            count = table.lines().find_map(|row| row.strip_prefix(&start));
        }
        match line.strip_prefix('{').and_then(|rest| Some((rest, count.take()?))) {
            Some((rest, count)) => {
                text.push_str(&format!("{{ .pragma \"shrinkwarp registers {count}\";{rest}"));
            }
            None => text.push_str(line),
        }
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_with_a_row_says_its_registers_and_no_line_moves() {
        let ptx = ".func f()\n{\n\tret;\n}\n.visible .entry a(\n)\n{\n\tret;\n}\n.visible .entry b()\n{\n}\n";
        let table = "program,kernel,registers\nother,b,9\np,a,21\n";
        let expected = ptx.replacen(
            ")\n{\n\tret;\n}\n.visible .entry b",
            ")\n{ .pragma \"shrinkwarp registers 21\";\n\tret;\n}\n.visible .entry b",
            1,
        );
        assert_eq!(with_registers(ptx, "p", table), expected);
    }
}
