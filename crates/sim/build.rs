//! Lists the files of `configs/`, so that a GPU, a scheme or an energy set is part of the program by being there.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The folders, the constants that list them, and what they hold.
const FOLDERS: [(&str, &str, &str); 3] =
    [("gpus", "GPUS", "GPU"), ("schemes", "SCHEMES", "scheme"), ("energy", "ENERGY_SETS", "energy set")];

/// Compression points in the order of the data path: the sections of a scheme.
const POINTS: [&str; 5] = ["l1", "packets", "l2", "memory", "link"];

fn main() -> io::Result<()> {
    let configs = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("configs").canonicalize()?;
    let mut code = String::new();
    for (folder, constant, what) in FOLDERS {
        let folder = configs.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut presets =
            fs::read_dir(&folder)?.map(|entry| preset(entry?.path())).collect::<Result<Vec<_>, _>>()?;
        presets.sort();
        let _ = writeln!(
            code,
            "/// Every {what} that is part of the program, the one that others are based on first."
        );
        let _ = writeln!(code, "pub const {constant}: &[Preset] = &[");
        for (_, name, path) in &presets {
            let path = path.to_string_lossy();
            println!("cargo::rerun-if-changed={path}");
            let _ = writeln!(code, "    Preset {{ name: {name:?}, text: include_str!({path:?}) }},");
        }
        let _ = writeln!(code, "];");
    }
    fs::write(Path::new(&variable("OUT_DIR")?).join("presets.rs"), code)
}

/// Where a file belongs in its list: those that are complete first, then by compression point, then combinations of
/// points, each by name.
type Rank = (bool, usize, usize);

fn preset(path: PathBuf) -> io::Result<(Rank, String, PathBuf)> {
    let text = fs::read_to_string(&path)?;
    let is_point = |point: &&str| text.lines().any(|line| line.trim() == format!("[{point}]"));
    let points: Vec<usize> = (0..POINTS.len()).filter(|&point| is_point(&POINTS[point])).collect();
    let is_based = text.lines().any(|line| line.starts_with("based_on"));
    let first = points.first().copied().unwrap_or_default();
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(((is_based, points.len(), first), name, path))
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(io::Error::other)
}
