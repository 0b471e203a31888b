//! The `shrinkwarp` command: parse, run, and turn a failure into a message and an exit code.
#![expect(clippy::print_stderr, reason = "the one place that reports a failure")]

use std::process::ExitCode;

use clap::Parser;
use shrinkwarp_cli::{Cli, Failure};

fn main() -> ExitCode {
    match Cli::parse().run() {
        // A reader of our output that has seen enough (`| head`) is not a failure.
        Ok(()) | Err(Failure::OutputClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("shrinkwarp: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
