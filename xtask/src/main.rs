//! Chores of the repository.
//!
//! | chore                    | what it does                                                              |
//! |--------------------------|---------------------------------------------------------------------------|
//! | `cargo xtask ci`         | runs what continuous integration runs                                     |
//! | `cargo xtask ptx`        | compiles every workload kernel to PTX with clang                          |
//! | `cargo xtask ptx --check`| compiles to a scratch folder and fails where the committed PTX differs    |
//! | `cargo xtask book`       | checks every link of the book and writes it to `target/book`              |
#![expect(clippy::print_stderr, reason = "a command-line program")]

mod book;
mod ptx;

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["ci"] => ci(),
        ["ptx"] => ptx::rebuild(),
        ["ptx", "--check"] => ptx::check(),
        ["book"] => book::build(Path::new("."), Path::new("target/book")),
        _ => Err(format!("unknown chore {words:?}; known: book, ci, ptx, ptx --check")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn ci() -> Result<(), String> {
    run(Command::new("bash").arg(".ci/run"))
}

/// Runs a command and fails as it fails.
fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}
