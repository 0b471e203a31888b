//! Chores of the repository. `cargo xtask ci` runs what continuous integration runs.
#![expect(clippy::print_stderr, reason = "a command-line program")]

use std::process::{Command, exit};

fn main() {
    let chore = std::env::args().nth(1).unwrap_or_default();
    let status = match chore.as_str() {
        "ci" => Command::new("bash").arg(".ci/run").status(),
        other => {
            eprintln!("xtask: unknown chore {other:?}; known: ci");
            exit(2);
        }
    };
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => exit(status.code().unwrap_or(1)),
        Err(error) => {
            eprintln!("xtask {chore}: {error}");
            exit(1);
        }
    }
}
