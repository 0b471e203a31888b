//! What the `shrinkwarp` command is made of: one file per subcommand in `commands`; progress and printing beside them.

mod arguments;
mod commands;
mod cpu_time;
mod exec;
mod failure;
mod files;
pub mod http;
mod keeping;
mod progress;
mod run;

pub use commands::Cli;
pub use failure::Failure;

use std::ffi::OsString;

use clap::Parser;

/// Runs the command with these arguments, its own name first, and gives its exit code. What there is to say is on
/// standard output and standard error.
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and the version are errors for clap, too; a reader that has gone away is none.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(1);
        }
    };
    match cli.run() {
        // A reader of our output that has seen enough (`| head`) is not a failure.
        Ok(()) | Err(Failure::OutputClosed) => 0,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}
