//! Chores of the repository.
//!
//! | chore                    | what it does                                                              |
//! |--------------------------|---------------------------------------------------------------------------|
//! | `cargo xtask ci fast`    | format, lints and tests: installs nothing                                 |
//! | `cargo xtask ci all`     | all that continuous integration runs                                      |
//! | `cargo xtask ptx`        | compiles every workload kernel to PTX with clang                          |
//! | `cargo xtask ptx --check`| compiles to a scratch folder and fails where the committed PTX differs    |
//! | `cargo xtask book`       | checks every link of the book and writes it to `target/book`              |
//! | `cargo xtask pgo`        | a release build in `target/pgo` that is optimised by a profile of itself   |
#![expect(clippy::print_stderr, reason = "a command-line program")]

mod book;
mod pgo;
mod ptx;

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["ci", extent @ ("fast" | "all")] => ci(extent),
        ["ci"] => ci("all"),
        ["ptx"] => ptx::rebuild(),
        ["ptx", "--check"] => ptx::check(),
        ["book"] => book::build(Path::new("."), Path::new("target/book")),
        ["pgo"] => pgo::build(),
        _ => Err(format!("unknown chore {words:?}; known: book, ci fast, ci all, pgo, ptx, ptx --check")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn ci(extent: &str) -> Result<(), String> {
    run(Command::new("bash").args([".ci/run", extent]))
}

/// Runs a command and fails as it fails.
fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}
