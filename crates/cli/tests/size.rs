//! Is the command still only arguments, progress and printing?
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

/// What is more than this belongs into a library crate.
const MOST_LINES: usize = 5000;

#[test]
fn the_command_has_at_most_5000_lines() {
    let lines = lines_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!((1000..=MOST_LINES).contains(&lines), "{lines} lines");
}

fn lines_below(folder: &Path) -> usize {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            if path.is_dir() { lines_below(&path) } else { fs::read_to_string(path).unwrap().lines().count() }
        })
        .sum()
}
